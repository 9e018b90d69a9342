// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void intervals_init(struct intervals *intervals, unsigned int resolution)
{
	snapshot_init(&intervals->earlier, resolution);
	snapshot_init(&intervals->reading, resolution);
	snapshot_init(&intervals->interval, resolution);
	snapshot_init(&intervals->total, resolution);
	intervals->started_ns = 0;
	intervals->duration_ns = 0;
	intervals->seen_ns = NULL;
	intervals->nr_seen = 0;
}

void intervals_free(struct intervals *intervals)
{
	snapshot_free(&intervals->earlier);
	snapshot_free(&intervals->reading);
	snapshot_free(&intervals->interval);
	snapshot_free(&intervals->total);
	free(intervals->seen_ns);
}

/*
 * This reading becomes the one that is subtracted next. The old one's memory serves the next
 * reading.
 */
static void keep_reading(struct intervals *intervals)
{
	struct snapshot spare = intervals->earlier;

	intervals->earlier = intervals->reading;
	intervals->reading = spare;
}

void intervals_start(struct intervals *intervals)
{
	intervals->started_ns = intervals->reading.taken_ns;
	keep_reading(intervals);
}

uint64_t intervals_started_ns(const struct intervals *intervals)
{
	return intervals->earlier.taken_ns;
}

int intervals_advance(struct intervals *intervals, const struct clock_invalidated *invalidated,
		      const struct group *groups)
{
	int err = snapshot_copy(&intervals->interval, &intervals->reading);

	if (err)
		return err;
	snapshot_subtract(&intervals->interval, &intervals->earlier);
	snapshot_discard_invalidated(&intervals->interval, invalidated, groups);
	intervals->duration_ns = intervals->reading.taken_ns - intervals->earlier.taken_ns;
	err = snapshot_add(&intervals->total, &intervals->interval);
	keep_reading(intervals);
	return err;
}

/* Makes room for new groups. Returns 0 or -ENOMEM. */
static int make_room(struct intervals *intervals, size_t nr)
{
	uint64_t *seen_ns = intervals->seen_ns;

	if (nr <= intervals->nr_seen)
		return 0;
	seen_ns = reallocarray(seen_ns, nr, sizeof(*seen_ns));
	if (!seen_ns)
		return -ENOMEM;
	memset(seen_ns + intervals->nr_seen, 0, (nr - intervals->nr_seen) * sizeof(*seen_ns));
	intervals->seen_ns = seen_ns;
	intervals->nr_seen = nr;
	return 0;
}

static uint64_t count_of(const struct group_counts *counts, size_t group)
{
	return group < counts->nr ? buckets_count(group_buckets(counts, group), counts->nr_buckets)
				  : 0;
}

static int move_counts(struct group_counts *counts, size_t from, size_t to)
{
	int err = group_counts_resize(counts, to + 1, counts->nr_buckets);

	if (err || from == to)
		return err;
	buckets_add(group_buckets(counts, to), group_buckets(counts, from), counts->nr_buckets);
	memset(group_buckets(counts, from), 0, counts->nr_buckets * sizeof(struct bucket));
	return 0;
}

int intervals_forget(struct intervals *intervals, uint64_t after_ns,
		     int (*find_other)(void *context, size_t group, size_t *other), void *context)
{
	struct group_counts *total = &intervals->total.groups;
	uint64_t now_ns = intervals_started_ns(intervals);
	size_t nr = total->nr, other;
	int err = make_room(intervals, nr);

	for (size_t group = 0; group < nr && !err; group++) {
		if (count_of(&intervals->interval.groups, group))
			intervals->seen_ns[group] = now_ns;
		if (now_ns - intervals->seen_ns[group] < after_ns || !count_of(total, group))
			continue;
		err = find_other(context, group, &other);
		if (!err)
			err = move_counts(total, group, other);
	}
	return err;
}

bool intervals_have_forgotten(const struct intervals *intervals, size_t group, uint64_t count)
{
	return !count_of(&intervals->total.groups, group) &&
	       count_of(&intervals->earlier.groups, group) == count;
}

uint64_t intervals_total_ns(const struct intervals *intervals)
{
	return intervals->earlier.taken_ns - intervals->started_ns;
}
