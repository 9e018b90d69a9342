/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members of an skb that are kept from a function's entry to its return, when the skb may be freed.
 */
#ifndef NETSTACKLAT_KEPT_BPF_H
#define NETSTACKLAT_KEPT_BPF_H

#include "lib/bpf/path/packet.bpf.h"
#include "lib/bpf/kernel/per_cpu.bpf.h"

/*
 * One for each CPU is enough. For IP sockets, these functions run in softirq, which does not
 * interrupt itself, except on PREEMPT_RT (Linux 6.18, 3253cb49cbad). A softirq may interrupt the
 * process context in which other sockets queue (QRTR, Bluetooth), even within the program at entry.
 */
PER_CPU_VALUE(1, packets_at_entry, struct kept_packet);

/* Before; last is for stages. */
static __always_inline int keep_packet(struct sk_buff *skb, __u64 stamp_ns, __u64 last)
{
	struct kept_packet *kept = per_cpu_value(&packets_at_entry);

	if (!kept)
		return 0;
	kept->skb = skb;
	kept->stamp_ns = stamp_ns;
	if (WITH_STAGES)
		kept->last = last;
		/* Members that filters and groups need at return. */
#define KEPT(id, type, member, value)              \
	if (static_branch(BRANCH_KEPT(KEPT_##id))) \
		kept->member = value;
#include "lib/tables/kept.def"
	return 0;
}

/*
 * Finds it at return. Returns NULL if the kernel skipped the program at entry, or another packet
 * came in between.
 */
static __always_inline const struct kept_packet *release_packet(const struct sk_buff *skb)
{
	struct kept_packet *kept = per_cpu_value(&packets_at_entry);

	if (!kept || kept->skb != skb)
		return NULL;
	/* The next skb may have the same address. */
	kept->skb = NULL;
	return kept;
}

#endif
