/* SPDX-License-Identifier: GPL-2.0 */
/* The histograms of groups of packets: reading the rows that BPF programs count in (group.bpf.h).
 */
#ifndef NETSTACKLAT_GROUPS_H
#define NETSTACKLAT_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "../netstacklat.h"

/* A group at one hook: its rows are of several probes and CPUs. */
struct group {
	enum hook hook;
	struct group_key key; /* but for the probe, and for the CPU unless grouped by it */
	char comm[COMM_SIZE]; /* of the process that key.pid is, when first seen */
};

/* What was counted in nr groups, nr_buckets each, in the order of groups_get(). */
struct group_counts {
	struct bucket *buckets;
	size_t nr;
	unsigned int nr_buckets;
};

struct group_maps {
	int rows, latency; /* file descriptors of netstack_groups and netstack_group_latency */
	unsigned int nr_rows;
	unsigned int resolution;
	unsigned int facts; /* to group by, a bit each; 0 for no groups */
};

struct group_reader;

/* Maps the rows into memory, for as long as the reader lives. NULL with errno set. */
struct group_reader *group_reader_new(const struct group_maps *maps);
void group_reader_free(struct group_reader *reader);

/*
 * Reads all groups, of which there are only ever more. *counts starts from { 0 }, and is to be
 * freed with group_counts_free(). Returns 0 or a negative errno.
 */
int group_reader_read(struct group_reader *reader, struct group_counts *counts);

/* The groups that were found by then; valid until the next reading. */
const struct group *groups_get(const struct group_reader *reader);

/*
 * into = other and into += other, which has no fewer groups; into -= earlier, which has no more.
 * The first two return 0 or -ENOMEM.
 */
int group_counts_copy(struct group_counts *into, const struct group_counts *other);
int group_counts_add(struct group_counts *into, const struct group_counts *other);
void group_counts_subtract(struct group_counts *into, const struct group_counts *earlier);
void group_counts_free(struct group_counts *counts);

/* The buckets of one group. */
struct bucket *group_buckets(const struct group_counts *counts, size_t group);

#endif
