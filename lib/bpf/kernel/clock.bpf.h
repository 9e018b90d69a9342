/* SPDX-License-Identifier: GPL-2.0 */
/* The wall clock that skb->tstamp is read from, for BPF programs. */
#ifndef NETSTACKLAT_CLOCK_BPF_H
#define NETSTACKLAT_CLOCK_BPF_H

#include "lib/bpf/kernel/features.bpf.h"

/*
 * The clock that is read here is ahead of CLOCK_REALTIME by this. The loader keeps it right; for
 * ebpf_exporter, the programs do.
 */
__s64 clock_offset_ns;

/*
 * No helper reads CLOCK_REALTIME, as it may step. TAI differs from it by an offset that changes
 * only with leap seconds or by hand. The monotonic clock differs by one that also changes when the
 * clock is set. The verifier drops the call that this kernel lacks. Stages need a clock that is
 * never set, and one reading takes less than two. ebpf_exporter's programs need TAI, and do not
 * load without it (lib/bpf/exporter/offset.bpf.h).
 */
static __always_inline __u64 clock_ns(void)
{
	if (!WITH_STAGES && bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_ktime_get_tai_ns))
		return bpf_ktime_get_tai_ns();
	return bpf_ktime_get_ns();
}

#endif
