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
