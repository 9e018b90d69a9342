// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/counters.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/counts/stages.h"
#include "lib/base/clock.h"
#include "lib/kernel/stage_drops.h"
#include "lib/tables/hooks.h"

struct counters {
	struct map_fds maps;
	struct group_rows *groups; /* NULL: they are not grouped */
	struct group *stages;	   /* NULL: there are none, or they are groups */
	size_t nr_stages;
	struct stage_drops *drops; /* NULL: they are not counted */
	int nr_cpus;		   /* possible ones: a per-CPU map has a value for each */
	bool no_batch;
	size_t room; /* words of values, as many as are read at once */
	__u32 *keys;
	__u64 *values;
	__u64 *sums; /* of a whole map, over the CPUs */
};

/* Many CPUs have many values: one system call reads no more than 256 KiB, or one key. */
#define READ_WORDS (256 * 1024 / sizeof(__u64))

#define BUCKET_WORDS (sizeof(struct bucket) / sizeof(__u64))
#define BLOCK_WORDS(resolution) (STAGE_BLOCK_SIZE(resolution) / sizeof(__u64))

/* The size of the largest map, for one CPU. */
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

static bool make_room(struct counters *counters)
{
	size_t key_words = BLOCK_WORDS(counters->maps.resolution) * counters->nr_cpus;

	counters->room = key_words > READ_WORDS ? key_words : READ_WORDS;
	counters->keys = calloc(counters->room / counters->nr_cpus + 1, sizeof(*counters->keys));
	counters->values = calloc(counters->room, sizeof(*counters->values));
	counters->sums = calloc(max_words(&counters->maps), sizeof(*counters->sums));
	return counters->keys && counters->values && counters->sums;
}

struct counters *counters_new(const struct map_fds *maps)
{
	struct counters *counters = calloc(1, sizeof(*counters));

	if (!counters)
		return NULL;
	counters->maps = *maps;
	counters->nr_cpus = libbpf_num_possible_cpus();
	if (counters->nr_cpus < 0) {
		errno = -counters->nr_cpus;
		free(counters);
		return NULL;
	}
	if (maps->groups.keys)
		counters->groups = group_rows_new(&maps->groups);
	if (maps->stages.latency >= 0)
		counters->stages = stages_list(maps->stages.blocks, &counters->nr_stages);
	if (maps->stages.drops >= 0)
		counters->drops = stage_drops_new(maps->stages.drops);
	if (!make_room(counters) || (maps->groups.keys && !counters->groups) ||
	    (maps->stages.latency >= 0 && !counters->stages) ||
	    (maps->stages.drops >= 0 && !counters->drops)) {
		counters_free(counters);
		return NULL;
	}
	return counters;
}

void counters_free(struct counters *counters)
{
	if (!counters)
		return;
	group_rows_free(counters->groups);
	free(counters->stages);
	stage_drops_free(counters->drops);
	free(counters->keys);
	free(counters->values);
	free(counters->sums);
	free(counters);
}

