// SPDX-License-Identifier: GPL-2.0
#include "lib/report/stage_names.h"

#include <stdio.h>
#include <string.h>

#include "lib/counts/stages.h"

static const char in[] = "in", application[] = "application", out[] = "out", network[] = "network";

#define BIT(hook) (1ULL << HOOK_##hook)
_Static_assert(NR_HOOKS <= 64, "a bit for each hook");

/* In the order in which they are shown. What is of sockets has neither IP version nor path. */
static const struct {
	const char *name, *way;
	unsigned int ip_version, paths;
	uint64_t of_sockets;
} stage_tables[] = {
	{ "any packet", in, 0, PATH_ANY, 0 },
	{ "IPv4", in, 4, PATH_ANY, 0 },
	{ "IPv4, forwarded", in, 4, PATH_FORWARD, 0 },
	{ "IPv4, to this host", in, 4, PATH_LOCAL, 0 },
	{ "TCP over IPv4", in, 4, PATH_TCP, 0 },
	{ "UDP over IPv4", in, 4, PATH_UDP, 0 },
	{ "ICMP and raw sockets, IPv4", in, 4, PATH_ICMP, 0 },
	{ "IPv6", in, 6, PATH_ANY, 0 },
	{ "IPv6, forwarded", in, 6, PATH_FORWARD, 0 },
	{ "IPv6, to this host", in, 6, PATH_LOCAL, 0 },
	{ "TCP over IPv6", in, 6, PATH_TCP, 0 },
	{ "UDP over IPv6", in, 6, PATH_UDP, 0 },
	{ "ICMP and raw sockets, IPv6", in, 6, PATH_ICMP, 0 },
	{ "TCP", application, .of_sockets = BIT(tcp_accept) | BIT(tcp_send) },
	{ "UDP", application, .of_sockets = BIT(udp_send) },
	{ "ICMP and raw sockets", application, .of_sockets = BIT(raw_send) },
	{ "TCP", out, .of_sockets = BIT(tcp_transmit) },
	{ "UDP", out, .of_sockets = BIT(udp_transmit) },
	{ "ICMP and raw sockets", out, .of_sockets = BIT(raw_transmit) },
	{ "IPv4", out, 4, PATH_OUT | PATH_FORWARD, 0 },
	{ "IPv6", out, 6, PATH_OUT | PATH_FORWARD, 0 },
	{ "TCP", network, .of_sockets = BIT(tcp_rtt) | BIT(tcp_min_rtt) },
};
#define NR_STAGE_TABLES (sizeof(stage_tables) / sizeof(*stage_tables))

static bool is_in_table(const struct group *stage, size_t table)
{
	unsigned int ip_version = stage->from == FROM_STAMP ? 0 : stage_ip_version(stage->from);

	if (hooks[stage->hook].has & HAS_SPAN)
		return stage_tables[table].of_sockets >> stage->hook & 1;
	return !stage_tables[table].of_sockets && stage_tables[table].ip_version == ip_version &&
	       stage_tables[table].paths == hooks[stage->hook].paths;
}

size_t stage_table(const struct group *stage)
{
	size_t table = 0;

	while (table < NR_STAGE_TABLES - 1 && !is_in_table(stage, table))
		table++;
	return table;
}

const char *stage_table_name(size_t table)
{
	return stage_tables[table].name;
}

const char *stage_table_way(size_t table)
{
	return stage_tables[table].way;
}

bool stage_is_of_host(const struct group *stage)
{
	return stage_table_way(stage_table(stage)) != network;
}

/* The last hook that packets pass before they are read. */
static const char *hook_before_read(const struct report *report, enum hook read)
{
	enum hook before = stage_last_hook(report->setup->followed, read);

	return before < NR_HOOKS ? hooks[before].name : "";
}

/* "udp-socket-woken", from "udp-socket-read" */
static void name_of_reader(char name[STAGE_NAME_SIZE], enum hook read, const char *state)
{
	int length = (int)(strlen(hooks[read].name) - strlen("read"));

	snprintf(name, STAGE_NAME_SIZE, "%.*s%s", length, hooks[read].name, state);
}

static void name_part(struct stage_names *names, const struct report *report, enum hook read,
		      enum reader_part part)
{
	switch (part) {
	case PART_ASLEEP:
		strcpy(names->from, hook_before_read(report, read));
		name_of_reader(names->to, read, "woken");
		names->before = "asleep";
		break;
	case PART_READY:
		name_of_reader(names->from, read, "woken");
		name_of_reader(names->to, read, "running");
		names->before = "ready, no CPU";
		break;
	default:
		name_of_reader(names->from, read, "running");
		names->before = "on the CPU";
	}
}

/* The beginning of everything that a hook counts. */
static const char *begin_of_hook(enum hook hook)
{
	switch (hook) {
	case HOOK_tcp_accept:
		return "handshake";
	case HOOK_tcp_send:
	case HOOK_udp_send:
	case HOOK_raw_send:
		return "read";
	case HOOK_tcp_transmit:
	case HOOK_udp_transmit:
	case HOOK_raw_transmit:
		return "write";
	case HOOK_tcp_rtt:
	case HOOK_tcp_min_rtt:
		return "transmission";
	default:
		return "stamp";
	}
}

struct stage_names stage_names_of(const struct report *report, __u8 from, enum hook to)
{
	struct stage_names names = { .before = hooks[to].before };

	strcpy(names.to, hooks[to].name);
	if (from == FROM_STAMP)
		strcpy(names.from, begin_of_hook(to));
	else if (stage_from_hook(from) >= NR_HOOKS)
		name_part(&names, report, to, (enum reader_part)stage_from_hook(from));
	else
		strcpy(names.from, hooks[stage_from_hook(from)].name);
	if (report->setup->wakeups && hooks[to].has & HAS_READER && from != FROM_STAMP &&
	    stage_from_hook(from) < NR_HOOKS)
		names.before = "unknown reader";
	return names;
}
