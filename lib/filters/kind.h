/* SPDX-License-Identifier: GPL-2.0 */
/* A kind of filter. Each kind has an entry, in a file of its own, and a line in filters.c. */
#ifndef NETSTACKLAT_FILTER_KIND_H
#define NETSTACKLAT_FILTER_KIND_H

#include "lib/filters/filters.h"

struct filter_kind {
	/* The name of its list's elements, and whether a text looks like one; NULL: if not empty.
	 */
	const char *expected;
	bool (*is_possible)(const char *element);

	/*
	 * Adds what an element means on this host. If the kind takes all elements together, adds
	 * the whole list. Returns 0 or, after saying why, a negative errno.
	 */
	int (*add)(struct filters *filters, const char *element);
	int (*find)(const struct filter_lists *lists, struct filters *filters);

	/*
	 * The map of values that pass, and the function that sets a single value instead. Either
	 * may be NULL.
	 */
	const char *map;
	size_t key_size;
	void (*set_only)(const void *key, struct filter_values *values);

	/* These are for maps that are no hashes of the keys: their size, and what to put there. */
	uint32_t map_size;
	int (*fill)(const struct filter_keys *keys, filter_put put, void *map);
};

extern const struct filter_kind filter_by_interface, filter_by_netns, filter_by_cgroup,
	filter_by_port, filter_by_pid, filter_by_comm, filter_by_sequence, filter_by_remote;

/* Adds a copy of a key; adding it twice does no harm. Returns 0 or, after saying so, -ENOMEM. */
int filter_add_key(struct filters *filters, enum filter filter, const void *key);

#endif
