/* SPDX-License-Identifier: GPL-2.0 */
/* Why CPUs were late to receive, as the programs write and user space reads it. */
#ifndef NETSTACKLAT_SOFTIRQ_WAIT_H
#define NETSTACKLAT_SOFTIRQ_WAIT_H

#include "lib/tables/slow_packet.h"

/*
 * Map netstack_softirq_waits, by CPU: of the time that NET_RX took longest to run, since it was
 * raised, which task ran longest meanwhile, and for how long of it.
 */
struct softirq_wait {
	__u64 wait_ns;
	struct slow_other other; /* without a tid, no task ran */
	__u32 by_ksoftirqd;	 /* whether ksoftirqd ran it at last, or what it had interrupted */
	__u32 unused;
};
#define NR_SOFTIRQ_WAITS 1024

#endif
