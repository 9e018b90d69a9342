/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The place where a packet is counted, for BPF programs: among its hook's buckets, its stage's, or
 * its group's.
 */
#ifndef NETSTACKLAT_ROW_BPF_H
#define NETSTACKLAT_ROW_BPF_H

#include "lib/bpf/path/group.bpf.h"
#include "lib/bpf/path/hook.bpf.h"

/*
 * One block of buckets has both histograms of a packet, as a second lookup takes 12 instructions
 * more.
 */
#define WITH_BLOCKS (WITH_STAGES && !WITH_GROUPS)

/* The loader sets value_size, and max_entries for all blocks that config numbers. */
MAP(WITH_STAGES, netstack_stage_latency, __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1); __type(key, __u32); __uint(value_size, STAGE_BLOCK_SIZE(0)););

/* Each variant uses some of these. */
struct row {
	struct bucket_pair *block; /* WITH_BLOCKS; NULL: there is none */
	void *map;		   /* else: ... */
	__u32 first;		   /* ... the first bucket there, or NO_ROW */
};

static __always_inline struct row block_row(__u32 block)
{
	return (struct row){ .block = bpf_map_lookup_elem(&netstack_stage_latency, &block) };
}

/* The number of a block or, with groups, of a first bucket. */
static __always_inline struct row row_of_number(__u32 number)
{
	if (WITH_BLOCKS)
		return block_row(number);
	return (struct row){ .map = &netstack_group_latency, .first = number };
}

/* Returns where a packet is counted from the stamp on. */
static __always_inline struct row row_of(enum probe probe, const struct group_attributes *of)
{
	if (WITH_BLOCKS)
		return block_row(config.probe_blocks[probe]);
	if (WITH_GROUPS)
		return row_of_number(group_first_bucket(of, SINCE_STAMP));
	return (struct row){ .map = hook_latency_map(probe_table[probe].hook),
			     .first = probe_table[probe].block * NR_BUCKETS(resolution()) };
}

/*
 * Returns the number of the row for the time since the hook before (STAGE_FROM()); NO_ROW if there
 * is no such stage.
 */
static __always_inline __u32 number_of_stage(enum probe probe, __u32 from,
					     const struct group_attributes *of)
{
	__u32 block = config.stage_blocks[probe][from];

	if (!block)
		return NO_ROW;
	return WITH_BLOCKS ? block : group_first_bucket(of, SINCE_HOOK);
}

static __always_inline struct row row_of_stage(enum probe probe, __u32 from,
					       const struct group_attributes *of)
{
	__u32 number = number_of_stage(probe, from, of);

	return number == NO_ROW ? (struct row){ .first = NO_ROW } : row_of_number(number);
}

static __always_inline bool row_is_missing(const struct row *row)
{
	return WITH_BLOCKS ? !row->block : row->first == NO_ROW;
}

/* The number of the bucket of so many ns. Only some builds need the octave. */
static __always_inline __u32 bucket_of(__u64 ns, __u32 octave)
{
	if (HAS_DEFAULT_RESOLUTION)
		return bucket_default(ns);
	return bucket_in_octave(octave > NR_OCTAVES ? LAST_BUCKET_NS : ns, octave,
				config.resolution);
}

/* The bucket of so many ns, in this octave. It is NULL only to the verifier. */
static __always_inline struct bucket *row_bucket(const struct row *row, enum since since, __u64 ns,
						 __u32 octave)
{
	__u32 key = bucket_of(ns, octave);

	/*
	 * The compiler of Debian sid (clang) knows that it is in range, and drops the check that
	 * the verifier needs.
	 */
	barrier_var(key);
	if (WITH_BLOCKS)
		return key < NR_BUCKETS(resolution()) ? &row->block[key].since[since] : NULL;
	key += row->first;
	return bpf_map_lookup_elem(row->map, &key);
}

#endif
