/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of intervals, as columns of a timeline: a panel for each hook, group and stage. Groups,
 * and stages of groups, are split by keys: all that have these keys in common share a panel.
 */
#ifndef NETSTACKLAT_COLUMNS_H
#define NETSTACKLAT_COLUMNS_H

#include "lib/counts/timeline.h"
#include "lib/report/report.h"

/* The subjects of panels: the views of a timeline. */
enum view_kind { VIEW_STAGES, VIEW_HOOKS, VIEW_GROUPS, NR_VIEWS };
extern const char *const view_names[NR_VIEWS];

/* Ways to split, each a mask of enum key. The first one gets room before the others. */
#define MAX_SPLITS (NR_KEYS + 2)
struct splits {
	unsigned int masks[MAX_SPLITS];
	size_t nr;
};

/*
 * Returns the split by all of these keys together. To choose from, it adds splits by none of them,
 * and by each alone.
 */
struct splits splits_of(unsigned int keys, bool to_choose_from);

/* " by port, pid", or nothing. */
void split_print(FILE *out, unsigned int split);

/*
 * Adds the report of an interval, split in each of these ways. An interval that is longer by half
 * is a gap. Returns 0 or -ENOMEM.
 */
int columns_add(struct timeline *timeline, const struct report *report, const struct splits *splits,
		uint64_t interval_ns);

#endif
