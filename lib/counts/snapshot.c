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

uint64_t hook_counts_unmeasured(const struct hook_counts *hook)
{
	return hook_counts_discarded(hook) - hook->discarded[DISCARD_FILTERED];
}

bool hook_counts_are_empty(const struct hook_counts *hook)
{
	return histogram_first(&hook->latency) < 0 && !hook_counts_discarded(hook);
}

/*
 * Counts packets that came, without discards of anything that the hook does not count. Other work
 * is no packet.
 */
static uint64_t packets_at(enum hook hook, const struct hook_counts *counts)
{
	if (hooks[hook].has & HAS_SPAN)
		return 0;
	return histogram_count(&counts->latency) + hook_counts_discarded(counts) -
	       counts->discarded[DISCARD_FILTERED];
}

/*
 * Returns what the busiest hook on exactly these paths saw; 0 means hooks on no path or on several.
 */
static uint64_t most_packets(const struct hook_counts counts[NR_HOOKS], unsigned int paths)
{
	uint64_t most = 0;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		unsigned int of = hooks[hook].paths;
		uint64_t nr = packets_at(hook, &counts[hook]);

		if (((of & (of - 1)) ? 0 : of) == paths && nr > most)
			most = nr;
	}
	return most;
}

uint64_t hook_counts_packets(const struct hook_counts counts[NR_HOOKS])
{
	uint64_t of_all = most_packets(counts, 0), sum = 0;

	for (unsigned int path = 1; path & PATH_ANY; path <<= 1)
		sum += most_packets(counts, path);
	return sum > of_all ? sum : of_all;
}

int snapshot_copy(struct snapshot *into, const struct snapshot *other)
{
	into->taken_ns = other->taken_ns;
	memcpy(into->hooks, other->hooks, sizeof(into->hooks));
	memcpy(into->programs, other->programs, sizeof(into->programs));
	memcpy(into->slow, other->slow, sizeof(into->slow));
	memcpy(into->stage_drops, other->stage_drops, sizeof(into->stage_drops));
	return group_counts_copy(&into->groups, &other->groups);
}

int snapshot_add(struct snapshot *into, const struct snapshot *other)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		histogram_add(&into->hooks[hook].latency, &other->hooks[hook].latency);
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			into->hooks[hook].discarded[cause] += other->hooks[hook].discarded[cause];
		into->hooks[hook].unpaired += other->hooks[hook].unpaired;
	}
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		program_counts_add(&into->programs[program], &other->programs[program]);
	for (int what = 0; what < NR_SLOW_COUNTS; what++)
		into->slow[what] += other->slow[what];
	for (unsigned int drop = 0; drop < NR_STAGE_DROPS; drop++)
		into->stage_drops[drop] += other->stage_drops[drop];
	return group_counts_add(&into->groups, &other->groups);
}

void snapshot_subtract(struct snapshot *into, const struct snapshot *earlier)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		histogram_subtract(&into->hooks[hook].latency, &earlier->hooks[hook].latency);
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			into->hooks[hook].discarded[cause] -= earlier->hooks[hook].discarded[cause];
		into->hooks[hook].unpaired -= earlier->hooks[hook].unpaired;
	}
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		program_counts_subtract(&into->programs[program], &earlier->programs[program]);
	for (int what = 0; what < NR_SLOW_COUNTS; what++)
		into->slow[what] -= earlier->slow[what];
	for (unsigned int drop = 0; drop < NR_STAGE_DROPS; drop++)
		into->stage_drops[drop] -= earlier->stage_drops[drop];
	group_counts_subtract(&into->groups, &earlier->groups);
}

static void discard_bucket(struct hook_counts *hook, unsigned int bucket)
{
	hook->discarded[DISCARD_CLOCK_CHANGE] += hook->latency.buckets[bucket].count;
	hook->latency.buckets[bucket] = (struct bucket){ 0 };
}

/* Makes the clock the cause of what was discarded for another one. */
static void blame_clock(struct hook_counts *hook, enum discard cause)
{
	hook->discarded[DISCARD_CLOCK_CHANGE] += hook->discarded[cause];
	hook->discarded[cause] = 0;
}

/* The time that a CPU took is measured by a clock that is never set. */
static bool counts_from_stamp(enum hook hook)
{
	return !(hooks[hook].has & HAS_SPAN);
}

void snapshot_discard_invalidated(struct snapshot *snapshot,
				  const struct clock_invalidated *invalidated,
				  const struct group *groups)
{
	unsigned int resolution = snapshot->hooks[0].latency.resolution;
	unsigned int nr_buckets = NR_BUCKETS(resolution), first = nr_buckets;
	struct group_counts *counts = &snapshot->groups;

	if (invalidated->from_ns != UINT64_MAX)
		first = bucket_index(invalidated->from_ns, resolution);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!counts_from_stamp(hook))
			continue;
		if (invalidated->stamps) {
			blame_clock(&snapshot->hooks[hook], DISCARD_FUTURE);
			blame_clock(&snapshot->hooks[hook], DISCARD_NOT_RX);
		}
		for (unsigned int i = first; i < nr_buckets; i++)
			discard_bucket(&snapshot->hooks[hook], i);
	}
	/* The hook counts these samples as discarded already. */
	for (size_t i = 0; i < counts->nr; i++)
		if (first < counts->nr_buckets && groups[i].from == FROM_STAMP &&
		    counts_from_stamp(groups[i].hook))
			memset(group_buckets(counts, i) + first, 0,
			       (counts->nr_buckets - first) * sizeof(struct bucket));
}
