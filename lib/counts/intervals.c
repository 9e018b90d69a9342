// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/intervals.h"

void intervals_init(struct intervals *intervals, unsigned int resolution)
{
	snapshot_init(&intervals->earlier, resolution);
	snapshot_init(&intervals->reading, resolution);
	snapshot_init(&intervals->interval, resolution);
	snapshot_init(&intervals->total, resolution);
	intervals->started_ns = 0;
	intervals->duration_ns = 0;
}

void intervals_free(struct intervals *intervals)
{
	snapshot_free(&intervals->earlier);
	snapshot_free(&intervals->reading);
	snapshot_free(&intervals->interval);
	snapshot_free(&intervals->total);
}

/* What was read becomes what is subtracted next; its memory serves the next reading. */
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

int intervals_advance(struct intervals *intervals, const struct clock_spoilt *spoilt,
		      const struct group *groups)
{
	int err = snapshot_copy(&intervals->interval, &intervals->reading);

	if (err)
		return err;
	snapshot_subtract(&intervals->interval, &intervals->earlier);
	snapshot_discard_spoilt(&intervals->interval, spoilt, groups);
	intervals->duration_ns = intervals->reading.taken_ns - intervals->earlier.taken_ns;
	err = snapshot_add(&intervals->total, &intervals->interval);
	keep_reading(intervals);
	return err;
}

uint64_t intervals_total_ns(const struct intervals *intervals)
{
	return intervals->earlier.taken_ns - intervals->started_ns;
}
