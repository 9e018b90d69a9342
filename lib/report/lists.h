/* SPDX-License-Identifier: GPL-2.0 */
/* The groups and stages of a report: those that were seen, in order. */
#ifndef NETSTACKLAT_LISTS_H
#define NETSTACKLAT_LISTS_H

#include "lib/counts/queued.h"
#include "lib/report/group_order.h"
#include "lib/report/report.h"

/*
 * Lists the groups that were seen, in this order, as reports have them: an array of *nr, to be
 * freed. It refers to groups and counts. Returns 0, or -ENOMEM after saying so.
 */
int report_list_groups(const struct group *groups, const struct group_counts *counts,
		       const struct group_order *order, struct report_group **list, size_t *nr);

/*
 * Lists the stages likewise: by table, then by group, and then in packet order. With
 * setup->plan.stages, the histograms of some hooks of setup are stages, too: stage_is_whole_hook().
 */
int report_list_stages(const struct group *groups, const struct snapshot *snapshot,
		       const struct report_setup *setup, const struct group_order *order,
		       struct report_group **list, size_t *nr);

/* Lists what is still queued, in the order that it has. */
int report_list_queued(const struct queued_groups *queued, struct report_group **list, size_t *nr);

#endif
