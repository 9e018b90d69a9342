/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps counts, for BPF programs, in maps that netstacklat reads; its loader keeps the clock's
 * offset right. For ebpf_exporter, lib/bpf/exporter/store.bpf.h does the same.
 */
#ifndef NETSTACKLAT_STORE_BPF_H
#define NETSTACKLAT_STORE_BPF_H

#include "lib/bpf/path/row.bpf.h"

#if FOR_EBPF_EXPORTER
#include "lib/bpf/exporter/store.bpf.h"
#else
#include "lib/tables/discards.h"

MAP(1, netstack_discards, __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NR_DISCARD_COUNTS); __type(key, __u32); __type(value, __u64););

static __always_inline __u64 *store_discard_count(enum probe probe, enum discard cause)
{
	__u32 key = probe * NR_DISCARDS + cause;

	return bpf_map_lookup_elem(&netstack_discards, &key);
}

/* Returns whether there was room. A row has all buckets, but the verifier cannot know that. */
static __always_inline bool store_count(enum probe probe, const struct row *row, enum since since,
					__u64 ns, __u32 octave, __u32 weight)
{
	struct bucket *bucket = row_bucket(row, since, ns, octave);

	if (bucket) {
		bucket->count += weight;
		bucket->sum_ns += weight * ns;
	}
	return true;
}

/* The loader keeps the offset right. Functions would take 4 instructions at each hook. */
#define offset_fits(stamp_ns, latency_ns) true
#define clocks_were_set_in(latency_ns) false
#endif

#endif
