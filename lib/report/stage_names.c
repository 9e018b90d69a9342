// SPDX-License-Identifier: GPL-2.0
#include "lib/report/stage_names.h"

#include <stdio.h>
#include <string.h>

#include "lib/counts/stages.h"

static const char in[] = "in", application[] = "application", out[] = "out", network[] = "network";

#define WAY(way) (1U << WAY_##way)

const struct stage_table stage_tables[] = {
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
	{ "TCP", application, 0, PATH_TCP, WAY(ACCEPT) | WAY(APPLICATION) },
	{ "UDP", application, 0, PATH_UDP, WAY(APPLICATION) },
	{ "ICMP and raw sockets", application, 0, PATH_ICMP, WAY(APPLICATION) },
	{ "TCP", out, 0, PATH_TCP, WAY(OUT) },
	{ "UDP", out, 0, PATH_UDP, WAY(OUT) },
	{ "ICMP and raw sockets", out, 0, PATH_ICMP, WAY(OUT) },
	{ "IPv4", out, 4, PATH_OUT | PATH_FORWARD, 0 },
	{ "IPv6", out, 6, PATH_OUT | PATH_FORWARD, 0 },
	{ "TCP", network, 0, PATH_TCP, WAY(NETWORK) | WAY(AGAIN) },
};
#define NR_STAGE_TABLES (sizeof(stage_tables) / sizeof(*stage_tables))

static bool is_in_table(const struct group *stage, const struct stage_table *table)
{
	unsigned int ip_version = stage->from == FROM_STAMP ? 0 : stage_ip_version(stage->from);
	const struct socket_span *span = &socket_spans[stage->hook];

	if (span->way != WAY_NONE)
		return table->of_sockets >> span->way & 1 && table->paths == span->paths;
	return !table->of_sockets && table->ip_version == ip_version &&
	       table->paths == hooks[stage->hook].paths;
}

const struct stage_table *stage_table(const struct group *stage)
{
	const struct stage_table *table = stage_tables;

	while (table < stage_tables + NR_STAGE_TABLES - 1 && !is_in_table(stage, table))
		table++;
	return table;
}

bool stage_is_of_host(const struct group *stage)
{
	return stage_table(stage)->way != network;
}

/* The last hook that packets pass before they are read. */
static const char *hook_before_read(const struct report *report, enum hook read)
{
	enum hook before = stage_last_hook(report->setup->plan.followed, read);

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

struct stage_names stage_names_of(const struct report *report, __u8 from, enum hook to)
{
	struct stage_names names = { .before = hooks[to].before };
	const struct socket_span *span = &socket_spans[to];

	strcpy(names.to, hooks[to].name);
	if (from == FROM_STAMP)
		strcpy(names.from, span->way == WAY_NONE ? "stamp" : span->begins);
	else if (stage_from_hook(from) >= NR_HOOKS)
		name_part(&names, report, to, (enum reader_part)stage_from_hook(from));
	else
		strcpy(names.from, hooks[stage_from_hook(from)].name);
	if (report->setup->plan.wakeups && hooks[to].has & HAS_READER && from != FROM_STAMP &&
	    stage_from_hook(from) < NR_HOOKS)
		names.before = "unknown reader";
	return names;
}
