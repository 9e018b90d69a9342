// SPDX-License-Identifier: GPL-2.0
#include "clock.h"

#include <errno.h>
#include <sys/timex.h>
#include <time.h>

#define NS_PER_S 1000000000LL

int clock_tai_offset_ns(int64_t *offset_ns)
{
	struct timex state = { .modes = 0 };

	/* Success is a clock state, up to TIME_ERROR, which only means that nothing disciplines the
	 * clock. */
	if (adjtimex(&state) < 0)
		return -errno;

	*offset_ns = state.tai * NS_PER_S;
	return 0;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}
