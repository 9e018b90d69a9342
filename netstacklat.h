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
 * Bucket 0 holds [0, 1] ns, bucket i holds (2^(i-1), 2^i] ns, and the last one all above 2^34 ns
 * (17 s). Right-closed, because the upper bound of a Prometheus bucket ("le") is.
 */
#define BUCKET_OVERFLOW 35
#define NR_BUCKETS (BUCKET_OVERFLOW + 1)

/*
 * Map netstack_latency_<hook>_seconds, a per-CPU array: NR_BUCKETS of these for each probe of the
 * hook. The sum in each bucket gives a true mean, which counts alone cannot.
 */
struct bucket {
	__u64 count;
	__u64 sum_ns;
};

/* Why a sample was not recorded. */
enum discard {
	DISCARD_NO_STAMP, /* the skb carries no time stamp */
	DISCARD_FUTURE,	  /* its stamp lies ahead of the clock */
	DISCARD_NOT_RX,	  /* its stamp was not set on reception */
	DISCARD_FILTERED, /* it is not what the hook counts, such as a drop, a peek, a HOL delay */
	DISCARD_CLOCK_CHANGE, /* the clock was set between stamp and hook; user space finds these */
	NR_DISCARDS
};

/* Map netstack_discards, a per-CPU array of __u64 counts: NR_DISCARDS for each probe. */
#define NR_DISCARD_COUNTS (NR_PROBES * NR_DISCARDS)

_Static_assert(sizeof(struct bucket) == 16, "the maps' readers sum values as pairs of __u64");

#endif
