/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at things of this host that others may make in any number, such as cgroups and threads:
 * each look has an end, as whoever takes it has more to do.
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

#endif
