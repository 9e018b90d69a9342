/* SPDX-License-Identifier: GPL-2.0 */
/* All counts at one moment: the only reader of the maps, which nobody ever clears. */
#ifndef NETSTACKLAT_SNAPSHOT_H
#define NETSTACKLAT_SNAPSHOT_H

#include <stdint.h>

#include "groups.h"
#include "histogram.h"

struct hook_counts {
	struct histogram latency;
	uint64_t discarded[NR_DISCARDS];
};

/* All that were discarded, for whatever cause. */
uint64_t hook_counts_discarded(const struct hook_counts *hook);

/*
 * Counts since the programs were loaded or, after snapshot_subtract(), between two readings. Starts
 * with snapshot_init(), and is to be freed with snapshot_free().
 */
struct snapshot {
	uint64_t taken_ns; /* CLOCK_MONOTONIC */
	struct hook_counts hooks[NR_HOOKS];
	struct group_counts groups; /* parts of what is in hooks */
};

struct snapshot_maps {
	int latency[NR_HOOKS]; /* file descriptors, negative for hooks that have none */
	int discards;
	int programs[NR_PROBES]; /* that count, negative for probes without */
	unsigned int resolution; /* of the histograms */
	struct group_maps groups;
};

struct snapshot_reader;

/* A reader with the buffers that reading takes, or NULL with errno set. */
struct snapshot_reader *snapshot_reader_new(const struct snapshot_maps *maps);
void snapshot_reader_free(struct snapshot_reader *reader);

/* Without any count. */
void snapshot_init(struct snapshot *snapshot, unsigned int resolution);
void snapshot_free(struct snapshot *snapshot);

/* Reads all counts, summed over CPUs and each hook's probes. Returns 0 or a negative errno. */
int snapshot_read(struct snapshot_reader *reader, struct snapshot *snapshot);

/* What the groups of snapshots are; valid until the next reading. NULL if there are none. */
const struct group *snapshot_groups(const struct snapshot_reader *reader);

/* into = other, into += other and into -= earlier. The first two return 0 or -ENOMEM. */
int snapshot_copy(struct snapshot *into, const struct snapshot *other);
int snapshot_add(struct snapshot *into, const struct snapshot *other);
void snapshot_subtract(struct snapshot *into, const struct snapshot *earlier);

/*
 * Discards what was counted while the clock was set by step_ns (either way), as far as the step may
 * explain it: stamps that make no sense, and latencies of at least step_ns, which are recorded only
 * in part then. A step of 0 is none.
 */
void snapshot_discard_step(struct snapshot *snapshot, uint64_t step_ns);

#endif
