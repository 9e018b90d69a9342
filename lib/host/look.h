/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at things of this host that others may make in any number, such as cgroups and threads.
 * Each look has an end, so that the process can do its other work.
 */
#ifndef NETSTACKLAT_LOOK_H
#define NETSTACKLAT_LOOK_H

#include <stdbool.h>

#include "lib/base/clock.h"
#include "lib/tables/units.h"

#define MAX_LOOKED_AT 32768
#define MAX_LOOK_NS (500 * NS_PER_MS) /* of CPU */

struct look {
	unsigned int nr;   /* that were looked at */
	uint64_t until_ns; /* by clock_thread_ns() */
};

static inline struct look look_begin(void)
{
	return (struct look){ .until_ns = clock_thread_ns() + MAX_LOOK_NS };
}

static inline bool look_has_ended(const struct look *look)
{
	return look->nr >= MAX_LOOKED_AT || clock_thread_ns() > look->until_ns;
}

/* Looks of one kind may take a tenth of all time, and so much of that can be saved up. */
#define LOOK_TIME_SHARE 10
#define MAX_LOOK_TIME_NS ((int64_t)NS_PER_S)

struct look_time {
	int64_t left_ns;
	uint64_t counted_ns; /* until when, by clock_monotonic_ns(); 0: not begun */
};

/* Returns whether there is time for a look now. */
static inline bool look_has_time(struct look_time *time, uint64_t now_ns)
{
	uint64_t more_ns = (now_ns - time->counted_ns) / LOOK_TIME_SHARE;

	if (more_ns > (uint64_t)(MAX_LOOK_TIME_NS - time->left_ns))
		time->left_ns = MAX_LOOK_TIME_NS;
	else
		time->left_ns += (int64_t)more_ns;
	time->counted_ns = now_ns;
	return time->left_ns > 0;
}

/* Call this after it. */
static inline void look_took_time(struct look_time *time, uint64_t since_ns)
{
	time->left_ns -= (int64_t)(clock_monotonic_ns() - since_ns);
}

#endif
