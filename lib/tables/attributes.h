/* SPDX-License-Identifier: GPL-2.0 */
/* Filters and keys of packets (filters.def, keys.def), as user space sees them. */
#ifndef NETSTACKLAT_ATTRIBUTES_H
#define NETSTACKLAT_ATTRIBUTES_H

#include <stdbool.h>

#include "lib/tables/config.h"
#include "lib/tables/sequence.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/tcp_limit.h"

struct filter_info {
	const char *option;
	unsigned int needs; /* any of these at hand: HAS_*, a bit each */
	unsigned int keeps; /* KEEPS(), a bit each */
};

struct key_info {
	const char *name; /* as a label */
	unsigned int needs, keeps;
};

extern const struct filter_info filter_table[NR_FILTERS];
extern const struct key_info key_table[NR_KEYS];

/* The names as labels, and on the command line; NULL where there is none. */
extern const char *const sequence_names[END_OF_SEQUENCES];
extern const char *const tcp_limit_names[END_OF_TCP_LIMITS];
extern const char *const retransmit_names[END_OF_RETRANSMITS];

/* Return whether a hook can tell. */
bool hook_can_filter(enum hook hook, enum filter filter);
bool hook_can_group(enum hook hook, enum key key);

#define KEY_NAME_SIZE 32

/* A key as it is spelled on the command line: with a dash where labels have an underscore. */
const char *key_name(enum key key, char name[KEY_NAME_SIZE]);

/*
 * Returns the filters (a bit each) that others do not imply. Interfaces are numbered by network
 * namespace, so programs that are asked for the interface look at both.
 */
unsigned int filters_without_implied(unsigned int filters);

#endif
