// SPDX-License-Identifier: GPL-2.0
#include "lib/report/lists.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/counts/stages.h"
#include "lib/report/stage_names.h"

/* Orders all groups of a hook in a row, descending; of equals, the busiest comes first. */
static int compare_groups(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;

	if (x->group->hook != y->group->hook)
		return x->group->hook < y->group->hook ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	/* Whatever the order, the same each time. */
	return x->group < y->group ? -1 : 1;
}

static int compare_stages(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;
	int order = (int)(stage_table(x->group) - stage_table(y->group));

	if (!order)
		order = group_compare_keys(x->group, y->group);
	if (!order)
		order = (int)x->group->hook - (int)y->group->hook;
	return order ? order : (int)x->group->from - (int)y->group->from;
}

/* Appends a group to a list, if it was seen. */
static void append_seen(struct report_group *list, size_t *nr, const struct group *group,
			const struct bucket *buckets, unsigned int nr_buckets)
{
	uint64_t count = buckets_count(buckets, nr_buckets);

	if (count)
		list[(*nr)++] = (struct report_group){ group, buckets, count, 0 };
}

/*
 * Makes room for as many groups as there may be, and one for each hook; NULL without memory, after
 * saying so.
 */
static struct report_group *new_list(const struct group_counts *counts)
{
	struct report_group *list = calloc(counts->nr + NR_HOOKS, sizeof(*list));

	if (!list)
		log_failure(-ENOMEM, "cannot list the groups");
	return list;
}

static void weigh(struct report_group *list, size_t nr, const struct group_order *order,
		  unsigned int nr_buckets)
{
	for (size_t i = 0; i < nr; i++)
		list[i].weight = order->weight(list[i].buckets, nr_buckets);
}

int report_list_groups(const struct group *groups, const struct group_counts *counts,
		       const struct group_order *order, struct report_group **list, size_t *nr)
{
	*nr = 0;
	*list = new_list(counts);
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr; i++)
		if (groups[i].from == FROM_STAMP)
			append_seen(*list, nr, &groups[i], group_buckets(counts, i),
				    counts->nr_buckets);
	weigh(*list, *nr, order, counts->nr_buckets);
	qsort(*list, *nr, sizeof(**list), compare_groups);
	return 0;
}

/* Stages of no group are what the hook counts. */
static void append_whole_hooks(struct report_group *list, size_t *nr,
			       const struct snapshot *snapshot, const struct report_setup *setup)
{
	static const struct group whole[NR_HOOKS] = {
#define HOOK(id, ...) [HOOK_##id] = { .hook = HOOK_##id },
#include "lib/tables/hooks.def"
	};

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		const struct histogram *latency = &snapshot->hooks[hook].latency;

		if (setup->plan.hooks[hook] && stage_is_whole_hook(hook))
			append_seen(list, nr, &whole[hook], latency->buckets,
				    histogram_nr_buckets(latency));
	}
}

int report_list_stages(const struct group *groups, const struct snapshot *snapshot,
		       const struct report_setup *setup, const struct group_order *order,
		       struct report_group **list, size_t *nr)
{
	const struct group_counts *counts = &snapshot->groups;

	*nr = 0;
	*list = new_list(counts);
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr; i++)
		if (groups[i].from != FROM_STAMP ||
		    (setup->plan.stages && setup->plan.hooks[groups[i].hook] &&
		     stage_is_whole_hook(groups[i].hook)))
			append_seen(*list, nr, &groups[i], group_buckets(counts, i),
				    counts->nr_buckets);
	if (setup->plan.stages && !setup->plan.group_by)
		append_whole_hooks(*list, nr, snapshot, setup);
	weigh(*list, *nr, order, histogram_nr_buckets(&snapshot->hooks[0].latency));
	qsort(*list, *nr, sizeof(**list), compare_stages);
	return 0;
}

int report_list_queued(const struct queued_groups *queued, struct report_group **list, size_t *nr)
{
	const struct group_counts *counts = &queued->counts;

	*nr = 0;
	*list = new_list(counts);
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr; i++)
		append_seen(*list, nr, &queued->groups[i], group_buckets(counts, i),
			    counts->nr_buckets);
	return 0;
}
