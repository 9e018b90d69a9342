// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/group_rows.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/find_or_add.h"
#include "lib/tables/hooks.h"

#define NO_GROUP UINT32_MAX

struct group_rows {
	struct group_maps maps;
	const struct group_row *keys_of_rows;
	const struct bucket *buckets; /* of each row in turn */
	uint32_t *group_of_row;
	struct group *groups;
	size_t nr_groups;
	unsigned int nr_used; /* rows */
	/* tsearch(3): of indexed_group, and of first_process */
	void *index, *processes;
};

/* A copy, as the array of groups moves when it grows. */
struct indexed_group {
	struct group group;
	uint32_t number;
};

/* The first that was found to have an id. */
struct first_process {
	uint32_t pid;
	uint64_t started_ns;
};

static size_t pages(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static size_t rows_size(const struct group_maps *maps)
{
	return pages(sizeof(struct group_row) * maps->nr_rows);
}

static size_t buckets_size(const struct group_maps *maps)
{
	return pages(sizeof(struct bucket) * NR_BUCKETS(maps->resolution) * maps->nr_rows);
}

static const void *map_memory(int fd, size_t size)
{
	const void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

struct group_rows *group_rows_new(const struct group_maps *maps)
{
	struct group_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->maps = *maps;
	rows->group_of_row = malloc(maps->nr_rows * sizeof(*rows->group_of_row));
	rows->keys_of_rows = map_memory(maps->rows, rows_size(maps));
	rows->buckets = map_memory(maps->latency, buckets_size(maps));
	if (!rows->group_of_row || !rows->keys_of_rows || !rows->buckets) {
		group_rows_free(rows);
		return NULL;
	}
	memset(rows->group_of_row, 0xff, maps->nr_rows * sizeof(*rows->group_of_row));
	return rows;
}

void group_rows_free(struct group_rows *rows)
{
	if (!rows)
		return;
	if (rows->keys_of_rows)
		munmap((void *)rows->keys_of_rows, rows_size(&rows->maps));
	if (rows->buckets)
		munmap((void *)rows->buckets, buckets_size(&rows->maps));
	tdestroy(rows->index, free);
	tdestroy(rows->processes, free);
	free(rows->group_of_row);
	free(rows->groups);
	free(rows);
}

const struct group *groups_get(const struct group_rows *rows)
{
	return rows->groups;
}

static int compare_groups(const void *a, const void *b)
{
	const struct indexed_group *x = a, *y = b;

	if (x->group.hook != y->group.hook)
		return x->group.hook < y->group.hook ? -1 : 1;
	if (x->group.from != y->group.from)
		return x->group.from < y->group.from ? -1 : 1;
	if (x->group.is_other != y->group.is_other)
		return x->group.is_other ? 1 : -1;
	return memcmp(&x->group.key, &y->group.key, sizeof(x->group.key));
}

static int compare_pids(const void *a, const void *b)
{
	const struct first_process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/*
 * Returns whether another process had the same id before. If there is no memory for more of them,
 * maybe.
 */
static bool is_later_process(struct group_rows *rows, const struct group_key *key)
{
	const struct first_process process = { key->pid, key->started_ns }, *first;
	bool is_new;

	if (!key->pid)
		return false;
	first = find_or_add(&rows->processes, &process, sizeof(process), compare_pids, &is_new);
	return !first || first->started_ns != key->started_ns;
}

/* The group of a row. */
static struct group group_of(struct group_rows *rows, const struct group_row *row)
{
	struct group group = { .hook = probes[row->key.probe].hook,
			       .from = row->key.stage_from,
			       .key = row->key };

	group.key.probe = group.key.stage_from = 0;
	if (!(rows->maps.keys & 1U << KEY_CPU))
		group.key.cpu = 0;
	/* It came along with the interface, which is not known. */
	if (!(rows->maps.keys & 1U << KEY_NETNS) && !row->key.ifindex)
		group.key.netns = 0;
	memcpy(group.comm, row->comm, sizeof(row->comm));
	group.addresses = row->addresses;
	group.is_later_process = is_later_process(rows, &row->key);
	return group;
}

/* The number of a group, a new one if need be; NO_GROUP without memory. */
static uint32_t find_group(struct group_rows *rows, const struct group *group)
{
	const struct indexed_group wanted = { *group, rows->nr_groups }, *found;
	struct group *groups;
	bool is_new;

	groups = reallocarray(rows->groups, rows->nr_groups + 1, sizeof(*groups));
	if (!groups)
		return NO_GROUP;
	rows->groups = groups;
	found = find_or_add(&rows->index, &wanted, sizeof(wanted), compare_groups, &is_new);
	if (is_new)
		groups[rows->nr_groups++] = *group;
	return found ? found->number : NO_GROUP;
}

/* Finds the groups of the rows that are new since the last reading. A row stays with its group. */
static int find_new_groups(struct group_rows *rows)
{
	for (unsigned int row = 0; row < rows->maps.nr_rows; row++) {
		struct group group;

		if (rows->group_of_row[row] != NO_GROUP ||
		    !__atomic_load_n(&rows->keys_of_rows[row].in_use, __ATOMIC_ACQUIRE))
			continue;
		group = group_of(rows, &rows->keys_of_rows[row]);
		rows->group_of_row[row] = find_group(rows, &group);
		if (rows->group_of_row[row] == NO_GROUP)
			return -ENOMEM;
		rows->nr_used++;
	}
	return 0;
}

struct rows_used group_rows_used(const struct group_rows *rows)
{
	return (struct rows_used){ rows->nr_used, rows->maps.nr_rows };
}

int group_rows_other(struct group_rows *rows, size_t group, size_t *other)
{
	const struct group *forgotten = &rows->groups[group];
	const struct group new = { .hook = forgotten->hook,
				   .from = forgotten->from,
				   .is_other = true };
	uint32_t number = find_group(rows, &new);

	*other = number;
	return number == NO_GROUP ? -ENOMEM : 0;
}

/* The programs go on counting meanwhile: each number is read at once. */
static void add_row(struct bucket *into, const struct bucket *row, unsigned int nr_buckets)
{
	for (unsigned int i = 0; i < nr_buckets; i++) {
		into[i].count += __atomic_load_n(&row[i].count, __ATOMIC_RELAXED);
		into[i].sum_ns += __atomic_load_n(&row[i].sum_ns, __ATOMIC_RELAXED);
	}
}

int group_rows_read(struct group_rows *rows, struct group_counts *counts)
{
	unsigned int nr_buckets = NR_BUCKETS(rows->maps.resolution);
	int err = find_new_groups(rows);

	if (!err)
		err = group_counts_resize(counts, rows->nr_groups, nr_buckets);
	if (err)
		return err;
	if (counts->nr)
		memset(counts->buckets, 0, counts->nr * nr_buckets * sizeof(struct bucket));
	for (unsigned int row = 0; row < rows->maps.nr_rows; row++)
		if (rows->group_of_row[row] != NO_GROUP)
			add_row(group_buckets(counts, rows->group_of_row[row]),
				rows->buckets + (size_t)row * nr_buckets, nr_buckets);
	return 0;
}
