/* SPDX-License-Identifier: GPL-2.0 */
/* The receive stamp of a packet, for BPF programs: where it is, and what else may be there. */
#ifndef NETSTACKLAT_STAMP_BPF_H
#define NETSTACKLAT_STAMP_BPF_H

#include "lib/tables/units.h"

/* Returns whether skb->tstamp is known to be a transmit time, in a clock of its own. */
static __always_inline bool stamp_is_for_tx(struct sk_buff *skb)
{
	struct sk_buff___5_18 *older = (void *)skb;

	if (bpf_core_field_exists(skb->tstamp_type))
		return BPF_CORE_READ_BITFIELD(skb, tstamp_type);
	if (bpf_core_field_exists(older->mono_delivery_time))
		return BPF_CORE_READ_BITFIELD(older, mono_delivery_time);
	return false;
}

/*
 * Returns whether skb->tstamp is known to be a receive stamp. Before Linux 5.18, it may always be
 * either.
 */
static __always_inline bool stamp_is_for_rx(struct sk_buff *skb)
{
	struct sk_buff___5_18 *older = (void *)skb;

	return (bpf_core_field_exists(skb->tstamp_type) ||
		bpf_core_field_exists(older->mono_delivery_time)) &&
	       skb->tstamp && !stamp_is_for_tx(skb);
}

/* The stamp of the last skb that tcp_recvmsg() read from, which may be freed by then. */
static __always_inline __u64 stamp_of_tcp_read(struct scm_timestamping_internal *tss)
{
	struct scm_timestamping_internal___ktime *newer = (void *)tss;

	/* Three struct timespec64 became three ktime_t between Linux 6.12 and 7.2. */
	if (bpf_core_field_exists(tss->ts[0].tv_sec))
		return tss->ts[0].tv_sec * NS_PER_S + tss->ts[0].tv_nsec;
	return newer->ts[0];
}

#endif
