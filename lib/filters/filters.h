/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters, which say what packets to measure: the names that users give, and the numbers that
 * programs compare with.
 */
#ifndef NETSTACKLAT_FILTERS_H
#define NETSTACKLAT_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/tables/plan.h"

/* The lists of the command line, separated by commas; NULL for filters that are not used. */
struct filter_lists {
	const char *lists[NR_FILTERS];
	bool ipv4, ipv6;
	uint32_t min_queue_length; /* 0: none */
};

/*
 * Looks for mistakes in a list's form. Returns NULL, or what was expected ("ports from 1 to 65535")
 * instead of an element, which is copied to *element.
 */
const char *filters_expected(enum filter filter, const char *list, char *element);

/* The filters that are in use, a bit each. */
unsigned int filter_lists_active(const struct filter_lists *lists);

/* Returns the first of these filters (a bit each) that a hook cannot apply, or NR_FILTERS. */
enum filter filter_unknown_at(enum hook hook, unsigned int by);

/*
 * Looks up names. Interfaces are looked up in the namespaces that are filtered by or, if there is
 * no such filter, in our own. Says on stderr what cannot be found. Returns 0 or a negative errno.
 */
int filters_find(const struct filter_lists *lists, struct filters *filters);
void filters_free(struct filters *filters);

/* The values with which the programs compare, but for the maps. */
struct filter_values filters_values(const struct filters *filters);

/* Returns the map of a filter, and sets how many entries it needs; 0 if the map is not needed. */
const char *filter_map(enum filter filter);
uint32_t filter_map_size(const struct filters *filters, enum filter filter);

/* Calls put() with each entry that a map is to hold. Returns 0 or what put() returned. */
typedef int (*filter_put)(void *map, const void *key, const void *value);
int filter_map_fill(const struct filters *filters, enum filter filter, filter_put put, void *map);

#endif
