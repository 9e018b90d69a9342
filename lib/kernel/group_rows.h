/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the rows of groups that the programs count in (lib/bpf/path/group.bpf.h). */
#ifndef NETSTACKLAT_GROUP_ROWS_H
#define NETSTACKLAT_GROUP_ROWS_H

#include "lib/counts/groups.h"

struct group_maps {
	int rows, latency; /* file descriptors of netstack_groups and netstack_group_latency */
	unsigned int nr_rows;
	unsigned int resolution;
	unsigned int keys; /* to group by, a bit each; 0 for no groups */
};

struct group_rows;

/* Maps the rows into memory, for as long as this lives. NULL with errno set. */
struct group_rows *group_rows_new(const struct group_maps *maps);
void group_rows_free(struct group_rows *rows);

/*
 * Reads all groups, of which there are only ever more. *counts starts from { 0 }, and is to be
 * freed with group_counts_free(). Returns 0 or a negative errno.
 */
int group_rows_read(struct group_rows *rows, struct group_counts *counts);

/*
 * Finds the group called "other" for what one is of, a hook or a stage, which may be new. Returns 0
 * or -ENOMEM.
 */
int group_rows_other(struct group_rows *rows, size_t group, size_t *other);

/* The rows that were in use at the last reading. */
struct rows_used group_rows_used(const struct group_rows *rows);

/* The groups that were found by then; valid until there is a new one. */
const struct group *groups_get(const struct group_rows *rows);

#endif
