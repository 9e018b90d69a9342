/* SPDX-License-Identifier: GPL-2.0 */
/* What a report has of groups and stages: those that were seen, in order. */
#ifndef NETSTACKLAT_LISTS_H
#define NETSTACKLAT_LISTS_H

#include "lib/report/group_order.h"
#include "lib/report/report.h"

/*
 * The groups that were seen, as reports have them, in this order: an array of *nr, to be freed. It
 * refers to groups and counts. Returns 0, or -ENOMEM after saying so.
 */
int report_list_groups(const struct group *groups, const struct group_counts *counts,
		       const struct group_order *order, struct report_group **list, size_t *nr);

/*
 * The same of stages: by table, then by group, and then in packet order. What comes first is the
 * stage from the stamp to netif-receive, if that hook is_shown: it is the histogram there.
 */
int report_list_stages(const struct group *groups, const struct snapshot *counts, bool is_shown,
		       const struct group_order *order, struct report_group **list, size_t *nr);

#endif
