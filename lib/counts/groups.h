/* SPDX-License-Identifier: GPL-2.0 */
/* The histograms of groups of packets: pure functions on counts. */
#ifndef NETSTACKLAT_GROUPS_H
#define NETSTACKLAT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/tables/bucket.h"
#include "lib/tables/group_row.h"

/*
 * Packets that have keys in common, on their way to one hook. Their rows come from several probes
 * and CPUs.
 */
struct group {
	enum hook hook;
	__u8 from;	      /* where their way begins: STAGE_FROM(), or FROM_STAMP */
	struct group_key key; /* what they have in common; where they are counted is zero */
	char comm[COMM_SIZE]; /* of the process or thread that the key names, when first seen */
	struct socket_addresses addresses; /* of the socket that it names, likewise */
	bool is_later_process;		   /* another one had its id before */
	__u16 nr_sharing; /* other processes that have the socket where these wait; see queued.h */
	bool is_other;	  /* has what groups that were forgotten counted, not its own key's */
};

/* The rows for groups, of which some are in use. */
struct rows_used {
	unsigned int used, max; /* both 0 without groups */
};

/* The group that keeps only some keys, a bit each, of this one. */
struct group group_by_keys(const struct group *group, unsigned int keys);

/* Orders groups by what they have in common, wherever they are counted. */
int group_compare_keys(const struct group *group, const struct group *other);

/* The counts of nr groups, nr_buckets each, in the order of the reader's groups. */
struct group_counts {
	struct bucket *buckets;
	size_t nr;
	unsigned int nr_buckets;
};

/*
 * into = other and into += other, which has no fewer groups; into -= earlier, which has no more.
 * The first two return 0 or -ENOMEM.
 */
int group_counts_copy(struct group_counts *into, const struct group_counts *other);
int group_counts_add(struct group_counts *into, const struct group_counts *other);
void group_counts_subtract(struct group_counts *into, const struct group_counts *earlier);
void group_counts_free(struct group_counts *counts);

/* Makes room for nr groups, without counts for those that are new. Returns 0 or -ENOMEM. */
int group_counts_resize(struct group_counts *counts, size_t nr, unsigned int nr_buckets);

/* The buckets of one group. */
struct bucket *group_buckets(const struct group_counts *counts, size_t group);

#endif
