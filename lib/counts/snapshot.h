/* SPDX-License-Identifier: GPL-2.0 */
/* All counts at one moment, and what they come to between two moments. */
#ifndef NETSTACKLAT_SNAPSHOT_H
#define NETSTACKLAT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/counts/groups.h"
#include "lib/counts/histogram.h"
#include "lib/tables/discards.h"
#include "lib/tables/slow_packet.h"
#include "lib/counts/program_counts.h"
#include "lib/tables/hooks.h"

struct hook_counts {
	struct histogram latency;
	uint64_t discarded[NR_DISCARDS];
	uint64_t unpaired; /* packets of which the hook before is not known */
};

/* All that were discarded, for whatever cause. */
uint64_t hook_counts_discarded(const struct hook_counts *hook);

/* Counts packets that were asked for, but could not be measured: all discards except by filters. */
uint64_t hook_counts_unmeasured(const struct hook_counts *hook);

/* Neither recorded nor discarded anything. */
bool hook_counts_are_empty(const struct hook_counts *hook);

/*
 * Returns how many packets there were, as far as hooks tell: as many as the busiest hook of all
 * packets saw or, if that is more, the busiest hooks of TCP, UDP and so on together. Some hooks may
 * be left out, and a packet comes to many.
 */
uint64_t hook_counts_packets(const struct hook_counts counts[NR_HOOKS]);

/*
 * Counts since the programs were loaded or, after snapshot_subtract(), between two readings. It
 * starts with snapshot_init(), and is freed with snapshot_free().
 */
struct snapshot {
	uint64_t taken_ns; /* CLOCK_MONOTONIC */
	struct hook_counts hooks[NR_HOOKS];
	struct group_counts groups;		      /* parts of what is in hooks, and stages */
	struct program_counts programs[MAX_PROGRAMS]; /* if what they cost is read, or zero */
	uint64_t slow[NR_SLOW_COUNTS];		      /* slow packets, or zero */
	uint64_t stage_drops[NR_STAGE_DROPS];	      /* in the order of their reader, or zero */
};

/* Makes one without any count. */
void snapshot_init(struct snapshot *snapshot, unsigned int resolution);
void snapshot_free(struct snapshot *snapshot);

/* Forgets the counts of hooks, whatever their resolution, but not those of groups. */
void snapshot_clear_hooks(struct snapshot *snapshot, unsigned int resolution);

/* into = other, into += other and into -= earlier. The first two return 0 or -ENOMEM. */
int snapshot_copy(struct snapshot *into, const struct snapshot *other);
int snapshot_add(struct snapshot *into, const struct snapshot *other);
void snapshot_subtract(struct snapshot *into, const struct snapshot *earlier);

/* The counts that a step of the clock may have invalidated. */
struct clock_invalidated {
	uint64_t from_ns; /* latencies of at least this; UINT64_MAX: none */
	bool stamps;	  /* those that lie in the future, or long before the machine was up */
};

/*
 * Discards what the steps may have invalidated, by whole buckets. Stages are measured by a clock
 * that is never set: groups tells which groups are stages, and is NULL if there are none.
 */
void snapshot_discard_invalidated(struct snapshot *snapshot,
				  const struct clock_invalidated *invalidated,
				  const struct group *groups);

#endif
