/* SPDX-License-Identifier: GPL-2.0 */
/* Which packets to measure: what users call things, and what the kernel does. */
#ifndef NETSTACKLAT_FILTERS_H
#define NETSTACKLAT_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../netstacklat.h"

/* As on the command line: lists separated by commas; NULL for those that are not filtered by. */
struct filter_lists {
	const char *lists[NR_FACTS];
	bool ipv4, ipv6;
	bool has_min_queue_length;
	uint32_t min_queue_length;
};

/* In ascending order. */
struct numbers {
	uint64_t *values;
	size_t nr;
};

/* Interfaces, by index, of one network namespace. */
struct netns_interfaces {
	uint64_t netns; /* as netns.h has it */
	struct numbers indexes;
};

struct filters {
	unsigned int
		facts; /* to filter by, a bit each; a filter by interface is one by netns, too */
	struct numbers ports, pids, cgroups;
	struct netns_interfaces *netns;
	size_t nr_netns;
	char (*comms)[COMM_SIZE];
	size_t nr_comms;
	uint32_t min_queue_length;
	uint8_t ip_version;
};

/*
 * Says what is wrong with a list by its looks alone, or returns NULL: "a port from 1 to 65535" is
 * what was expected where *element, of the list, is.
 */
const char *filters_expected(enum fact fact, const char *list, char *element);

/* The facts to filter by, a bit each. */
unsigned int filter_lists_facts(const struct filter_lists *lists);

/* The first of these facts that is not known at a hook, or NR_FACTS. */
enum fact filter_unknown_at(enum hook hook, unsigned int facts);

/*
 * Looks up names. Interfaces are those of the namespaces that are filtered by or, if there is no
 * such filter, of our own. Reports on stderr what cannot be found. Returns 0 or a negative errno.
 */
int filters_find(const struct filter_lists *lists, struct filters *filters);
void filters_free(struct filters *filters);

#endif
