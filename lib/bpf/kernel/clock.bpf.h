/* SPDX-License-Identifier: GPL-2.0 */
/* The wall clock that skb->tstamp is read from, for BPF programs. */
#ifndef NETSTACKLAT_CLOCK_BPF_H
#define NETSTACKLAT_CLOCK_BPF_H

#include "lib/bpf/kernel/features.bpf.h"

/*
 * The clock that is read here is so far ahead of CLOCK_REALTIME; the loader keeps it right, or, for
 * ebpf_exporter, the programs themselves do.
 */
__s64 clock_offset_ns;

/*
 * No helper reads CLOCK_REALTIME, for it may step. TAI differs from it by an offset that changes
 * only with leap seconds or by hand; the monotonic clock, by one that also changes when the clock
 * is set. The verifier drops the call that this kernel lacks. Stages need a clock that is never
 * set, and two readings would take longer than one. ebpf_exporter's programs need TAI, and do
 * not load without (lib/bpf/exporter/offset.bpf.h).
 */
static __always_inline __u64 clock_ns(void)
{
	if (!WITH_STAGES && bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_ktime_get_tai_ns))
		return bpf_ktime_get_tai_ns();
	return bpf_ktime_get_ns();
}

#endif
