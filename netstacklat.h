/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs and user space agree on, and nothing else: which hooks and probes there
 * are, the buckets of their histograms, and why a sample may not be in them.
 */
#ifndef NETSTACKLAT_H
#define NETSTACKLAT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum hook {
#define HOOK(id, ...) HOOK_##id,
#include "lib/hooks.def"
	NR_HOOKS
};

/*
 * One per kernel function. FIRST_PROBE_<hook> equals the first of that hook: it takes that number,
 * and stepping back to the number before lets the probe that follows take it again.
 */
enum probe {
#define HOOK(id, ...) FIRST_PROBE_##id, BEFORE_PROBES_OF_##id = FIRST_PROBE_##id - 1,
#define PROBE(hook, kind, function, ...) PROBE_##function,
#include "lib/hooks.def"
	NR_PROBES
};

/*
 * An octave is (2^(i-1), 2^i] ns, up to 2^34 ns (17 s). A resolution of K splits it into 2^K
 * buckets of one width, or as many as it holds whole ns; 0 and 1 ns are in bucket 0, and all above
 * 2^34 ns is in the last one. So for K = 0, bucket 0 holds [0, 1] ns and bucket i holds (2^(i-1),
 * 2^i] ns. Right-closed, because the upper bound of a Prometheus bucket ("le") is.
 */
#define NR_OCTAVES 34
#define NR_BUCKETS(resolution) (((NR_OCTAVES + 1 - (resolution)) << (resolution)) + 1)
#define MAX_RESOLUTION 4
#define MAX_BUCKETS NR_BUCKETS(MAX_RESOLUTION)

/*
 * Map netstack_latency_<hook>_seconds, a per-CPU array: NR_BUCKETS(resolution) of these for each
 * probe of the hook. The sum in each bucket gives a true mean, which counts alone cannot.
 */
struct bucket {
	__u64 count;
	__u64 sum_ns;
};

/* Why a sample was not recorded. */
enum discard {
#define DISCARD(id, ...) DISCARD_##id,
#include "lib/discards.def"
	NR_DISCARDS
};

/* Map netstack_discards, a per-CPU array of __u64 counts: NR_DISCARDS for each probe. */
#define NR_DISCARD_COUNTS (NR_PROBES * NR_DISCARDS)

_Static_assert(sizeof(struct bucket) == 16, "the maps' readers sum values as pairs of __u64");

#endif
