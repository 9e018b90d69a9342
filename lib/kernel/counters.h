/* SPDX-License-Identifier: GPL-2.0 */
/* The counters in the maps of the programs, which nobody ever clears. */
#ifndef NETSTACKLAT_COUNTERS_H
#define NETSTACKLAT_COUNTERS_H

#include "lib/counts/snapshot.h"
#include "lib/kernel/group_rows.h"
#include "lib/kernel/stacks.h"
#include "lib/kernel/wait_maps.h"

/* The maps of stages. */
struct stage_maps {
	int latency;  /* file descriptor; negative if there are none, or if they are groups */
	int unpaired; /* likewise; negative if there are no stages at all */
	int drops;    /* negative if these are not counted */
	unsigned int nr_blocks;		       /* in the first of these */
	const __u16 (*blocks)[NR_STAGE_FROMS]; /* see struct config */
	const __u16 *probe_blocks;
};

struct map_fds {
	int latency[NR_HOOKS]; /* file descriptors, negative for hooks that have none of their own
				*/
	int discards;
	int slow_packets, slow_counts; /* negative if packets are not reported one by one */
	struct wait_maps waits;
	struct stack_maps stacks;
	int programs[MAX_PROGRAMS]; /* negative for those that there are not */
	bool counts[NR_PROBES];	    /* whether its program does, not only keeps for others */
	bool overhead;		    /* whether to read what they cost */
	unsigned int resolution;    /* of the histograms */
	struct group_maps groups;
	struct stage_maps stages;
};

struct counters;

/* Makes one with the buffers that reading takes, or returns NULL with errno set. */
struct counters *counters_new(const struct map_fds *maps);
void counters_free(struct counters *counters);

/* Reads all counts, those of hooks summed over CPUs and probes. Returns 0 or a negative errno. */
int counters_read(struct counters *counters, struct snapshot *snapshot);

/*
 * Returns the group with the counts of forgotten groups: see group_rows_other(). Stages that are
 * not grouped are never forgotten.
 */
int counters_other(struct counters *counters, size_t group, size_t *other);

/* The same for groups, if there are any: see group_rows_recycle() and group_rows_reuse(). */
int counters_recycle(struct counters *counters, uint64_t now_ns, uint64_t since_ns);
void counters_reuse(struct counters *counters,
		    bool (*is_forgotten)(void *context, size_t group, uint64_t count),
		    void *context);

/*
 * Returns what the groups of snapshots are, some of which are stages; valid until there is a new
 * one. NULL if there are none.
 */
const struct group *counters_groups(const struct counters *counters);

struct rows_used counters_rows(const struct counters *counters);

/* The keys of the stage_drops of snapshots, in their order; NULL if they are not counted. */
const struct stage_drop *counters_drops(const struct counters *counters);

#endif
