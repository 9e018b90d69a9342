// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/dropped_ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool was_dropped_for(const struct report *report, const struct report_group *group,
			    const char *reason)
{
	const char *name = reason_names_find(report->setup->reasons, group->group->key.reason);

	return name && !strcmp(name, reason);
}

/* traceroute, tracepath and mtr send to ports from 33434, 44444 and 33000 on, or ICMP. */
#define MIN_PORT_OF_PROBES 32768

/*
 * Returns whether nobody misses a packet there: it traces the way to a host, and is meant to come
 * no further; or a listener had no room for it, see DROP_NO_SOCKET.
 */
static bool is_unmissed(const struct group_key *key, const char *reason)
{
	if (!strcmp(reason, DROP_IN_CIRCLE))
		return !key->port || key->port >= MIN_PORT_OF_PROBES;
	return !key->ifindex && !strcmp(reason, DROP_NO_SOCKET);
}

static int compare_ports(const struct dropped_port *x, const struct dropped_port *y)
{
	if (x->netns != y->netns)
		return x->netns < y->netns ? -1 : 1;
	return (int)x->port - y->port;
}

/* The largest group of a port is its first. */
static int compare(const void *a, const void *b)
{
	const struct dropped_port *x = a, *y = b;
	int ports = compare_ports(x, y);

	return ports ? ports : (x->count < y->count) - (x->count > y->count);
}

/* Groups are put in order first, as there may be one for each port of all. */
static void merge_same(struct dropped_ports *dropped)
{
	size_t nr = 0;

	if (dropped->nr)
		qsort(dropped->ports, dropped->nr, sizeof(*dropped->ports), compare);
	for (size_t i = 0; i < dropped->nr; i++) {
		if (nr && !compare_ports(&dropped->ports[nr - 1], &dropped->ports[i]))
			dropped->ports[nr - 1].count += dropped->ports[i].count;
		else
			dropped->ports[nr++] = dropped->ports[i];
	}
	dropped->nr = nr;
}

int dropped_ports_make(struct dropped_ports *dropped, const struct report *report,
		       const char *reason)
{
	const struct report_group *groups;
	size_t nr = report_groups(report, HOOK_drop, &groups);

	*dropped = (struct dropped_ports){ .ports = calloc(nr + 1, sizeof(*dropped->ports)) };
	if (!dropped->ports)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct group_key *key = &groups[i].group->key;

		if (!was_dropped_for(report, &groups[i], reason))
			continue;
		if (is_unmissed(key, reason))
			dropped->unmissed += groups[i].count;
		else
			dropped->ports[dropped->nr++] =
				(struct dropped_port){ &groups[i], key->netns, key->port,
						       groups[i].count };
	}
	merge_same(dropped);
	return 0;
}

int dropped_ports_make_one(struct dropped_ports *dropped, const struct place *at, uint64_t count)
{
	*dropped = (struct dropped_ports){ .ports = malloc(sizeof(*dropped->ports)), .nr = 1 };
	if (!dropped->ports)
		return -ENOMEM;
	*dropped->ports = (struct dropped_port){ NULL, at->netns, at->port, count };
	return 0;
}

void dropped_ports_free(struct dropped_ports *dropped)
{
	free(dropped->ports);
	*dropped = (struct dropped_ports){ 0 };
}

const struct dropped_port *dropped_ports_most(const struct dropped_ports *dropped)
{
	const struct dropped_port *most = NULL;

	for (size_t i = 0; i < dropped->nr; i++)
		if (!most || dropped->ports[i].count > most->count)
			most = &dropped->ports[i];
	return most;
}

uint64_t dropped_ports_most_count(const struct dropped_ports *dropped)
{
	const struct dropped_port *most = dropped_ports_most(dropped);

	return most ? most->count : 0;
}

uint64_t dropped_ports_in_netns(const struct dropped_ports *dropped, uint64_t netns)
{
	uint64_t in_netns = 0;

	for (size_t i = 0; i < dropped->nr; i++)
		if (dropped->ports[i].netns == netns)
			in_netns += dropped->ports[i].count;
	return in_netns;
}

uint64_t dropped_ports_elsewhere(const struct dropped_ports *dropped, const struct place *service)
{
	uint64_t elsewhere = 0;

	for (size_t i = 0; i < dropped->nr; i++) {
		const struct dropped_port *at = &dropped->ports[i];

		if (service->port && at->port && at->port != service->port &&
		    at->netns == service->netns)
			elsewhere += at->count;
	}
	return elsewhere;
}
