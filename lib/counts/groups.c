// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counts/histogram.h"

int group_counts_resize(struct group_counts *counts, size_t nr, unsigned int nr_buckets)
{
	size_t size = nr_buckets * sizeof(struct bucket);
	struct bucket *buckets;

	counts->nr_buckets = nr_buckets;
	if (nr <= counts->nr)
		return 0;
	buckets = reallocarray(counts->buckets, nr, size);
	if (!buckets)
		return -ENOMEM;
	memset(buckets + counts->nr * nr_buckets, 0, (nr - counts->nr) * size);
	counts->buckets = buckets;
	counts->nr = nr;
	return 0;
}

/*
 * The keys in a group, by place: an interface comes with its namespace, and a process with its
 * start.
 */
static const struct member {
	size_t offset, size;
} key_members[NR_KEYS][2] = {
#define KEY(id, name, needs, kept, ...) [KEY_##id] = { __VA_ARGS__ },
#define MEMBER(name) { offsetof(struct group_key, name), sizeof(((struct group_key *)0)->name) },
#define IS(member, value) MEMBER(member)
#define IS_ONE_OF_FEW(member, value) MEMBER(member)
#define IS_PROCESS MEMBER(pid) MEMBER(started_ns)
#define IS_NAMED MEMBER(comm)
#include "lib/tables/keys.def"
};

static void copy_member(struct group_key *to, const struct group_key *from,
			const struct member *member)
{
	memcpy((char *)to + member->offset, (const char *)from + member->offset, member->size);
}

struct group group_by_keys(const struct group *group, unsigned int keys)
{
	struct group by_keys = *group;

	by_keys.key = (struct group_key){ 0 };
	for (enum key key = 0; key < NR_KEYS; key++)
		for (int i = 0; i < 2 && keys >> key & 1; i++)
			copy_member(&by_keys.key, &group->key, &key_members[key][i]);
	/* Others have other names and addresses. */
	if (!(keys & (1U << KEY_PID | 1U << KEY_TID)))
		memset(by_keys.comm, 0, sizeof(by_keys.comm));
	if (!(keys & 1U << KEY_SOCKET))
		by_keys.addresses = (struct socket_addresses){ 0 };
	by_keys.is_later_process &= !!(keys & 1U << KEY_PID);
	return by_keys;
}

int group_compare_keys(const struct group *group, const struct group *other)
{
	return memcmp(&group->key, &other->key, sizeof(group->key));
}

struct bucket *group_buckets(const struct group_counts *counts, size_t group)
{
	return counts->buckets + group * counts->nr_buckets;
}

int group_counts_copy(struct group_counts *into, const struct group_counts *other)
{
	int err = group_counts_resize(into, other->nr, other->nr_buckets);

	if (!err && other->nr)
		memcpy(into->buckets, other->buckets,
		       other->nr * other->nr_buckets * sizeof(struct bucket));
	return err;
}

int group_counts_add(struct group_counts *into, const struct group_counts *other)
{
	int err = group_counts_resize(into, other->nr, other->nr_buckets);

	if (!err)
		buckets_add(into->buckets, other->buckets, other->nr * other->nr_buckets);
	return err;
}

void group_counts_subtract(struct group_counts *into, const struct group_counts *earlier)
{
	buckets_subtract(into->buckets, earlier->buckets, earlier->nr * earlier->nr_buckets);
}

void group_counts_free(struct group_counts *counts)
{
	free(counts->buckets);
	*counts = (struct group_counts){ 0 };
}
