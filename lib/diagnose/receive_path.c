// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/receive_path.h"

#include <netinet/in.h>
#include <stdlib.h>

#include "lib/counts/stages.h"

/* A smaller part says nothing of what takes long. */
#define MIN_PART 10

/* NULL if what lies there is on no way to such a socket's queue. */
static const struct class_stage *stage_on_path(const struct group *group, const struct place *place)
{
	unsigned int path = place->protocol == IPPROTO_TCP ? PATH_TCP : PATH_UDP;
	unsigned int has = hooks[group->hook].has;

	if (group->is_other || group->key.netns != place->netns ||
	    !(hooks[group->hook].paths & path) || has & HAS_READER ||
	    (has & HAS_SOCKET && place->port && group->key.port != place->port))
		return NULL;
	return class_stage_of(group);
}

/* NULL if there are too many. */
static struct path_part *part_of(struct path_part parts[MAX_PATH_PARTS], size_t *nr,
				 const struct class_stage *stage)
{
	for (size_t i = 0; i < *nr; i++)
		if (parts[i].stage == stage)
			return &parts[i];
	if (*nr == MAX_PATH_PARTS)
		return NULL;
	parts[*nr] = (struct path_part){ .stage = stage };
	return &parts[(*nr)++];
}

/* Hooks are numbered in the order in which packets come by. The lock comes behind the filters. */
static int compare(const void *a, const void *b)
{
	const struct path_part *x = a, *y = b;

	if (x->stage->to != y->stage->to)
		return (int)x->stage->to - (int)y->stage->to;
	return (int)y->stage->is_unheld - (int)x->stage->is_unheld;
}

/*
 * Packets that waited for the lock count for the filters, too, with no time there, and the reverse.
 */
static void add_part(struct path_part parts[MAX_PATH_PARTS], size_t *nr,
		     const struct class_stage *stage, uint64_t count, uint64_t ns)
{
	const struct class_stage *beside = class_stage_beside(stage);
	struct path_part *part = part_of(parts, nr, stage);

	if (part) {
		part->count += count;
		part->ns += ns;
	}
	part = beside ? part_of(parts, nr, beside) : NULL;
	if (part)
		part->count += count;
}

static size_t keep_large(struct path_part *parts, size_t nr)
{
	uint64_t all_ns = 0;
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		all_ns += path_part_mean_ns(&parts[i]);
	for (size_t i = 0; i < nr; i++)
		if (MIN_PART * path_part_mean_ns(&parts[i]) >= all_ns)
			parts[kept++] = parts[i];
	return kept;
}

size_t receive_path_find(const struct report *report, const struct place *place,
			 struct path_part parts[MAX_PATH_PARTS])
{
	unsigned int nr_buckets = histogram_nr_buckets(&report->hooks[0].latency);
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_stages; i++) {
		const struct report_group *group = &report->stages[i];
		const struct class_stage *stage = stage_on_path(group->group, place);

		if (stage)
			add_part(parts, &nr, stage, group->count,
				 buckets_sum_ns(group->buckets, nr_buckets));
	}
	if (nr)
		qsort(parts, nr, sizeof(*parts), compare);
	return keep_large(parts, nr);
}
