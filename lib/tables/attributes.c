// SPDX-License-Identifier: GPL-2.0
#include "lib/tables/attributes.h"

#include <stdio.h>

#include "lib/tables/hooks.h"

const struct filter_info filter_table[NR_FILTERS] = {
#define FILTER(id, option, needs, kept) [FILTER_##id] = { option, needs, kept },
#include "lib/tables/filters.def"
};

const struct key_info key_table[NR_KEYS] = {
#define KEY(id, name, needs, kept, ...) [KEY_##id] = { name, needs, kept },
#include "lib/tables/keys.def"
};

const char *const sequence_names[END_OF_SEQUENCES] = {
	[SEQUENCE_NO_DATA] = "no-data",
	[SEQUENCE_IN_ORDER] = "in-order",
	[SEQUENCE_BEHIND_GAP] = "behind-gap",
	[SEQUENCE_RECEIVED_BEFORE] = "received-before",
};

const char *const tcp_limit_names[END_OF_TCP_LIMITS] = {
	[TCP_LIMIT_NONE] = "none",   [TCP_LIMIT_RWND] = "rwnd", [TCP_LIMIT_SNDBUF] = "sndbuf",
	[TCP_LIMIT_NAGLE] = "nagle", [TCP_LIMIT_CORK] = "cork", [TCP_LIMIT_PAGE] = "page",
	[TCP_LIMIT_WRITE] = "write",
};

const char *const retransmit_names[END_OF_RETRANSMITS] = {
	[RETRANSMIT_TIMEOUT] = "timeout", [RETRANSMIT_FAST] = "fast",
	[RETRANSMIT_PROBE] = "probe",	  [RETRANSMIT_SYN] = "syn",
	[RETRANSMIT_SYN_ACK] = "syn-ack",
};

bool hook_can_filter(enum hook hook, enum filter filter)
{
	return hooks[hook].has & filter_table[filter].needs;
}

bool hook_can_group(enum hook hook, enum key key)
{
	return hooks[hook].has & key_table[key].needs;
}

const char *key_name(enum key key, char name[KEY_NAME_SIZE])
{
	snprintf(name, KEY_NAME_SIZE, "%s", key_table[key].name);
	for (char *c = name; *c; c++)
		if (*c == '_')
			*c = '-';
	return name;
}

unsigned int filters_without_implied(unsigned int filters)
{
	return (filters & 1U << FILTER_INTERFACE) ? filters & ~(1U << FILTER_NETNS) : filters;
}
