// SPDX-License-Identifier: GPL-2.0
#include "lib/base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <sys/timex.h>

#include "lib/tables/units.h"

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int tai_offset_ns(int64_t *offset_ns)
{
	struct timex state = { .modes = 0 };

	/*
	 * Success is a clock state, up to TIME_ERROR, which only means that nothing disciplines
	 * the clock.
	 */
	if (adjtimex(&state) < 0)
		return -errno;
	*offset_ns = state.tai * NS_PER_S;
	return 0;
}

/* The best of some tries: the one in which the least time passed between two readings of clock. */
static int64_t compare_with_realtime(clockid_t clock)
{
	int64_t best_ns = INT64_MAX, offset_ns = 0;

	for (int i = 0; i < 20; i++) {
		int64_t before_ns = now_ns(clock);
		int64_t realtime_ns = now_ns(CLOCK_REALTIME);
		int64_t took_ns = now_ns(clock) - before_ns;

		if (took_ns < best_ns) {
			best_ns = took_ns;
			offset_ns = before_ns + took_ns / 2 - realtime_ns;
		}
	}
	return offset_ns;
}

/*
 * Returns how far CLOCK_MONOTONIC is ahead in our time namespace of what the kernel itself, and
 * programs in it, read (Linux 5.6, 769071ac9f20). Lines of "monotonic SECONDS NANOSECONDS"; none
 * without /proc.
 */
static int64_t time_namespace_ns(void)
{
	FILE *offsets = fopen("/proc/self/timens_offsets", "re");
	long long seconds = 0, nanoseconds = 0;
	char line[128];

	while (offsets && fgets(line, sizeof(line), offsets))
		if (sscanf(line, "monotonic %lld %lld", &seconds, &nanoseconds) == 2)
			break;
	if (offsets)
		fclose(offsets);
	return seconds * NS_PER_S + nanoseconds;
}

int clock_offset_ns(clockid_t clock, int64_t *offset_ns)
{
	if (clock == CLOCK_TAI)
		return tai_offset_ns(offset_ns);
	*offset_ns = compare_with_realtime(clock);
	if (clock == CLOCK_MONOTONIC)
		*offset_ns -= time_namespace_ns();
	return 0;
}

int clock_read_offsets(struct clock_offsets *offsets)
{
	offsets->wall_ns = -compare_with_realtime(CLOCK_BOOTTIME);
	return tai_offset_ns(&offsets->tai_ns);
}

uint32_t clock_tick_ns(void)
{
	struct timespec tick;

	/* It goes on with each of them. */
	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) ? 0 : tick.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void)
{
	return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_process_ns(void)
{
	return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_kernel_ns(void)
{
	return now_ns(CLOCK_MONOTONIC) - time_namespace_ns();
}
