/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of timely packets, for BPF programs. A third of a hook's cost is to find the packet's
 * group and to count there, and a verdict only needs the number of timely packets. So, in each
 * second, a probe counts the first ones, and then one in eight, at random, for eight. It counts all
 * that are late. Answers of upstreams (hooks/upstreams.bpf.h) are sampled in the same way.
 */
#ifndef NETSTACKLAT_SAMPLE_BPF_H
#define NETSTACKLAT_SAMPLE_BPF_H

#include "lib/bpf/path/hook.bpf.h"

/* A second is 2^30 ns here. */
#define SECOND_BITS 30
#define NR_COUNTED_ALL 1024
#define SAMPLE_BITS 3

/* Samples are of the packets of a probe, or of answers. */
#define SAMPLED_UPSTREAMS NR_PROBES

/* CPUs change these at once, so a few more or fewer may count as the first ones. */
static struct {
	__u32 second, nr;
} timely[NR_PROBES + 1];

static __always_inline bool with_samples(void)
{
	return WITH_STAGES && WITH_GROUPS && static_branch(BRANCH_SAMPLES);
}

static __always_inline bool is_timely(__u64 ns)
{
	return with_samples() && ns < config.timely_ns;
}

/* Returns whether a packet counts that took so long, up to now. */
static __always_inline bool sample_takes(__u32 of, __u64 ns, __u64 now_ns)
{
	__u32 second = now_ns >> SECOND_BITS;
	__u64 digits = now_ns * 0x9e3779b97f4a7c15ULL;

	if (!is_timely(ns))
		return true;
	if (timely[of].second != second) {
		timely[of].second = second;
		timely[of].nr = 0;
	}
	if (timely[of].nr <= NR_COUNTED_ALL)
		timely[of].nr++;
	if (timely[of].nr <= NR_COUNTED_ALL)
		return true;
	/* Packets may come at even times: mixed twice, their last digits are as good as random. */
	digits = (digits ^ digits >> 32) * 0xd6e8feb86659fd93ULL;
	return !(digits >> (64 - SAMPLE_BITS));
}

/*
 * Returns how many packets a packet counts for that was taken. It is found anew where it is needed:
 * kept meanwhile, it would not fit on the stack of all programs.
 */
static __always_inline __u32 sample_weight(__u32 of, __u64 ns)
{
	return is_timely(ns) && timely[of].nr > NR_COUNTED_ALL ? 1 << SAMPLE_BITS : 1;
}

#endif
