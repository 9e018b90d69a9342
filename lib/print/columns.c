// SPDX-License-Identifier: GPL-2.0
#include "lib/print/columns.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/counts/stages.h"
#include "lib/report/stage_names.h"
#include "lib/tables/attributes.h"

const char *const view_names[NR_VIEWS] = {
	[VIEW_STAGES] = "stages",
	[VIEW_HOOKS] = "hooks",
	[VIEW_GROUPS] = "groups",
};

static void add_mask(struct splits *splits, unsigned int mask)
{
	splits->masks[splits->nr++] = mask;
}

struct splits splits_of(unsigned int keys, bool to_choose_from)
{
	struct splits splits = { .nr = 0 };

	if (to_choose_from && keys)
		add_mask(&splits, 0);
	for (enum key key = 0; to_choose_from && key < NR_KEYS; key++)
		if (keys >> key & 1 && keys != 1U << key)
			add_mask(&splits, 1U << key);
	add_mask(&splits, keys);
	return splits;
}

void split_print(FILE *out, unsigned int split)
{
	const char *separator = " by ";

	for (enum key key = 0; key < NR_KEYS; key++) {
		char name[KEY_NAME_SIZE];

		if (!(split >> key & 1))
			continue;
		fprintf(out, "%s%s", separator, key_name(key, name));
		separator = ", ";
	}
}

static int add_hooks(struct timeline *timeline, const struct report *report)
{
	int err = 0;

	for (enum hook hook = 0; hook < NR_HOOKS && !err; hook++) {
		const struct timeline_name name = { VIEW_HOOKS, 0, hook, "", hooks[hook].name };

		if (report_shows(report, hook))
			err = timeline_add(timeline, &name, report->hooks[hook].latency.buckets);
	}
	return err;
}

static char *text_of_keys(const struct report *report, const struct report_group *group,
			  unsigned int split)
{
	struct group by_keys = group_by_keys(group->group, split);
	struct labels labels;

	labels_of(report->names, &by_keys, split, &labels);
	return labels_text(&labels);
}

static int add_group(struct timeline *timeline, const struct report *report,
		     const struct report_group *group, unsigned int split)
{
	struct timeline_name name = {
		.view = VIEW_GROUPS,
		.split = split,
		.rank = group->group->hook,
	};
	char *labels = text_of_keys(report, group, split);
	int err;

	name.section = hooks[group->group->hook].name;
	name.label = labels && *labels ? labels : "all";
	err = labels ? timeline_add(timeline, &name, group->buckets) : -ENOMEM;
	free(labels);
	return err;
}

/*
 * Names a stage: "tcp-start <- netif-receive" if it goes past hooks, or else with what lies in
 * between.
 */
static void name_stage(const struct report *report, const struct group *stage, char *label,
		       size_t size)
{
	struct stage_names names = stage_names_of(report, stage->from, stage->hook);

	if (stage_skips(report->setup->plan.followed, stage->from, stage->hook))
		snprintf(label, size, "%s <- %s", names.to, names.from);
	else
		snprintf(label, size, "%s (%s)", names.to, names.before);
}

static int add_stage(struct timeline *timeline, const struct report *report,
		     const struct report_group *stage, unsigned int split)
{
	const struct stage_table *table = stage_table(stage->group);
	char *labels = text_of_keys(report, stage, split), section[256], label[128];
	const struct timeline_name name = {
		.view = VIEW_STAGES,
		.split = split,
		.rank = (table - stage_tables) * NR_HOOKS + stage->group->hook,
		.section = section,
		.label = label,
	};
	int err;

	snprintf(section, sizeof(section), "%s, %s%s%s", table->way, table->name,
		 labels && *labels ? " " : "", labels ? labels : "");
	name_stage(report, stage->group, label, sizeof(label));
	err = timeline_add(timeline, &name, stage->buckets);
	free(labels);
	return err;
}

/* When a run ends, the rest behind the last interval is no column of its own. */
static int begin_column(struct timeline *timeline, const struct timeline_column *column,
			uint64_t interval_ns)
{
	if (!timeline_nr_columns(timeline) || column->duration_ns >= interval_ns / 10)
		return timeline_begin_column(timeline, column);
	timeline_extend_column(timeline, column);
	return 0;
}

/* Groups by no key at all are what their hooks have. */
static int add_split(struct timeline *timeline, const struct report *report, unsigned int split)
{
	int err = 0;

	for (size_t i = 0; i < report->nr_stages && !err; i++)
		err = add_stage(timeline, report, &report->stages[i], split);
	for (size_t i = 0; split && i < report->nr_groups && !err; i++)
		err = add_group(timeline, report, &report->groups[i], split);
	return err;
}

int columns_add(struct timeline *timeline, const struct report *report, const struct splits *splits,
		uint64_t interval_ns)
{
	const struct timeline_column column = {
		.time_ns = report->time_ns,
		.duration_ns = report->duration_ns,
		.clock_changed = report->clock_change.time,
		.is_gap = report->duration_ns > interval_ns + interval_ns / 2,
	};
	int err = begin_column(timeline, &column, interval_ns);

	report_look_up_names(report);
	if (!err)
		err = add_hooks(timeline, report);
	for (size_t i = 0; i < splits->nr && !err; i++)
		err = add_split(timeline, report, splits->masks[i]);
	return err;
}
