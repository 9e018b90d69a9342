/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's statistics of BPF programs: how often they run, and for how long. */
#ifndef NETSTACKLAT_STATISTICS_H
#define NETSTACKLAT_STATISTICS_H

/*
 * Has the kernel time each run of all BPF programs, until the returned file descriptor is closed,
 * at the latest when the process ends. Returns a negative errno after saying why it cannot.
 */
int statistics_enable(void);

#endif
