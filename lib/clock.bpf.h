/* SPDX-License-Identifier: GPL-2.0 */
/* The wall clock that skb->tstamp is read from, for BPF programs. */
#ifndef NETSTACKLAT_CLOCK_BPF_H
#define NETSTACKLAT_CLOCK_BPF_H

/* TAI - CLOCK_REALTIME in ns, set by the loader. */
__s64 tai_offset_ns;

/*
 * CLOCK_REALTIME in ns. No helper reads it, for it may step; TAI (since Linux 6.1, c8996c98f703)
 * differs from it by an offset that changes only with leap seconds or by hand.
 */
static __always_inline __u64 clock_realtime_ns(void)
{
	return bpf_ktime_get_tai_ns() - tai_offset_ns;
}

#endif
