/* SPDX-License-Identifier: GPL-2.0 */
/* Why CPUs were late to receive, as the programs write and user space reads it. */
#ifndef NETSTACKLAT_SOFTIRQ_WAIT_H
#define NETSTACKLAT_SOFTIRQ_WAIT_H

#include "lib/tables/slow_packet.h"

/*
 * Map netstack_softirq_waits, by CPU: the longest time that NET_RX took to run since it was raised,
 * which task ran longest meanwhile, and for how long. It may also be the longest time that a
 * polling thread (threaded NAPI) took since it was woken.
 */
struct softirq_wait {
	__u64 wait_ns;
	struct slow_other other; /* without a tid, no task ran */
	/* The kernel's thread that should have received, and waited for this CPU; empty: none. */
	char thread[COMM_SIZE];
};
#define NR_SOFTIRQ_WAITS 1024

#endif
