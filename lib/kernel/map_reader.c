// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/map_reader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/counts/stages.h"
#include "lib/base/clock.h"
#include "lib/tables/hooks.h"

struct map_reader {
	struct map_fds maps;
	struct group_reader *groups; /* NULL: they are not grouped */
	struct group *stages;	     /* NULL: there are none, or they are groups */
	size_t nr_stages;
	int nr_cpus; /* possible ones: a per-CPU map has a value for each */
	bool no_batch;
	size_t room; /* words of values, as many as are read at once */
	__u32 *keys;
	__u64 *values;
	__u64 *sums; /* of a whole map, over the CPUs */
};

/* Many CPUs have many values: what is read at once is no more than 256 KiB, or one key. */
#define READ_WORDS (256 * 1024 / sizeof(__u64))

#define BUCKET_WORDS (sizeof(struct bucket) / sizeof(__u64))
#define BLOCK_WORDS(resolution) (STAGE_BLOCK_SIZE(resolution) / sizeof(__u64))

/* Of the largest map, for one CPU. */
static size_t max_words(const struct map_fds *maps)
{
	size_t max = NR_DISCARD_COUNTS;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		size_t words = hook_nr_probes(hook) * NR_BUCKETS(maps->resolution) * BUCKET_WORDS;

		if (words > max)
			max = words;
	}
	if (maps->stages.nr_blocks * BLOCK_WORDS(maps->resolution) > max)
		max = maps->stages.nr_blocks * BLOCK_WORDS(maps->resolution);
	return max;
}

static bool make_room(struct map_reader *reader)
{
	size_t key_words = BLOCK_WORDS(reader->maps.resolution) * reader->nr_cpus;

	reader->room = key_words > READ_WORDS ? key_words : READ_WORDS;
	reader->keys = calloc(reader->room / reader->nr_cpus + 1, sizeof(*reader->keys));
	reader->values = calloc(reader->room, sizeof(*reader->values));
	reader->sums = calloc(max_words(&reader->maps), sizeof(*reader->sums));
	return reader->keys && reader->values && reader->sums;
}

struct map_reader *map_reader_new(const struct map_fds *maps)
{
	struct map_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->maps = *maps;
	reader->nr_cpus = libbpf_num_possible_cpus();
	if (reader->nr_cpus < 0) {
		errno = -reader->nr_cpus;
		free(reader);
		return NULL;
	}
	if (maps->groups.keys)
		reader->groups = group_reader_new(&maps->groups);
	if (maps->stages.latency >= 0)
		reader->stages = stages_list(maps->stages.blocks, &reader->nr_stages);
	if (!make_room(reader) || (maps->groups.keys && !reader->groups) ||
	    (maps->stages.latency >= 0 && !reader->stages)) {
		map_reader_free(reader);
		return NULL;
	}
	return reader;
}

void map_reader_free(struct map_reader *reader)
{
	if (!reader)
		return;
	group_reader_free(reader->groups);
	free(reader->stages);
	free(reader->keys);
	free(reader->values);
	free(reader->sums);
	free(reader);
}

/* Reads the values of nr keys from the first on: for each key words of CPU 0, words of CPU 1 ... */
static int read_values(struct map_reader *reader, int map, __u32 first, __u32 nr, size_t words)
{
	__u32 before = first - 1, batch, read = nr;
	int err;

	if (!reader->no_batch) {
		err = bpf_map_lookup_batch(map, first ? &before : NULL, &batch, reader->keys,
					   reader->values, &read, NULL);
		if ((!err || err == -ENOENT) && read == nr)
			return 0;
		/* Per-CPU arrays have it since Linux 5.13 (f008d732ab18). */
		log_verbose("reading maps value by value, without batches");
		reader->no_batch = true;
	}

	for (__u32 i = 0; i < nr; i++) {
		__u32 key = first + i;

		err = bpf_map_lookup_elem(map, &key, reader->values + i * reader->nr_cpus * words);
		if (err)
			return err;
	}
	return 0;
}

/* One of the words of a value, over all CPUs. */
static __u64 sum_of_cpus(const __u64 *word, int nr_cpus, size_t words)
{
	__u64 sum = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++, word += words)
		sum += *word;
	return sum;
}

