// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/snapshot.h"

#include <string.h>

#include "lib/tables/bucket.h"

void snapshot_clear_hooks(struct snapshot *snapshot, unsigned int resolution)
{
	memset(snapshot->hooks, 0, sizeof(snapshot->hooks));
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		snapshot->hooks[hook].latency.resolution = resolution;
}

void snapshot_init(struct snapshot *snapshot, unsigned int resolution)
{
	memset(snapshot, 0, sizeof(*snapshot));
	snapshot_clear_hooks(snapshot, resolution);
}

void snapshot_free(struct snapshot *snapshot)
{
	group_counts_free(&snapshot->groups);
}

uint64_t hook_counts_discarded(const struct hook_counts *hook)
{
	uint64_t sum = 0;

	for (int cause = 0; cause < NR_DISCARDS; cause++)
		sum += hook->discarded[cause];
	return sum;
}

int snapshot_copy(struct snapshot *into, const struct snapshot *other)
{
	into->taken_ns = other->taken_ns;
	memcpy(into->hooks, other->hooks, sizeof(into->hooks));
	memcpy(into->programs, other->programs, sizeof(into->programs));
	return group_counts_copy(&into->groups, &other->groups);
}

int snapshot_add(struct snapshot *into, const struct snapshot *other)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		histogram_add(&into->hooks[hook].latency, &other->hooks[hook].latency);
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			into->hooks[hook].discarded[cause] += other->hooks[hook].discarded[cause];
	}
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		program_counts_add(&into->programs[program], &other->programs[program]);
	return group_counts_add(&into->groups, &other->groups);
}

void snapshot_subtract(struct snapshot *into, const struct snapshot *earlier)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		histogram_subtract(&into->hooks[hook].latency, &earlier->hooks[hook].latency);
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			into->hooks[hook].discarded[cause] -= earlier->hooks[hook].discarded[cause];
	}
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		program_counts_subtract(&into->programs[program], &earlier->programs[program]);
	group_counts_subtract(&into->groups, &earlier->groups);
}

static uint64_t take(uint64_t *count)
{
	uint64_t taken = *count;

	*count = 0;
	return taken;
}

void snapshot_discard_step(struct snapshot *snapshot, uint64_t step_ns)
{
	struct group_counts *groups = &snapshot->groups;

	if (!step_ns)
		return;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		struct hook_counts *counts = &snapshot->hooks[hook];
		struct histogram *latency = &counts->latency;
		uint64_t *discarded = &counts->discarded[DISCARD_CLOCK_CHANGE];

		*discarded += take(&counts->discarded[DISCARD_FUTURE]);
		*discarded += take(&counts->discarded[DISCARD_NOT_RX]);
		for (__u32 i = bucket_index(step_ns, latency->resolution);
		     i < histogram_nr_buckets(latency); i++) {
			*discarded += latency->buckets[i].count;
			latency->buckets[i] = (struct bucket){ 0 };
		}
	}
	/* Their hook counts these already. */
	for (size_t i = 0; i < groups->nr; i++)
		for (unsigned int j = bucket_index(step_ns, snapshot->hooks[0].latency.resolution);
		     j < groups->nr_buckets; j++)
			group_buckets(groups, i)[j] = (struct bucket){ 0 };
}
