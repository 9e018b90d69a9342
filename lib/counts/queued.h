/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that are still queued when a report ends, as groups: pure functions. */
#ifndef NETSTACKLAT_COUNTS_QUEUED_H
#define NETSTACKLAT_COUNTS_QUEUED_H

#include "lib/counts/groups.h"
#include "lib/tables/queued.h"

/* Groups, and their histograms: how long all of these have waited up to now. */
struct queued_groups {
	struct group *groups;
	struct group_counts counts;
};

/*
 * Makes a group of each socket's packets, which follow each other in the list. Services' sockets
 * themselves are left out. The caller frees the groups with queued_groups_free(), also after a
 * failure. Returns 0 or -ENOMEM.
 */
int queued_groups_make(struct queued_groups *groups, const struct queued *list, size_t nr,
		       unsigned int resolution);
void queued_groups_free(struct queued_groups *groups);

#endif
