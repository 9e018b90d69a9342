/* SPDX-License-Identifier: GPL-2.0 */
/* From a latency to its bucket and back: one source for BPF programs and user space. */
#ifndef NETSTACKLAT_BUCKET_H
#define NETSTACKLAT_BUCKET_H

#include "../netstacklat.h"

/*
 * BUCKETS_<n>(ns, i): the bucket of ns among the n from i on, of which the last takes all above.
 * BPF has no "count leading zeros", and a tree of compares with constants needs a third of the
 * instructions that the usual cascade of shifts needs. Its leaves are constants, so the verifier
 * sees each index in range.
 */
#define BUCKETS_2(ns, i) ((ns) <= 1ULL << (i) ? (i) : (i) + 1)
#define BUCKETS_4(ns, i) ((ns) <= 1ULL << ((i) + 1) ? BUCKETS_2(ns, i) : BUCKETS_2(ns, (i) + 2))
#define BUCKETS_8(ns, i) ((ns) <= 1ULL << ((i) + 3) ? BUCKETS_4(ns, i) : BUCKETS_4(ns, (i) + 4))
#define BUCKETS_16(ns, i) ((ns) <= 1ULL << ((i) + 7) ? BUCKETS_8(ns, i) : BUCKETS_8(ns, (i) + 8))
#define BUCKETS_32(ns, i) \
	((ns) <= 1ULL << ((i) + 15) ? BUCKETS_16(ns, i) : BUCKETS_16(ns, (i) + 16))

/* The bucket that a latency of ns belongs to. */
static inline __attribute__((always_inline)) __u32 bucket_index(__u64 ns)
{
	return ns <= 1ULL << 31 ? BUCKETS_32(ns, 0) : BUCKETS_4(ns, 32);
}

/* The largest latency in ns that belongs to a bucket, which is not BUCKET_OVERFLOW. */
static inline __attribute__((always_inline)) __u64 bucket_le_ns(__u32 bucket)
{
	return 1ULL << bucket;
}

_Static_assert(NR_BUCKETS == 32 + 4, "bucket_index() covers every bucket");

#endif
