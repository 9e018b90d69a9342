/* SPDX-License-Identifier: GPL-2.0 */
/* The time for which a hypervisor ran something else on this machine's CPUs. */
#ifndef NETSTACKLAT_STEAL_H
#define NETSTACKLAT_STEAL_H

#include <stdint.h>
#include <stdio.h>

/* It is summed over all CPUs, in ns since boot; 0 if nobody tells. */
uint64_t steal_ns(void);

/* The same from a file like /proc/stat, which counts it in so many ticks a second. */
uint64_t steal_parse(FILE *file, long ticks_per_s);

#endif
