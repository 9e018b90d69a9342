/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms over time: a column for each interval, and a panel for each thing that has a
 * histogram. When there are too many columns, one of two things happens. Either the oldest column
 * makes room for the newest, and for a new panel, the panel that was empty for longest, if there is
 * one. Or the columns go on to cover all of the time: each two become one, and from there on a
 * column has twice as many intervals. A panel too many is left out. Pure functions.
 */
#ifndef NETSTACKLAT_TIMELINE_H
#define NETSTACKLAT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/counts/histogram.h"

struct timeline;

struct timeline_column {
	uint64_t time_ns;     /* wall clock at its end, since 1970 */
	uint64_t duration_ns; /* that it covers */
	bool clock_changed;
	bool is_gap; /* covers more than one interval */
};

/* The name of a panel; all of this together tells it from others. */
struct timeline_name {
	unsigned int view;  /* panels of one view are shown together, if they are ... */
	unsigned int split; /* ... split alike, ... */
	unsigned int rank;  /* ... or listed in this order */
	const char *section, *label;
};

enum timeline_keeps { KEEPS_LATEST, KEEPS_ALL };

/* Columns are an even number. NULL without memory. */
struct timeline *timeline_new(enum timeline_keeps keeps, unsigned int resolution,
			      size_t max_columns, size_t max_panels);
void timeline_free(struct timeline *timeline);

/* Begins an interval: a new column without counts, or one more in the newest column. Returns 0 or
 * -ENOMEM. */
int timeline_begin_column(struct timeline *timeline, const struct timeline_column *column);

/* Makes the newest column longer, by what is no interval of its own. */
void timeline_extend_column(struct timeline *timeline, const struct timeline_column *column);

/*
 * Adds counts to a panel in the newest column: as many buckets as a histogram of this resolution
 * has. Without samples, there need be no such panel. Returns 0 or -ENOMEM.
 */
int timeline_add(struct timeline *timeline, const struct timeline_name *name,
		 const struct bucket *buckets);

/*
 * Return how many there are, and what they are. Ages count columns back from the newest, which has
 * 0.
 */
size_t timeline_nr_columns(const struct timeline *timeline);
size_t timeline_nr_panels(const struct timeline *timeline);
unsigned int timeline_resolution(const struct timeline *timeline);

/* Returns how many samples were left out, in panels for which there was no room. */
uint64_t timeline_nr_left_out(const struct timeline *timeline);
const struct timeline_column *timeline_column_at(const struct timeline *timeline, size_t age);
const struct timeline_name *timeline_name_of(const struct timeline *timeline, size_t panel);

/* Sorts numbers of panels by rank, and then by name. */
void timeline_sort_panels(const struct timeline *timeline, size_t *panels, size_t nr);

/* Adds what a panel has in a column to a histogram of this resolution. Returns whether it has any.
 */
bool timeline_latency(const struct timeline *timeline, size_t panel, size_t age,
		      struct histogram *latency);

#endif