/* Reads the values of nr keys from first on. Each key has its words of CPU 0, of CPU 1 ... */
static int read_values(struct counters *counters, int map, __u32 first, __u32 nr, size_t words)
{
	__u32 before = first - 1, batch, read = nr;
	int err;

	if (!counters->no_batch) {
		err = bpf_map_lookup_batch(map, first ? &before : NULL, &batch, counters->keys,
					   counters->values, &read, NULL);
		if ((!err || err == -ENOENT) && read == nr)
			return 0;
		/* Per-CPU arrays have it since Linux 5.13 (f008d732ab18). */
		log_verbose("reading maps value by value, without batches");
		counters->no_batch = true;
	}

	for (__u32 i = 0; i < nr; i++) {
		__u32 key = first + i;

		err = bpf_map_lookup_elem(map, &key,
					  counters->values + i * counters->nr_cpus * words);
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

/* Adds up nr_keys values of words each over all CPUs, into counters->sums. */
static int read_sums(struct counters *counters, int map, __u32 nr_keys, size_t words)
{
	__u32 at_once = counters->room / (counters->nr_cpus * words), nr;
	__u64 *sum = counters->sums;

	for (__u32 first = 0; first < nr_keys; first += nr) {
		const __u64 *value = counters->values;
		int err;

		nr = nr_keys - first < at_once ? nr_keys - first : at_once;
		err = read_values(counters, map, first, nr, words);
		if (err)
			return err;
		for (__u32 i = 0; i < nr; i++, value += counters->nr_cpus * words)
			for (size_t word = 0; word < words; word++)
				*sum++ = sum_of_cpus(value + word, counters->nr_cpus, words);
	}
	return 0;
}

static int read_latency(struct counters *counters, enum hook hook, struct histogram *latency)
{
	const struct bucket *sums = (const struct bucket *)counters->sums;
	unsigned int nr_buckets = histogram_nr_buckets(latency);
	unsigned int nr_keys = hook_nr_probes(hook) * nr_buckets;
	int err;

	err = read_sums(counters, counters->maps.latency[hook], nr_keys, BUCKET_WORDS);
	if (err)
		return err;

	for (unsigned int key = 0; key < nr_keys; key++) {
		latency->buckets[key % nr_buckets].count += sums[key].count;
		latency->buckets[key % nr_buckets].sum_ns += sums[key].sum_ns;
	}
	return 0;
}

static int read_discards(struct counters *counters, struct hook_counts hook_counts[NR_HOOKS])
{
	const __u64 *sum = counters->sums;
	int err;

	err = read_sums(counters, counters->maps.discards, NR_DISCARD_COUNTS, 1);
	if (err)
		return err;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			hook_counts[probes[probe].hook].discarded[cause] += *sum++;
	return 0;
}

static int read_slow(struct counters *counters, struct snapshot *snapshot)
{
	int err = read_sums(counters, counters->maps.slow_counts, NR_SLOW_COUNTS, 1);

	if (!err)
		memcpy(snapshot->slow, counters->sums, sizeof(snapshot->slow));
	return err;
}

/* Returns whether a program counts packets of its hook. */
static bool counts(const struct counters *counters, unsigned int program)
{
	return !IS_ENTRY_PROGRAM(program) && counters->maps.counts[PROBE_OF(program)];
}

/*
 * The kernel itself counts misses of a program since it was loaded: it skips a program that
 * interrupts itself on its CPU (Linux 5.12, ca06f55b9002 and 9ed9e9ba2337). Before, it skips
 * nothing, and the field is zero. If a probe has two programs, this is about the one at return,
 * which also counts packets that the one at entry missed as discarded for this cause.
 */
static int read_program(const struct counters *counters, unsigned int program,
			struct snapshot *snapshot)
{
	struct bpf_prog_info info;
	__u32 size = sizeof(info);
	int err;

	/* A member that is not zero would ask the kernel for more. */
	memset(&info, 0, sizeof(info));
	err = bpf_obj_get_info_by_fd(counters->maps.programs[program], &info, &size);
	if (err)
		return err;
	if (counters->maps.overhead)
		snapshot->programs[program] =
			(struct program_counts){ info.run_cnt, info.run_time_ns };
	if (counts(counters, program))
		snapshot->hooks[probes[PROBE_OF(program)].hook].discarded[DISCARD_RECURSION_MISS] +=
			info.recursion_misses;
	return 0;
}

/* The others are of interest for nothing but what they cost. */
static int read_programs(const struct counters *counters, struct snapshot *snapshot)
{
	int err = 0;

	for (unsigned int program = 0; program < MAX_PROGRAMS && !err; program++)
		if (counters->maps.programs[program] >= 0 &&
		    (counters->maps.overhead || counts(counters, program)))
			err = read_program(counters, program, snapshot);
	return err;
}

/* A hook is the sum of its groups. */
static int read_groups(struct counters *counters, struct snapshot *snapshot)
{
	int err = group_rows_read(counters->groups, snapshot->taken_ns, &snapshot->groups);

	for (size_t i = 0; !err && i < snapshot->groups.nr; i++) {
		const struct group *group = &groups_get(counters->groups)[i];

		if (group->from == FROM_STAMP)
			buckets_add(snapshot->hooks[group->hook].latency.buckets,
				    group_buckets(&snapshot->groups, i),
				    snapshot->groups.nr_buckets);
	}
	return err;
}

static int read_unpaired(struct counters *counters, struct hook_counts hook_counts[NR_HOOKS])
{
	int err = read_sums(counters, counters->maps.stages.unpaired, NR_PROBES, 1);

	for (enum probe probe = 0; probe < NR_PROBES && !err; probe++) {
		enum hook hook = probes[probe].hook;

		/* No hook comes before the first of those that are on. */
		if (stages_end_at(counters->maps.stages.blocks, hook))
			hook_counts[hook].unpaired += counters->sums[probe];
	}
	return err;
}

/* One of the two histograms in a block of buckets. */
static void add_block(struct bucket *buckets, const struct counters *counters, __u32 block,
		      enum since since)
{
	unsigned int nr_buckets = NR_BUCKETS(counters->maps.resolution);
	const struct bucket_pair *pairs =
		(const struct bucket_pair *)counters->sums + (size_t)block * nr_buckets;

	for (unsigned int i = 0; i < nr_buckets; i++)
		buckets_add(&buckets[i], &pairs[i].since[since], 1);
}

/* A stage is the sum of the blocks of its hook's probes, and a hook that of all of them. */
static void add_stages(const struct counters *counters, struct snapshot *snapshot)
{
	const struct stage_maps *maps = &counters->maps.stages;
	struct group_counts *counts = &snapshot->groups;

	memset(counts->buckets, 0, counts->nr * counts->nr_buckets * sizeof(*counts->buckets));
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		enum hook hook = probes[probe].hook;
		struct bucket *latency = snapshot->hooks[hook].latency.buckets;

		if (maps->probe_blocks[probe])
			add_block(latency, counters, maps->probe_blocks[probe], SINCE_STAMP);
		for (unsigned int from = 0; from < NR_STAGE_FROMS; from++) {
			__u16 block = maps->blocks[probe][from];
			size_t stage;

			if (!block)
				continue;
			stage = stages_find(counters->stages, counters->nr_stages, hook, from);
			add_block(group_buckets(counts, stage), counters, block, SINCE_HOOK);
			add_block(latency, counters, block, SINCE_STAMP);
		}
	}
}

static int read_stages(struct counters *counters, struct snapshot *snapshot)
{
	unsigned int resolution = counters->maps.resolution;
	int err = read_sums(counters, counters->maps.stages.latency,
			    counters->maps.stages.nr_blocks, BLOCK_WORDS(resolution));

	if (!err)
		err = group_counts_resize(&snapshot->groups, counters->nr_stages,
					  NR_BUCKETS(resolution));
	if (!err)
		add_stages(counters, snapshot);
	return err;
}

int counters_read(struct counters *counters, struct snapshot *snapshot)
{
	int err = 0;

	snapshot_clear_hooks(snapshot, counters->maps.resolution);
	snapshot->taken_ns = clock_monotonic_ns();
	if (counters->groups)
		err = read_groups(counters, snapshot);
	if (!err && counters->stages)
		err = read_stages(counters, snapshot);
	if (!err && counters->maps.stages.unpaired >= 0)
		err = read_unpaired(counters, snapshot->hooks);
	for (enum hook hook = 0; hook < NR_HOOKS && !err; hook++)
		if (counters->maps.latency[hook] >= 0)
			err = read_latency(counters, hook, &snapshot->hooks[hook].latency);
	if (!err)
		err = read_discards(counters, snapshot->hooks);
	if (!err && counters->maps.slow_counts >= 0)
		err = read_slow(counters, snapshot);
	if (!err && counters->drops)
		err = stage_drops_read(counters->drops, snapshot->stage_drops);
	return err ? err : read_programs(counters, snapshot);
}

int counters_other(struct counters *counters, size_t group, size_t *other)
{
	if (counters->groups)
		return group_rows_other(counters->groups, group, other);
	*other = group;
	return 0;
}

int counters_recycle(struct counters *counters, uint64_t now_ns, uint64_t since_ns)
{
	return counters->groups ? group_rows_recycle(counters->groups, now_ns, since_ns) : 0;
}

void counters_reuse(struct counters *counters,
		    bool (*is_forgotten)(void *context, size_t group, uint64_t count),
		    void *context)
{
	if (counters->groups)
		group_rows_reuse(counters->groups, is_forgotten, context);
}

const struct group *counters_groups(const struct counters *counters)
{
	return counters->groups ? groups_get(counters->groups) : counters->stages;
}

struct rows_used counters_rows(const struct counters *counters)
{
	return counters->groups ? group_rows_used(counters->groups) : (struct rows_used){ 0 };
}

const struct stage_drop *counters_drops(const struct counters *counters)
{
	return counters->drops ? stage_drops_keys(counters->drops) : NULL;
}
