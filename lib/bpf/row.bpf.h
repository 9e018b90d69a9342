/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a packet is counted, for BPF programs: in its hook's buckets, with those of its stage, or
 * in those of its group.
 */
#ifndef NETSTACKLAT_ROW_BPF_H
#define NETSTACKLAT_ROW_BPF_H

#include "lib/bpf/hook.bpf.h"
#include "lib/tables/bucket.h"
#if FOR_EBPF_EXPORTER
#include "lib/bpf/exporter.bpf.h"
#endif
#if WITH_GROUPS
#include "lib/bpf/group.bpf.h"
#else
struct group_facts {
	__u64 *comm;
};

#define group_learn(packet, left, facts)
#endif

/* Whether one block of buckets has both histograms of a packet: a second lookup takes 12 more. */
#define WITH_BLOCKS (WITH_STAGES && !WITH_GROUPS)

#if WITH_BLOCKS
/* The loader sets max_entries, for all blocks that config numbers, and value_size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, BLOCK_SIZE(0));
} netstack_stage_latency SEC(".maps");
#endif

struct row {
#if WITH_BLOCKS
	struct bucket_pair *buckets; /* NULL: there is none */
#else
	void *map;
	__u32 first; /* bucket, or NO_ROW; for ebpf_exporter, the probe */
#endif
	__u32 resolution;
};

/*
 * Where a packet is counted from the stamp on. After filters, features are groups and the
 * resolution; after groups, that alone is left.
 */
static __always_inline struct row row_of(enum probe probe, __u32 features, __u32 left,
					 const struct group_facts *facts)
{
#if WITH_BLOCKS
	__u32 block = config.probe_blocks[probe];

	return (struct row){ bpf_map_lookup_elem(&netstack_stage_latency, &block), left };
#elif WITH_GROUPS
	return (struct row){ &netstack_group_latency, group_first_bucket(probe, 0, features, facts),
			     left };
#elif FOR_EBPF_EXPORTER
	return (struct row){ .first = probe };
#else
	return (struct row){ hook_latency_map(probe_hook(probe)),
			     probe_block(probe) * NR_BUCKETS(left), left };
#endif
}

#if WITH_STAGES
/* Where it is counted from the hook before on (STAGE_FROM()): missing if there is no such stage. */
static __always_inline struct row row_of_stage(enum probe probe, __u32 from, __u32 features,
					       __u32 left, const struct group_facts *facts)
{
	__u32 block = config.stage_blocks[probe][from];
#if WITH_BLOCKS

	if (!block)
		return (struct row){ 0 };
	return (struct row){ bpf_map_lookup_elem(&netstack_stage_latency, &block), left };
#else

	if (!block)
		return (struct row){ .first = NO_ROW };
	return (struct row){ &netstack_group_latency,
			     group_first_bucket(probe, from, features, facts), left };
#endif
}
#endif

static __always_inline bool row_is_missing(const struct row *row)
{
#if WITH_BLOCKS
	return !row->buckets;
#else
	return row->first == NO_ROW;
#endif
}

#if !FOR_EBPF_EXPORTER
/* The bucket of so many ns, in this octave; NULL only if there is none, for the verifier. */
static __always_inline struct bucket *row_bucket(const struct row *row, enum since since, __u64 ns,
						 __u32 octave)
{
	__u64 in_bucket_ns = octave > NR_OCTAVES ? LAST_BUCKET_NS : ns;
	__u32 key = bucket_in_octave(in_bucket_ns, octave, row->resolution);
#if WITH_BLOCKS

	return key < NR_BUCKETS(row->resolution) ? &row->buckets[key].since[since] : NULL;
#else

	key += row->first;
	return bpf_map_lookup_elem(row->map, &key);
#endif
}
#endif

#endif
