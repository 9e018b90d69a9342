// SPDX-License-Identifier: GPL-2.0
#include "reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "clock.h"
#include "log.h"
#include "output.h"

#define NS_PER_S 1000000000ULL
#define CLOCK_STEP_MIN_NS 1000000

struct reporter {
	struct reporter_config config;
	const struct report_setup *setup;
	struct snapshot_reader *reader;
	struct label_names *names;
	struct report_group *groups; /* of the report that is being printed */
	uint64_t started_ns;	     /* CLOCK_MONOTONIC */
	uint64_t nr_reports;	     /* printed */
	int columns;		     /* of the terminal, at the last report */
	struct snapshot read;	     /* at the end of the last interval */
	struct snapshot now;	     /* at the end of the current one */
	struct snapshot interval;    /* the last one */
	struct snapshot total;	     /* of all intervals */
	struct clock_offsets clocks; /* when last looked at */
	struct clock_change change;  /* in the current interval */
	uint64_t step_ns;	     /* the largest of those */
	uint64_t last_step_ns;	     /* and of the interval before */
};

struct reporter *reporter_new(const struct reporter_config *config,
			      const struct report_setup *setup, const struct snapshot_maps *maps)
{
	struct reporter *reporter = calloc(1, sizeof(*reporter));

	if (!reporter)
		return NULL;
	reporter->config = *config;
	reporter->setup = setup;
	reporter->reader = snapshot_reader_new(maps);
	reporter->names = label_names_new();
	if (!reporter->reader || !reporter->names || clock_read_offsets(&reporter->clocks)) {
		reporter_free(reporter);
		return NULL;
	}
	snapshot_init(&reporter->read, maps->resolution);
	snapshot_init(&reporter->now, maps->resolution);
	snapshot_init(&reporter->interval, maps->resolution);
	snapshot_init(&reporter->total, maps->resolution);
	reporter->started_ns = clock_monotonic_ns();
	reporter->read.taken_ns = reporter->started_ns;
	return reporter;
}

void reporter_free(struct reporter *reporter)
{
	if (!reporter)
		return;
	snapshot_free(&reporter->read);
	snapshot_free(&reporter->now);
	snapshot_free(&reporter->interval);
	snapshot_free(&reporter->total);
	free(reporter->groups);
	label_names_free(reporter->names);
	snapshot_reader_free(reporter->reader);
	free(reporter);
}

static uint64_t larger(uint64_t step_ns, int64_t difference_ns)
{
	uint64_t size_ns = difference_ns < 0 ? -difference_ns : difference_ns;

	return size_ns > step_ns ? size_ns : step_ns;
}

int reporter_check_clock(struct reporter *reporter)
{
	struct clock_offsets now;
	int64_t wall_ns, tai_ns;
	int err = clock_read_offsets(&now);

	if (err)
		return log_failure(err, "cannot read the clocks");
	wall_ns = now.wall_ns - reporter->clocks.wall_ns;
	tai_ns = now.tai_ns - reporter->clocks.tai_ns;
	/* Two readings differ by less; smaller steps count when they have added up. */
	if (larger(larger(0, wall_ns), tai_ns) < CLOCK_STEP_MIN_NS)
		return 0;

	reporter->clocks = now;
	reporter->change.time = time(NULL);
	reporter->change.wall_ns += wall_ns;
	reporter->change.tai_ns += tai_ns;
	reporter->step_ns = larger(larger(reporter->step_ns, wall_ns), tai_ns);
	return 0;
}

static void swap(struct snapshot *a, struct snapshot *b)
{
	struct snapshot c = *a;

	*a = *b;
	*b = c;
}

/* What was counted from reporter->read to reporter->now. */
static int difference(struct reporter *reporter)
{
	int err = snapshot_copy(&reporter->interval, &reporter->now);

	if (err)
		return err;
	snapshot_subtract(&reporter->interval, &reporter->read);
	/* Also one interval later: packets may have been waiting to be read when the clock changed.
	 */
	snapshot_discard_step(&reporter->interval,
			      larger(reporter->step_ns, reporter->last_step_ns));
	return snapshot_add(&reporter->total, &reporter->interval);
}

