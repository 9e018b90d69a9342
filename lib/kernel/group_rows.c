// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/group_rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/find_or_add.h"
#include "lib/counts/histogram.h"
#include "lib/tables/hooks.h"
#include "lib/tables/units.h"

#define NO_GROUP UINT32_MAX

/* No program is still at a row by then that it found before. */
#define GRACE_NS NS_PER_S
/* Each is a system call, and others wait meanwhile. */
#define MAX_TAKEN_AWAY 1024

struct used_row {
	uint32_t group;	     /* NO_GROUP: it is not in use */
	bool is_taken_away;  /* from its group, to be given back */
	uint64_t count;	     /* at the last reading, ... */
	uint64_t changed_ns; /* ... and when it was first that */
};

struct group_rows {
	struct group_maps maps;
	struct group_row *keys_of_rows;
	struct bucket *buckets; /* of each row in turn */
	struct used_row *used;
	struct group *groups;
	unsigned int *nr_rows; /* of each group */
	size_t nr_groups;
	size_t room;	      /* for so many of them */
	unsigned int nr_used; /* rows */
	/* The counts of rows that were given back, by group. */
	struct group_counts given_back;
	uint64_t taken_away_ns; /* when rows were; 0: none were */
	bool (*is_forgotten)(void *context, size_t group, uint64_t count);
	void *context;
	/* tsearch(3): of indexed_group, and of first_process */
	void *index, *processes;
};

/* A copy, as the array of groups moves when it grows. */
struct indexed_group {
	struct group group;
	uint32_t number;
};

