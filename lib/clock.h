/* SPDX-License-Identifier: GPL-2.0 */
/* What user space knows of the kernel's clocks. */
#ifndef NETSTACKLAT_CLOCK_H
#define NETSTACKLAT_CLOCK_H

#include <stdint.h>

/*
 * TAI - CLOCK_REALTIME in ns, as the kernel's NTP state has it: 37 s since 2017, or 0 on hosts
 * where nobody (chronyd, ntpd, ptp4l) told the kernel. Returns 0 or a negative errno.
 */
int clock_tai_offset_ns(int64_t *offset_ns);

/* CLOCK_MONOTONIC in ns: for the length of intervals. */
uint64_t clock_monotonic_ns(void);

#endif
