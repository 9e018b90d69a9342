/* SPDX-License-Identifier: GPL-2.0 */
/* From a latency to its bucket and back: one source for BPF programs and user space. */
#ifndef NETSTACKLAT_BUCKET_H
#define NETSTACKLAT_BUCKET_H

#include "netstacklat.h"

/*
 * BUCKETS_<n>(ns, i): the bucket of ns among the n from i on, of which the last takes all above.
 * BPF has no "count leading zeros", and a tree of compares with constants needs a third of the
 * instructions that the usual cascade of shifts needs. Its leaves are constants, so the verifier
 * sees each index in range.
 */
#define BUCKETS_2(ns, i) ((ns) <= 1ULL << (i) ? (i) : (i) + 1)
#define BUCKETS_4(ns, i) ((ns) <= 1ULL << ((i) + 1) ? BUCKETS_2(ns, i) : BUCKETS_2(ns, (i) + 2))
#define BUCKETS_8(ns, i) ((ns) <= 1ULL << ((i) + 3) ? BUCKETS_4(ns, i) : BUCKETS_4(ns, (i) + 4))

/*
 * The bucket of ns at a resolution of 0; NR_OCTAVES + 1 is the last. Those of most packets take the
 * fewest compares: 2 to 33 us, and up to 8 ms for packets that wait for a reader.
 */
static inline __attribute__((always_inline)) __u32 bucket_octave(__u64 ns)
{
	if (ns <= 1ULL << 15) {
		if (ns > 1ULL << 11)
			return BUCKETS_4(ns, 12);
		return ns > 1ULL << 7 ? BUCKETS_4(ns, 8) : BUCKETS_8(ns, 0);
	}
	if (ns <= 1ULL << 23)
		return BUCKETS_8(ns, 16);
	return ns <= 1ULL << 31 ? BUCKETS_8(ns, 24) : BUCKETS_4(ns, 32);
}

_Static_assert(NR_BUCKETS(0) == 32 + 4, "bucket_octave() covers every octave");

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