/* The first process that was found with an id, kept for as long as it has groups. */
struct first_process {
	uint32_t pid;
	unsigned int nr_groups; /* of all processes that had the id */
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

static void *map_memory(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

struct group_rows *group_rows_new(const struct group_maps *maps)
{
	struct group_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->maps = *maps;
	rows->used = malloc(maps->nr_rows * sizeof(*rows->used));
	rows->keys_of_rows = map_memory(maps->rows, rows_size(maps));
	rows->buckets = map_memory(maps->latency, buckets_size(maps));
	if (!rows->used || !rows->keys_of_rows || !rows->buckets) {
		group_rows_free(rows);
		return NULL;
	}
	for (unsigned int row = 0; row < maps->nr_rows; row++)
		rows->used[row] = (struct used_row){ .group = NO_GROUP };
	return rows;
}

void group_rows_free(struct group_rows *rows)
{
	if (!rows)
		return;
	if (rows->keys_of_rows)
		munmap(rows->keys_of_rows, rows_size(&rows->maps));
	if (rows->buckets)
		munmap(rows->buckets, buckets_size(&rows->maps));
	tdestroy(rows->index, free);
	tdestroy(rows->processes, free);
	group_counts_free(&rows->given_back);
	free(rows->used);
	free(rows->groups);
	free(rows->nr_rows);
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

/* Returns whether another process had the same id before. Without memory to know, it may have. */
static bool is_later_process(struct group_rows *rows, const struct group_key *key)
{
	const struct first_process process = { .pid = key->pid, .started_ns = key->started_ns };
	const struct first_process *first;
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

/*
 * Makes room for one more group, and for some beyond: if room grew one by one, 8192 new groups
 * would be moved 8192 times. Returns whether there is memory for it.
 */
static bool make_room(struct group_rows *rows)
{
	size_t room = rows->room + rows->room / 4 + 64;
	struct group *groups;
	unsigned int *nr_rows;

	if (rows->nr_groups < rows->room)
		return true;
	groups = reallocarray(rows->groups, room, sizeof(*groups));
	if (!groups)
		return false;
	rows->groups = groups;
	nr_rows = reallocarray(rows->nr_rows, room, sizeof(*nr_rows));
	if (!nr_rows)
		return false;
	rows->nr_rows = nr_rows;
	if (group_counts_resize(&rows->given_back, room, NR_BUCKETS(rows->maps.resolution)))
		return false;
	rows->room = room;
	return true;
}

/* Returns whether a new group may take over the number of another one, as nobody needs that. */
static bool may_go_on_as(const struct group_rows *rows, size_t number, const struct group *group)
{
	const struct group *other = &rows->groups[number];

	return rows->is_forgotten && !rows->nr_rows[number] && !other->is_other &&
	       other->hook == group->hook && other->from == group->from &&
	       rows->is_forgotten(rows->context, number,
				  buckets_count(group_buckets(&rows->given_back, number),
						rows->given_back.nr_buckets));
}

static void remove_from_index(struct group_rows *rows, const struct group *group)
{
	const struct indexed_group key = { .group = *group };
	struct indexed_group **found = tfind(&key, &rows->index, compare_groups), *removed = *found;

	tdelete(&key, &rows->index, compare_groups);
	free(removed);
}

/* NULL without a process, or if there was no memory for it. */
static struct first_process *first_process_of(const struct group_rows *rows,
					      const struct group *group)
{
	const struct first_process key = { .pid = group->key.pid };
	struct first_process **found = tfind(&key, &rows->processes, compare_pids);

	return found ? *found : NULL;
}

static void remove_from_processes(struct group_rows *rows, const struct group *group)
{
	struct first_process *first = first_process_of(rows, group);

	if (!first || --first->nr_groups)
		return;
	tdelete(first, &rows->processes, compare_pids);
	free(first);
}

static void add_to_processes(struct group_rows *rows, const struct group *group)
{
	struct first_process *first = first_process_of(rows, group);

	if (first)
		first->nr_groups++;
}

/* Takes the number of a group that the new one may go on from, or the next number. */
static uint32_t take_number(struct group_rows *rows, const struct group *group)
{
	size_t number = 0;

	while (number < rows->nr_groups && !may_go_on_as(rows, number, group))
		number++;
	add_to_processes(rows, group);
	if (number < rows->nr_groups) {
		remove_from_index(rows, &rows->groups[number]);
		remove_from_processes(rows, &rows->groups[number]);
	} else {
		rows->nr_rows[rows->nr_groups++] = 0;
	}
	rows->groups[number] = *group;
	return number;
}

/* The number of a group, a new one if need be; NO_GROUP without memory. */
static uint32_t find_group(struct group_rows *rows, const struct group *group)
{
	const struct indexed_group wanted = { .group = *group };
	struct indexed_group *found;
	bool is_new;

	if (!make_room(rows))
		return NO_GROUP;
	found = find_or_add(&rows->index, &wanted, sizeof(wanted), compare_groups, &is_new);
	if (!found)
		return NO_GROUP;
	if (is_new)
		found->number = take_number(rows, group);
	return found->number;
}

/* Finds the groups of the rows that are new since the last reading. */
static int find_new_groups(struct group_rows *rows, uint64_t now_ns)
{
	for (unsigned int row = 0; row < rows->maps.nr_rows; row++) {
		struct group group;
		uint32_t number;

		if (rows->used[row].group != NO_GROUP ||
		    !__atomic_load_n(&rows->keys_of_rows[row].in_use, __ATOMIC_ACQUIRE))
			continue;
		group = group_of(rows, &rows->keys_of_rows[row]);
		number = find_group(rows, &group);
		if (number == NO_GROUP)
			return -ENOMEM;
		rows->used[row] = (struct used_row){ .group = number, .changed_ns = now_ns };
		rows->nr_rows[number]++;
		rows->nr_used++;
	}
	return 0;
}

void group_rows_reuse(struct group_rows *rows,
		      bool (*is_forgotten)(void *context, size_t group, uint64_t count),
		      void *context)
{
	rows->is_forgotten = is_forgotten;
	rows->context = context;
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

static struct bucket *buckets_of_row(const struct group_rows *rows, unsigned int row)
{
	return rows->buckets + (size_t)row * NR_BUCKETS(rows->maps.resolution);
}

/*
 * Adds a row. Programs go on counting, so each number is read at once. Returns how many were
 * counted.
 */
static uint64_t add_row(struct bucket *into, const struct bucket *row, unsigned int nr_buckets)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr_buckets; i++) {
		uint64_t count = __atomic_load_n(&row[i].count, __ATOMIC_RELAXED);

		into[i].count += count;
		into[i].sum_ns += __atomic_load_n(&row[i].sum_ns, __ATOMIC_RELAXED);
		sum += count;
	}
	return sum;
}

static void read_row(struct group_rows *rows, unsigned int row, uint64_t now_ns,
		     struct group_counts *counts)
{
	struct used_row *used = &rows->used[row];
	uint64_t count = add_row(group_buckets(counts, used->group), buckets_of_row(rows, row),
				 counts->nr_buckets);

	if (count == used->count)
		return;
	used->count = count;
	used->changed_ns = now_ns;
}

int group_rows_read(struct group_rows *rows, uint64_t now_ns, struct group_counts *counts)
{
	const unsigned int nr_buckets = NR_BUCKETS(rows->maps.resolution);
	int err = find_new_groups(rows, now_ns);

	if (!err)
		err = group_counts_resize(counts, rows->nr_groups, nr_buckets);
	if (err)
		return err;
	if (counts->nr)
		memcpy(counts->buckets, rows->given_back.buckets,
		       counts->nr * nr_buckets * sizeof(struct bucket));
	for (unsigned int row = 0; row < rows->maps.nr_rows; row++)
		if (rows->used[row].group != NO_GROUP)
			read_row(rows, row, now_ns, counts);
	return 0;
}

/* No program finds it any more, but one that is there may count. */
static int take_away(struct group_rows *rows, unsigned int row)
{
	if (bpf_map_delete_elem(rows->maps.row_of, &rows->keys_of_rows[row].key))
		return -errno;
	rows->used[row].is_taken_away = true;
	return 0;
}

static int take_away_idle(struct group_rows *rows, uint64_t now_ns, uint64_t since_ns)
{
	unsigned int nr = 0;
	int err = 0;

	for (unsigned int row = 0; row < rows->maps.nr_rows && nr < MAX_TAKEN_AWAY && !err; row++) {
		if (rows->used[row].group == NO_GROUP || rows->used[row].changed_ns >= since_ns)
			continue;
		err = take_away(rows, row);
		nr++;
	}
	if (!nr)
		return err;
	__atomic_fetch_add(rows->maps.epoch, 1, __ATOMIC_RELEASE);
	rows->taken_away_ns = now_ns;
	return err;
}

static int give_back(struct group_rows *rows, unsigned int row)
{
	const unsigned int nr_buckets = NR_BUCKETS(rows->maps.resolution);
	struct bucket *buckets = buckets_of_row(rows, row);
	struct used_row *used = &rows->used[row];

	add_row(group_buckets(&rows->given_back, used->group), buckets, nr_buckets);
	memset(buckets, 0, nr_buckets * sizeof(*buckets));
	rows->keys_of_rows[row] = (struct group_row){ 0 };
	rows->nr_rows[used->group]--;
	rows->nr_used--;
	*used = (struct used_row){ .group = NO_GROUP };
	return bpf_map_update_elem(rows->maps.recycled, NULL, &row, BPF_ANY) ? -errno : 0;
}

static int give_back_all(struct group_rows *rows)
{
	int err = 0;

	for (unsigned int row = 0; row < rows->maps.nr_rows && !err; row++)
		if (rows->used[row].is_taken_away)
			err = give_back(rows, row);
	rows->taken_away_ns = 0;
	return err;
}

int group_rows_recycle(struct group_rows *rows, uint64_t now_ns, uint64_t since_ns)
{
	if (!rows->taken_away_ns)
		return take_away_idle(rows, now_ns, since_ns);
	return now_ns - rows->taken_away_ns < GRACE_NS ? 0 : give_back_all(rows);
}
