/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes what was counted in intervals out of readings of counters that only grow. Pure functions.
 */
#ifndef NETSTACKLAT_INTERVALS_H
#define NETSTACKLAT_INTERVALS_H

#include "lib/counts/snapshot.h"

struct intervals {
	struct snapshot earlier;  /* the reading at the end of the last interval */
	struct snapshot reading;  /* to be filled in with the next one */
	struct snapshot interval; /* what was counted in the last interval ... */
	struct snapshot total;	  /* ... and in all of them */
	uint64_t started_ns;	  /* CLOCK_MONOTONIC, as all times here */
	uint64_t duration_ns;	  /* of the last interval */
	/* When each group was seen last, for intervals_forget(). */
	uint64_t *seen_ns;
	size_t nr_seen;
};

/*
 * Begins without any interval. The caller frees it with intervals_free(), which accepts { 0 }, too.
 */
void intervals_init(struct intervals *intervals, unsigned int resolution);
void intervals_free(struct intervals *intervals);

/* Begins the first interval at intervals->reading, whose counts are left out of all intervals. */
void intervals_start(struct intervals *intervals);

/* When the interval that is not over yet began. */
uint64_t intervals_started_ns(const struct intervals *intervals);

/*
 * Ends an interval at intervals->reading, and begins the next. What a step of the clock has
 * invalidated of it is discarded, see snapshot_discard_invalidated(). Returns 0 or -ENOMEM.
 */
int intervals_advance(struct intervals *intervals, const struct clock_invalidated *invalidated,
		      const struct group *groups);

/*
 * Call this after each interval. Moves what a group has in the total to another one, once it was
 * not seen for after_ns: so it is forgotten, but its counts are not, and if it comes again, it
 * starts anew. find_other gives the number of the other group, which may be new, and is the same
 * for itself. Returns 0, -ENOMEM or what find_other returned.
 */
int intervals_forget(struct intervals *intervals, uint64_t after_ns,
		     int (*find_other)(void *context, size_t group, size_t *other), void *context);

/*
 * Returns whether a group's number may be given to another group. count is what the group has
 * counted by now; the group was forgotten, and the current interval has none of it.
 */
bool intervals_have_forgotten(const struct intervals *intervals, size_t group, uint64_t count);

/* Returns how long all intervals took, in ns. */
uint64_t intervals_total_ns(const struct intervals *intervals);

#endif
