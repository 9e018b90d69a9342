// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bucket.h"
#include "clock.h"
#include "hooks.h"
#include "log.h"

/* More than any one map has: a block of buckets for every probe there is. */
#define MAX_KEYS (NR_PROBES * NR_BUCKETS)

struct snapshot_reader {
	struct snapshot_maps maps;
	int nr_cpus; /* possible ones: a per-CPU map has a value for each */
	bool no_batch;
	__u32 keys[MAX_KEYS];
	__u64 *values;
};

struct snapshot_reader *snapshot_reader_new(const struct snapshot_maps *maps)
{
	struct snapshot_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->maps = *maps;
	reader->nr_cpus = libbpf_num_possible_cpus();
	if (reader->nr_cpus < 0) {
		errno = -reader->nr_cpus;
		free(reader);
		return NULL;
	}
	reader->values = calloc((size_t)reader->nr_cpus * MAX_KEYS, sizeof(struct bucket));
	if (!reader->values) {
		free(reader);
		return NULL;
	}
	return reader;
}

void snapshot_reader_free(struct snapshot_reader *reader)
{
	if (!reader)
		return;
	free(reader->values);
	free(reader);
}

/* Reads the values of keys 0 to nr_keys - 1: for each key words of CPU 0, words of CPU 1 ... */
static int read_values(struct snapshot_reader *reader, int map, __u32 nr_keys, size_t words)
{
	__u32 batch, read = nr_keys;
	int err;

	if (!reader->no_batch) {
		err = bpf_map_lookup_batch(map, NULL, &batch, reader->keys, reader->values, &read,
					   NULL);
		if ((!err || err == -ENOENT) && read == nr_keys)
			return 0;
		/* Per-CPU arrays have it since Linux 5.13 (f008d732ab18). */
		log_verbose("reading maps value by value, without batches");
		reader->no_batch = true;
	}

	for (__u32 key = 0; key < nr_keys; key++) {
		err = bpf_map_lookup_elem(map, &key,
					  reader->values + key * reader->nr_cpus * words);
		if (err)
			return err;
	}
	return 0;
}

/* Adds up nr_keys values of words each over all CPUs, into sums. */
static int read_sums(struct snapshot_reader *reader, int map, __u32 nr_keys, size_t words,
		     __u64 *sums)
{
	const __u64 *value = reader->values;
	int err = read_values(reader, map, nr_keys, words);

	if (err)
		return err;

	memset(sums, 0, nr_keys * words * sizeof(*sums));
	for (__u32 key = 0; key < nr_keys; key++, sums += words)
		for (int cpu = 0; cpu < reader->nr_cpus; cpu++)
			for (size_t word = 0; word < words; word++)
				sums[word] += *value++;
	return 0;
}

static int read_latency(struct snapshot_reader *reader, enum hook hook, struct histogram *latency)
{
	struct histogram blocks[NR_PROBES];
	unsigned int nr_probes = hook_nr_probes(hook);
	int err;

	err = read_sums(reader, reader->maps.latency[hook], nr_probes * NR_BUCKETS,
			sizeof(struct bucket) / sizeof(__u64), (__u64 *)blocks);
	if (err)
		return err;

	memset(latency, 0, sizeof(*latency));
	for (unsigned int i = 0; i < nr_probes; i++)
		histogram_add(latency, &blocks[i]);
	return 0;
}

static int read_discards(struct snapshot_reader *reader, struct hook_counts hook_counts[NR_HOOKS])
{
	__u64 counts[NR_PROBES][NR_DISCARDS];
	int err;

	err = read_sums(reader, reader->maps.discards, NR_DISCARD_COUNTS, 1, counts[0]);
	if (err)
		return err;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		memset(hook_counts[hook].discarded, 0, sizeof(hook_counts[hook].discarded));
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			hook_counts[probes[probe].hook].discarded[cause] += counts[probe][cause];
	return 0;
}

int snapshot_read(struct snapshot_reader *reader, struct snapshot *snapshot)
{
	int err = 0;

	snapshot->taken_ns = clock_monotonic_ns();
	for (enum hook hook = 0; hook < NR_HOOKS && !err; hook++)
		err = read_latency(reader, hook, &snapshot->hooks[hook].latency);
	return err ? err : read_discards(reader, snapshot->hooks);
}

void snapshot_add(struct snapshot *into, const struct snapshot *other)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		histogram_add(&into->hooks[hook].latency, &other->hooks[hook].latency);
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			into->hooks[hook].discarded[cause] += other->hooks[hook].discarded[cause];
	}
}

void snapshot_subtract(struct snapshot *into, const struct snapshot *earlier)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		histogram_subtract(&into->hooks[hook].latency, &earlier->hooks[hook].latency);
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			into->hooks[hook].discarded[cause] -= earlier->hooks[hook].discarded[cause];
	}
}

static uint64_t take(uint64_t *count)
{
	uint64_t taken = *count;

	*count = 0;
	return taken;
}

void snapshot_discard_step(struct snapshot *snapshot, uint64_t step_ns)
{
	if (!step_ns)
		return;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		struct hook_counts *counts = &snapshot->hooks[hook];
		uint64_t *discarded = &counts->discarded[DISCARD_CLOCK_CHANGE];

		*discarded += take(&counts->discarded[DISCARD_FUTURE]);
		*discarded += take(&counts->discarded[DISCARD_NOT_RX]);
		for (__u32 i = bucket_index(step_ns); i < NR_BUCKETS; i++) {
			*discarded += counts->latency.buckets[i].count;
			counts->latency.buckets[i] = (struct bucket){ 0 };
		}
	}
}
