/* SPDX-License-Identifier: GPL-2.0 */
/* The way from a latency to its bucket and back: one source for BPF programs and user space. */
#ifndef NETSTACKLAT_BUCKET_H
#define NETSTACKLAT_BUCKET_H

#include "lib/tables/integers.h"

/*
 * An octave is (2^(i-1), 2^i] ns, up to 2^34 ns (17 s). A resolution of K splits it into 2^K
 * buckets of one width, or into one for each ns if it has fewer; 0 and 1 ns are in bucket 0, and
 * all above 2^34 ns is in the last one. So for K = 0, bucket 0 holds [0, 1] ns and bucket i holds
 * (2^(i-1), 2^i] ns. Octaves are right-closed, as the upper bound of a Prometheus bucket ("le") is.
 */
#define NR_OCTAVES 34
#define NR_BUCKETS(resolution) (((NR_OCTAVES + 1 - (resolution)) << (resolution)) + 1)
#define MAX_RESOLUTION 4
/*
 * The resolution for people: bounds of quantiles are within an eighth of the true values. Programs
 * that need no other have it as a constant, which saves a third of the instructions.
 */
#define DEFAULT_RESOLUTION 3
#define MAX_BUCKETS NR_BUCKETS(MAX_RESOLUTION)

/*
 * Map netstack_latency_<hook>_seconds, a per-CPU array: NR_BUCKETS(resolution) of these for each
 * probe of the hook. The sum in each bucket gives a true mean, which counts alone cannot.
 */
struct bucket {
	__u64 count;
	__u64 sum_ns;
};

/* The moment from which a packet's time at a hook is counted. */
enum since { SINCE_STAMP, SINCE_HOOK, NR_SINCE };

/*
 * Stages without groups have all buckets in the map netstack_stage_latency instead, a per-CPU array
 * of blocks: NR_BUCKETS(resolution) of these for each stage of a probe, and for packets that come
 * to the probe in no stage. So one lookup finds both of a packet's histograms.
 */
struct bucket_pair {
	struct bucket since[NR_SINCE];
};
#define STAGE_BLOCK_SIZE(resolution) (NR_BUCKETS(resolution) * sizeof(struct bucket_pair))
_Static_assert(sizeof(struct bucket) == 16, "the maps' readers sum values as pairs of __u64");

/* A latency in the last bucket, to stand for all of these. */
#define LAST_BUCKET_NS ((1ULL << NR_OCTAVES) + 1)

/*
 * The bucket of ns (at most LAST_BUCKET_NS), which is in this octave. As octaves are right-closed,
 * all of ns - 1 have the same leading bit there. The bits behind it, as many as the resolution,
 * select the bucket.
 */
static inline __attribute__((always_inline)) __u32 bucket_in_octave(__u64 ns, __u32 octave,
								    __u32 resolution)
{
	__u32 shift = octave - 1 - resolution;

	if (!resolution)
		return octave;
	if (octave <= resolution)
		return ns ? ns - 1 : 0;
	return (shift << resolution) + ((ns - 1) >> shift);
}

/*
 * OCTAVES_<n>(ns, i, leaf): leaf(ns, octave) for the octave of ns among the n from i on, of which
 * the last takes all above. BPF has no "count leading zeros", and a tree of compares with constants
 * needs a third of the instructions that the usual cascade of shifts needs. Its leaves know their
 * octave as a constant, so they take little themselves, and the verifier sees each index in range.
 * Those of most packets take the fewest compares: 2 to 33 us, and up to 8 ms for packets that wait
 * for a reader.
 */
#define OCTAVES_2(ns, i, leaf) ((ns) <= 1ULL << (i) ? leaf(ns, i) : leaf(ns, (i) + 1))
#define OCTAVES_4(ns, i, leaf) \
	((ns) <= 1ULL << ((i) + 1) ? OCTAVES_2(ns, i, leaf) : OCTAVES_2(ns, (i) + 2, leaf))
#define OCTAVES_8(ns, i, leaf) \
	((ns) <= 1ULL << ((i) + 3) ? OCTAVES_4(ns, i, leaf) : OCTAVES_4(ns, (i) + 4, leaf))
#define OCTAVES(ns, leaf)                                                    \
	((ns) <= 1ULL << 15   ? (ns) > 1ULL << 11  ? OCTAVES_4(ns, 12, leaf) \
				: (ns) > 1ULL << 7 ? OCTAVES_4(ns, 8, leaf)  \
						   : OCTAVES_8(ns, 0, leaf)  \
	   : (ns) <= 1ULL << 23 ? OCTAVES_8(ns, 16, leaf)                    \
	 : (ns) <= 1ULL << 31 ? OCTAVES_8(ns, 24, leaf)                      \
			      : OCTAVES_4(ns, 32, leaf))

/* The bucket of ns at a resolution of 0; NR_OCTAVES + 1 is the last. */
static inline __attribute__((always_inline)) __u32 bucket_octave(__u64 ns)
{
#define OCTAVE(ns, octave) (octave)
	return OCTAVES(ns, OCTAVE);
#undef OCTAVE
}

_Static_assert(NR_BUCKETS(0) == 32 + 4, "OCTAVES() covers every octave");

/* The bucket of ns at the default resolution. */
static inline __attribute__((always_inline)) __u32 bucket_default(__u64 ns)
{
#define BUCKET(ns, octave) \
	bucket_in_octave((octave) > NR_OCTAVES ? LAST_BUCKET_NS : (ns), octave, DEFAULT_RESOLUTION)
	return OCTAVES(ns, BUCKET);
#undef BUCKET
}

static inline __attribute__((always_inline)) __u32 bucket_index(__u64 ns, __u32 resolution)
{
	if (ns > LAST_BUCKET_NS)
		ns = LAST_BUCKET_NS;
	return bucket_in_octave(ns, bucket_octave(ns), resolution);
}

/* The largest latency in ns that belongs to a bucket, which is not the last. */
static inline __attribute__((always_inline)) __u64 bucket_le_ns(__u32 bucket, __u32 resolution)
{
	__u32 in_octave = 1U << resolution, shift;

	if (bucket < in_octave)
		return bucket + 1;
	shift = (bucket >> resolution) - 1;
	return (__u64)((bucket & (in_octave - 1)) + in_octave + 1) << shift;
}

#endif
