// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/meter.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/counts/clock_steps.h"
#include "lib/tables/units.h"
#include "lib/report/lists.h"

/*
 * The users of intervals: the reporter and the exporter have one each, and a diagnosis has two, a
 * watch and a second.
 */
#define MAX_INTERVALS 4

struct meter {
	const struct report_setup *setup;
	struct counters *counters;
	struct label_names *names;
	struct clock_steps clock_steps;
	struct snapshot first; /* at which all intervals begin */
	uint64_t nr_missed;
	/* Each that was begun. */
	const struct intervals *intervals[MAX_INTERVALS];
	unsigned int nr_intervals;
};

int meter_look_at_clocks(struct meter *meter, bool was_set)
{
	struct clock_offsets offsets;
	int err = clock_read_offsets(&offsets);

	if (err)
		return log_failure(err, "cannot read the clocks");
	clock_steps_look(&meter->clock_steps, &offsets, was_set, time(NULL), clock_monotonic_ns());
	return 0;
}

static bool is_forgotten(void *context, size_t group, uint64_t count)
{
	const struct meter *meter = context;
	unsigned int i = 0;

	while (i < meter->nr_intervals &&
	       intervals_have_forgotten(meter->intervals[i], group, count))
		i++;
	return i == meter->nr_intervals;
}

/* Hooks counted while others were still being attached: that is in no interval. */
static int start(struct meter *meter)
{
	struct clock_offsets offsets;
	int err = clock_read_offsets(&offsets);

	counters_reuse(meter->counters, is_forgotten, meter);
	if (!err)
		err = counters_read(meter->counters, &meter->first);
	if (!err)
		clock_steps_init(&meter->clock_steps, &offsets);
	return err;
}

struct meter *meter_new(const struct report_setup *setup, const struct map_fds *maps)
{
	struct meter *meter = calloc(1, sizeof(*meter));
	int err = 0;

	if (!meter)
		return NULL;
	meter->setup = setup;
	snapshot_init(&meter->first, maps->resolution);
	meter->counters = counters_new(maps);
	meter->names = label_names_new();
	if (!meter->counters || !meter->names)
		err = -errno;
	else
		label_names_set_reasons(meter->names, setup->reasons);
	if (!err)
		err = start(meter);
	if (!err)
		return meter;
	meter_free(meter);
	errno = -err;
	return NULL;
}

void meter_free(struct meter *meter)
{
	if (!meter)
		return;
	snapshot_free(&meter->first);
	label_names_free(meter->names);
	counters_free(meter->counters);
	free(meter);
}

const struct report_setup *meter_setup(const struct meter *meter)
{
	return meter->setup;
}

int meter_begin(struct meter *meter, struct intervals *intervals)
{
	int err;

	if (meter->nr_intervals == MAX_INTERVALS)
		return -ENOMEM;
	meter->intervals[meter->nr_intervals++] = intervals;
	intervals_init(intervals, meter->first.hooks[0].latency.resolution);
	err = snapshot_copy(&intervals->reading, &meter->first);
	if (!err)
		intervals_start(intervals);
	return err;
}

static int find_other(void *context, size_t group, size_t *other)
{
	return counters_other(((struct meter *)context)->counters, group, other);
}

static int forget(struct meter *meter, struct intervals *intervals, uint64_t after_ns)
{
	int err = intervals_forget(intervals, after_ns, find_other, meter);

	return err ? log_failure(err, "cannot forget groups") : 0;
}

/* Rows of groups that were seen in an interval that is not over yet are still needed. */
static int recycle(struct meter *meter, uint64_t after_ns)
{
	uint64_t now_ns = clock_monotonic_ns(),
		 since_ns = now_ns < after_ns ? 0 : now_ns - after_ns;
	int err;

	for (unsigned int i = 0; i < meter->nr_intervals; i++)
		if (intervals_started_ns(meter->intervals[i]) < since_ns)
			since_ns = intervals_started_ns(meter->intervals[i]);
	err = counters_recycle(meter->counters, now_ns, since_ns);
	return err ? log_failure(err, "cannot give rows of groups back") : 0;
}

int meter_fold_groups(struct meter *meter, struct intervals *intervals)
{
	return forget(meter, intervals, 0);
}

int meter_advance(struct meter *meter, struct intervals *intervals, uint64_t forget_ns)
{
	struct clock_invalidated invalidated;
	int err = counters_read(meter->counters, &intervals->reading);

	if (err)
		return log_failure(err, "cannot read the histograms");
	err = meter_look_at_clocks(meter, false);
	if (err)
		return err;
	invalidated = clock_steps_invalidated(&meter->clock_steps, intervals_started_ns(intervals));
	err = intervals_advance(intervals, &invalidated, counters_groups(meter->counters));
	if (err)
		return log_failure(err, "cannot keep the histograms");
	if (!forget_ns)
		return 0;
	err = forget(meter, intervals, forget_ns);
	return err ? err : recycle(meter, forget_ns);
}

struct clock_change meter_clock_change(struct meter *meter)
{
	return clock_steps_report(&meter->clock_steps);
}

void meter_count_missed(struct meter *meter, uint64_t nr)
{
	meter->nr_missed += nr;
}

/* Fills in what holds at this moment. */
static int describe(struct meter *meter, struct report *report)
{
	struct timespec now;
	int err;

	label_names_refresh(meter->names);
	report->setup = meter->setup;
	report->names = meter->names;
	report->nr_clock_changes = meter->clock_steps.nr;
	report->nr_missed = meter->nr_missed;
	report->rows = counters_rows(meter->counters);
	clock_gettime(CLOCK_REALTIME, &now);
	report->time_ns = now.tv_sec * NS_PER_S + now.tv_nsec;
	err = clock_offset_ns(meter->setup->clock, &report->clock_offset_ns);
	return err ? log_failure(err, "cannot read the clocks") : 0;
}

int meter_report(struct meter *meter, const struct group_order *order,
		 const struct snapshot *counts, struct report *report)
{
	const struct group *known = counters_groups(meter->counters);
	const struct stage_drop *drop_keys = counters_drops(meter->counters);
	struct report_group *groups = NULL, *stages = NULL;
	struct report_drop *drops = NULL;
	int err = describe(meter, report);

	report->hooks = counts->hooks;
	report->programs = counts->programs;
	report->slow = counts->slow;
	if (!err)
		err = report_list_groups(known, &counts->groups, order, &groups,
					 &report->nr_groups);
	if (!err)
		err = report_list_stages(known, counts, report->setup, order, &stages,
					 &report->nr_stages);
	if (!err && drop_keys)
		err = report_list_drops(drop_keys, counts->stage_drops, report->setup->reasons,
					&drops, &report->nr_drops);
	report->groups = groups;
	report->stages = stages;
	report->drops = drops;
	return err;
}

void meter_free_report(struct report *report)
{
	label_names_release(report->names);
	free((void *)report->groups);
	free((void *)report->stages);
	free((void *)report->queued);
	free((void *)report->drops);
}