/* Adds up nr_keys values of words each over all CPUs, into reader->sums. */
static int read_sums(struct map_reader *reader, int map, __u32 nr_keys, size_t words)
{
	__u32 at_once = reader->room / (reader->nr_cpus * words), nr;
	__u64 *sum = reader->sums;

	for (__u32 first = 0; first < nr_keys; first += nr) {
		const __u64 *value = reader->values;
		int err;

		nr = nr_keys - first < at_once ? nr_keys - first : at_once;
		err = read_values(reader, map, first, nr, words);
		if (err)
			return err;
		for (__u32 i = 0; i < nr; i++, value += reader->nr_cpus * words)
			for (size_t word = 0; word < words; word++)
				*sum++ = sum_of_cpus(value + word, reader->nr_cpus, words);
	}
	return 0;
}

static int read_latency(struct map_reader *reader, enum hook hook, struct histogram *latency)
{
	const struct bucket *sums = (const struct bucket *)reader->sums;
	unsigned int nr_buckets = histogram_nr_buckets(latency);
	unsigned int nr_keys = hook_nr_probes(hook) * nr_buckets;
	int err;

	err = read_sums(reader, reader->maps.latency[hook], nr_keys, BUCKET_WORDS);
	if (err)
		return err;

	for (unsigned int key = 0; key < nr_keys; key++) {
		latency->buckets[key % nr_buckets].count += sums[key].count;
		latency->buckets[key % nr_buckets].sum_ns += sums[key].sum_ns;
	}
	return 0;
}

static int read_discards(struct map_reader *reader, struct hook_counts hook_counts[NR_HOOKS])
{
	const __u64 *sum = reader->sums;
	int err;

	err = read_sums(reader, reader->maps.discards, NR_DISCARD_COUNTS, 1);
	if (err)
		return err;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			hook_counts[probes[probe].hook].discarded[cause] += *sum++;
	return 0;
}

static int read_slow(struct map_reader *reader, struct snapshot *snapshot)
{
	int err = read_sums(reader, reader->maps.slow_counts, NR_SLOW_COUNTS, 1);

	if (!err)
		memcpy(snapshot->slow, reader->sums, sizeof(snapshot->slow));
	return err;
}

/* Whether a program counts packets of its hook. */
static bool counts(const struct map_reader *reader, unsigned int program)
{
	return !IS_ENTRY_PROGRAM(program) && reader->maps.counts[PROBE_OF(program)];
}

/*
 * What the kernel itself counts of a program since it was loaded. It skips one that interrupts
 * itself on its CPU, as a miss (Linux 5.12, ca06f55b9002 and 9ed9e9ba2337); before, it skips
 * nothing, and leaves the field at zero. Of a probe with two programs, misses are those of the one
 * at return, which also counts packets that the one at entry missed, as discarded for this cause.
 */
static int read_program(const struct map_reader *reader, unsigned int program,
			struct snapshot *snapshot)
{
	struct bpf_prog_info info;
	__u32 size = sizeof(info);
	int err;

	/* A member that is not zero would ask the kernel for more. */
	memset(&info, 0, sizeof(info));
	err = bpf_obj_get_info_by_fd(reader->maps.programs[program], &info, &size);
	if (err)
		return err;
	if (reader->maps.overhead)
		snapshot->programs[program] =
			(struct program_counts){ info.run_cnt, info.run_time_ns };
	if (counts(reader, program))
		snapshot->hooks[probes[PROBE_OF(program)].hook].discarded[DISCARD_RECURSION_MISS] +=
			info.recursion_misses;
	return 0;
}

/* The others are of interest for nothing but what they cost. */
static int read_programs(const struct map_reader *reader, struct snapshot *snapshot)
{
	int err = 0;

	for (unsigned int program = 0; program < MAX_PROGRAMS && !err; program++)
		if (reader->maps.programs[program] >= 0 &&
		    (reader->maps.overhead || counts(reader, program)))
			err = read_program(reader, program, snapshot);
	return err;
}

