/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the rows of groups that the programs count in (lib/bpf/path/group.bpf.h). */
#ifndef NETSTACKLAT_GROUP_ROWS_H
#define NETSTACKLAT_GROUP_ROWS_H

#include "lib/counts/groups.h"

struct group_maps {
	int rows, latency; /* file descriptors of netstack_groups and netstack_group_latency, ... */
	int row_of, recycled; /* ... of group_row_of and of group_recycled_rows */
	__u32 *epoch;	      /* group_epoch, shared with the programs */
	unsigned int nr_rows;
	unsigned int resolution;
	unsigned int keys; /* to group by, a bit each; 0 for no groups */
};

struct group_rows;

/* Maps the rows into memory, for as long as this lives. NULL with errno set. */
struct group_rows *group_rows_new(const struct group_maps *maps);
void group_rows_free(struct group_rows *rows);

/*
 * Reads all groups at this time (CLOCK_MONOTONIC). Their number only grows. *counts starts from { 0
 * }, and is freed with group_counts_free(). Returns 0 or a negative errno.
 */
int group_rows_read(struct group_rows *rows, uint64_t now_ns, struct group_counts *counts);

/*
 * Gives back rows that have counted nothing since then, for new groups. That takes two calls, a
 * second apart. The first takes the rows away from their groups, and the second clears them, as no
 * program counts there any more. A group without rows keeps its number and its counts. Returns 0 or
 * a negative errno.
 */
int group_rows_recycle(struct group_rows *rows, uint64_t now_ns, uint64_t since_ns);

/*
 * Has groups without rows make room for new groups of the same hook, which go on from their counts.
 * is_forgotten() says whether nobody needs a group any more, by its number and count.
 */
void group_rows_reuse(struct group_rows *rows,
		      bool (*is_forgotten)(void *context, size_t group, uint64_t count),
		      void *context);

/*
 * Finds the group called "other" of a group's hook or stage, which may be new. Returns 0 or
 * -ENOMEM.
 */
int group_rows_other(struct group_rows *rows, size_t group, size_t *other);

/* The rows that are in use, as far as was read. */
struct rows_used group_rows_used(const struct group_rows *rows);

/* The groups that were found by then; valid until there is a new one. */
const struct group *groups_get(const struct group_rows *rows);

#endif
