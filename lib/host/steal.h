/* SPDX-License-Identifier: GPL-2.0 */
/* The time for which a hypervisor ran something else on this machine's CPUs. */
#ifndef NETSTACKLAT_STEAL_H
#define NETSTACKLAT_STEAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Sums it over all CPUs, in ns since boot; 0 also if the hypervisor does not tell. Returns false if
 * the kernel does not. */
bool steal_read(uint64_t *ns);

/* The same from a file like /proc/stat, which counts it in so many ticks a second. */
bool steal_parse(FILE *file, long ticks_per_s, uint64_t *ns);

#endif