/* Reads what was counted since the last time; *duration_ns is how long that was. */
static int advance(struct reporter *reporter, uint64_t *duration_ns)
{
	int err = snapshot_read(reporter->reader, &reporter->now);

	if (err)
		return log_failure(err, "cannot read the histograms");
	err = reporter_check_clock(reporter);
	if (err)
		return err;

	*duration_ns = reporter->now.taken_ns - reporter->read.taken_ns;
	err = difference(reporter);
	if (err)
		return log_failure(err, "cannot keep the histograms");
	swap(&reporter->read, &reporter->now);
	reporter->last_step_ns = reporter->step_ns;
	reporter->step_ns = 0;
	return 0;
}

/* All of a hook in a row, busiest first. */
static int compare_groups(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;

	if (x->group->hook != y->group->hook)
		return x->group->hook < y->group->hook ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	/* Whatever the order, the same each time. */
	return x->group < y->group ? -1 : 1;
}

/* Finds those that were seen. */
static int list_groups(struct reporter *reporter, const struct snapshot *counts,
		       struct report *report)
{
	const struct group *groups = snapshot_groups(reporter->reader);
	size_t nr = counts->groups.nr;
	struct report_group *list = reallocarray(reporter->groups, nr + 1, sizeof(*list));

	if (!list)
		return log_failure(-ENOMEM, "cannot list the groups");
	reporter->groups = list;
	report->groups = list;
	for (size_t i = 0; i < nr; i++) {
		struct report_group group = { &groups[i], group_buckets(&counts->groups, i), 0 };

		for (unsigned int j = 0; j < counts->groups.nr_buckets; j++)
			group.count += group.buckets[j].count;
		if (group.count)
			list[report->nr_groups++] = group;
	}
	qsort(list, report->nr_groups, sizeof(*list), compare_groups);
	return 0;
}

static int print(struct reporter *reporter, enum report_kind kind, uint64_t duration_ns,
		 const struct snapshot *counts)
{
	struct output output = { .path = reporter->config.path };
	struct report report = {
		.setup = reporter->setup,
		.kind = kind,
		.number = reporter->nr_reports++,
		.duration_ns = duration_ns,
		.clock_change = reporter->change,
		.hooks = counts->hooks,
		.names = reporter->names,
		.terminal = terminal_find(),
	};
	struct timespec now;
	int err;

	report.resized = report.terminal.columns != reporter->columns;
	reporter->columns = report.terminal.columns;
	reporter->change = (struct clock_change){ 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	report.time_ns = now.tv_sec * NS_PER_S + now.tv_nsec;
	err = clock_offset_ns(reporter->setup->clock, &report.clock_offset_ns);
	if (err)
		return log_failure(err, "cannot read the clocks");

	err = list_groups(reporter, counts, &report);
	if (!err)
		err = output_begin(&output);
	if (err)
		return err;
	label_names_refresh(reporter->names);
	reporter->config.printer->print(output.file, &report);
	label_names_release(reporter->names);
	return output_end(&output);
}

static int print_since_start(struct reporter *reporter, enum report_kind kind)
{
	return print(reporter, kind, reporter->read.taken_ns - reporter->started_ns,
		     &reporter->total);
}

/* A timer that was due again and again meanwhile is handled once. */
static void tell_missed(const struct reporter *reporter, uint64_t duration_ns)
{
	uint64_t covered = duration_ns / reporter->config.interval_ns;

	if (covered > 1 && !reporter->config.cumulative)
		log_error("the reader of the reports, or this machine, was too slow: the next "
			  "report covers %" PRIu64 " intervals",
			  covered);
}

int reporter_interval(struct reporter *reporter)
{
	uint64_t duration_ns = 0;
	int err = advance(reporter, &duration_ns);

	if (err)
		return err;
	tell_missed(reporter, duration_ns);
	if (reporter->config.cumulative)
		return print_since_start(reporter, REPORT_CUMULATIVE);
	return print(reporter, REPORT_INTERVAL, duration_ns, &reporter->interval);
}

int reporter_end(struct reporter *reporter)
{
	uint64_t duration_ns = 0;
	int err = advance(reporter, &duration_ns);

	if (!err && !reporter->config.cumulative)
		err = print(reporter, REPORT_INTERVAL, duration_ns, &reporter->interval);
	return err ? err : print_since_start(reporter, REPORT_TOTAL);
}