/* A hook is the sum of its groups. */
static int read_groups(struct map_reader *reader, struct snapshot *snapshot)
{
	int err = group_reader_read(reader->groups, &snapshot->groups);

	for (size_t i = 0; !err && i < snapshot->groups.nr; i++) {
		const struct group *group = &groups_get(reader->groups)[i];

		if (group->from == FROM_STAMP)
			buckets_add(snapshot->hooks[group->hook].latency.buckets,
				    group_buckets(&snapshot->groups, i),
				    snapshot->groups.nr_buckets);
	}
	return err;
}

static int read_unpaired(struct map_reader *reader, struct hook_counts hook_counts[NR_HOOKS])
{
	int err = read_sums(reader, reader->maps.stages.unpaired, NR_PROBES, 1);

	for (enum probe probe = 0; probe < NR_PROBES && !err; probe++) {
		enum hook hook = probes[probe].hook;

		/* No hook comes before the first of those that are on. */
		if (stages_end_at(reader->maps.stages.blocks, hook))
			hook_counts[hook].unpaired += reader->sums[probe];
	}
	return err;
}

/* One of the two histograms in a block of buckets. */
static void add_block(struct bucket *buckets, const struct map_reader *reader, __u32 block,
		      enum since since)
{
	unsigned int nr_buckets = NR_BUCKETS(reader->maps.resolution);
	const struct bucket_pair *pairs =
		(const struct bucket_pair *)reader->sums + (size_t)block * nr_buckets;

	for (unsigned int i = 0; i < nr_buckets; i++)
		buckets_add(&buckets[i], &pairs[i].since[since], 1);
}

/* A stage is the sum of the blocks of its hook's probes, and a hook that of all of them. */
static void add_stages(const struct map_reader *reader, struct snapshot *snapshot)
{
	const struct stage_maps *maps = &reader->maps.stages;
	struct group_counts *counts = &snapshot->groups;

	memset(counts->buckets, 0, counts->nr * counts->nr_buckets * sizeof(*counts->buckets));
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		enum hook hook = probes[probe].hook;
		struct bucket *latency = snapshot->hooks[hook].latency.buckets;

		if (maps->probe_blocks[probe])
			add_block(latency, reader, maps->probe_blocks[probe], SINCE_STAMP);
		for (unsigned int from = 0; from < NR_STAGE_FROMS; from++) {
			__u16 block = maps->blocks[probe][from];
			size_t stage;

			if (!block)
				continue;
			stage = stages_find(reader->stages, reader->nr_stages, hook, from);
			add_block(group_buckets(counts, stage), reader, block, SINCE_HOOK);
			add_block(latency, reader, block, SINCE_STAMP);
		}
	}
}

static int read_stages(struct map_reader *reader, struct snapshot *snapshot)
{
	unsigned int resolution = reader->maps.resolution;
	int err = read_sums(reader, reader->maps.stages.latency, reader->maps.stages.nr_blocks,
			    BLOCK_WORDS(resolution));

	if (!err)
		err = group_counts_resize(&snapshot->groups, reader->nr_stages,
					  NR_BUCKETS(resolution));
	if (!err)
		add_stages(reader, snapshot);
	return err;
}

int map_reader_read(struct map_reader *reader, struct snapshot *snapshot)
{
	int err = 0;

	snapshot_clear_hooks(snapshot, reader->maps.resolution);
	snapshot->taken_ns = clock_monotonic_ns();
	if (reader->groups)
		err = read_groups(reader, snapshot);
	if (!err && reader->stages)
		err = read_stages(reader, snapshot);
	if (!err && reader->maps.stages.unpaired >= 0)
		err = read_unpaired(reader, snapshot->hooks);
	for (enum hook hook = 0; hook < NR_HOOKS && !err; hook++)
		if (reader->maps.latency[hook] >= 0)
			err = read_latency(reader, hook, &snapshot->hooks[hook].latency);
	if (!err)
		err = read_discards(reader, snapshot->hooks);
	if (!err && reader->maps.slow_counts >= 0)
		err = read_slow(reader, snapshot);
	return err ? err : read_programs(reader, snapshot);
}

int map_reader_other(struct map_reader *reader, size_t group, size_t *other)
{
	if (reader->groups)
		return group_reader_other(reader->groups, group, other);
	*other = group;
	return 0;
}

const struct group *map_reader_groups(const struct map_reader *reader)
{
	return reader->groups ? groups_get(reader->groups) : reader->stages;
}
