/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's clocks, as user space knows them. */
#ifndef NETSTACKLAT_CLOCK_H
#define NETSTACKLAT_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Returns how far a clock is ahead of CLOCK_REALTIME, in ns. For CLOCK_TAI that is what the
 * kernel's NTP state says: 37 s since 2017, or 0 on hosts where nobody (chronyd, ntpd, ptp4l) told
 * the kernel. Any other clock is compared, to less than a microsecond: CLOCK_MONOTONIC as the
 * kernel reads it, whatever our time namespace makes of it. Returns 0 or a negative errno.
 */
int clock_offset_ns(clockid_t clock, int64_t *offset_ns);

/* Two comparisons of clocks that nobody set differ by less than this. */
#define CLOCK_ERROR_NS 1000

/*
 * The offsets between the clocks, all in ns. Setting the wall clock or the TAI offset moves these;
 * slewing (NTP) does not, as it turns all clocks alike, nor does suspending the machine.
 */
struct clock_offsets {
	int64_t wall_ns; /* CLOCK_REALTIME - CLOCK_BOOTTIME, to less than a microsecond */
	int64_t tai_ns;	 /* CLOCK_TAI - CLOCK_REALTIME */
};

/* Returns 0 or a negative errno. */
int clock_read_offsets(struct clock_offsets *offsets);

/* CLOCK_MONOTONIC in ns: for the length of intervals. */
uint64_t clock_monotonic_ns(void);

/* Returns the length of one of the kernel's jiffies, in ns. */
uint32_t clock_tick_ns(void);

/*
 * Returns how long this thread has had a CPU, in ns: for bounds that no other task's load decides.
 */
uint64_t clock_thread_ns(void);

/* Returns how long all threads of this process together have had one. */
uint64_t clock_process_ns(void);

/* The same as the kernel, and programs in it, read it, whatever our time namespace makes of it. */
uint64_t clock_kernel_ns(void);

#endif
