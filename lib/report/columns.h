/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of intervals, as columns of a timeline: a panel for each hook, group and stage. */
#ifndef NETSTACKLAT_COLUMNS_H
#define NETSTACKLAT_COLUMNS_H

#include "lib/counts/timeline.h"
#include "lib/report/report.h"

/* The subjects of panels: the views of a timeline. */
enum view_kind { VIEW_STAGES, VIEW_HOOKS, VIEW_GROUPS, NR_VIEWS };
extern const char *const view_names[NR_VIEWS];

/* Adds the report of an interval; one that is longer by half is a gap. Returns 0 or -ENOMEM. */
int columns_add(struct timeline *timeline, const struct report *report, uint64_t interval_ns);

#endif
