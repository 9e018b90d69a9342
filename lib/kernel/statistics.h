/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's statistics of BPF programs: how often they run, and for how long. */
#ifndef NETSTACKLAT_STATISTICS_H
#define NETSTACKLAT_STATISTICS_H

/*
 * Has the kernel time each run of all BPF programs until the file descriptor that this returns is
 * closed, which it is at the latest when the process ends. Or returns a negative errno, after
 * saying why.
 */
int statistics_enable(void);

#endif
