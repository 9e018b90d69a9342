// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/counts/intervals.h"
#include "lib/host/clock_steps.h"
#include "lib/serve/hints.h"
#include "lib/serve/output.h"
#include "lib/tables/units.h"

struct reporter {
	struct reporter_config config;
	const struct report_setup *setup;
	struct map_reader *reader;
	struct label_names *names;
	struct intervals intervals;
	struct clock_steps clock_steps;
	uint64_t nr_reports; /* printed */
	int columns;	     /* of the terminal, at the last report */
	bool told_local;     /* see hint_local_packets() */
};

int reporter_look_at_clocks(struct reporter *reporter, bool was_set)
{
	struct clock_offsets offsets;
	int err = clock_read_offsets(&offsets);

	if (err)
		return log_failure(err, "cannot read the clocks");
	clock_steps_look(&reporter->clock_steps, &offsets, was_set, time(NULL),
			 clock_monotonic_ns());
	return 0;
}

/* The first interval starts at a reading: hooks counted while others were still being attached. */
static int start(struct reporter *reporter)
{
	struct clock_offsets offsets;
	int err = clock_read_offsets(&offsets);

	if (!err)
		err = map_reader_read(reporter->reader, &reporter->intervals.reading);
	if (err)
		return err;
	clock_steps_init(&reporter->clock_steps, &offsets);
	intervals_start(&reporter->intervals);
	return 0;
}

struct reporter *reporter_new(const struct reporter_config *config,
			      const struct report_setup *setup, const struct map_fds *maps)
{
	struct reporter *reporter = calloc(1, sizeof(*reporter));
	int err = 0;

	if (!reporter)
		return NULL;
	reporter->config = *config;
	reporter->setup = setup;
	intervals_init(&reporter->intervals, maps->resolution);
	reporter->reader = map_reader_new(maps);
	reporter->names = label_names_new();
	if (!reporter->reader || !reporter->names)
		err = -errno;
	else
		label_names_set_reasons(reporter->names, setup->reasons);
	if (!err)
		err = start(reporter);
	if (!err)
		return reporter;
	reporter_free(reporter);
	errno = -err;
	return NULL;
}

void reporter_free(struct reporter *reporter)
{
	if (!reporter)
		return;
	intervals_free(&reporter->intervals);
	label_names_free(reporter->names);
	map_reader_free(reporter->reader);
	free(reporter);
}

/* Ends the current interval. */
static int advance(struct reporter *reporter)
{
	struct clock_spoilt spoilt;
	int err = map_reader_read(reporter->reader, &reporter->intervals.reading);

	if (err)
		return log_failure(err, "cannot read the histograms");
	err = reporter_look_at_clocks(reporter, false);
	if (err)
		return err;
	spoilt = clock_steps_spoilt(&reporter->clock_steps,
				    intervals_started_ns(&reporter->intervals));
	err = intervals_advance(&reporter->intervals, &spoilt, map_reader_groups(reporter->reader));
	return err ? log_failure(err, "cannot keep the histograms") : 0;
}

/* Fills in what holds at this moment. */
static int describe(struct reporter *reporter, struct report *report)
{
	struct timespec now;
	int err;

	report->setup = reporter->setup;
	report->number = reporter->nr_reports++;
	report->names = reporter->names;
	report->clock_change = clock_steps_report(&reporter->clock_steps);
	report->terminal = terminal_find();
	report->resized = report->terminal.columns != reporter->columns;
	reporter->columns = report->terminal.columns;
	clock_gettime(CLOCK_REALTIME, &now);
	report->time_ns = now.tv_sec * NS_PER_S + now.tv_nsec;
	err = clock_offset_ns(reporter->setup->clock, &report->clock_offset_ns);
	return err ? log_failure(err, "cannot read the clocks") : 0;
}

static int put_out(struct reporter *reporter, const struct report *report)
{
	struct output output = { .path = reporter->config.path };
	int err = output_begin(&output);

	if (err)
		return err;
	label_names_refresh(reporter->names);
	printer_print(reporter->config.printer, output.file, report);
	label_names_release(reporter->names);
	return output_end(&output);
}

static int print(struct reporter *reporter, enum report_kind kind, uint64_t duration_ns,
		 const struct snapshot *counts)
{
	struct report report = {
		.kind = kind,
		.duration_ns = duration_ns,
		.hooks = counts->hooks,
		.programs = counts->programs,
	};
	const struct group *known = map_reader_groups(reporter->reader);
	struct report_group *groups = NULL, *stages = NULL;
	int err = describe(reporter, &report);

	if (!err)
		err = report_list_groups(known, &counts->groups, reporter->config.order, &groups,
					 &report.nr_groups);
	if (!err)
		err = report_list_stages(known, counts,
					 report.setup->stages &&
						 report_shows(&report, HOOK_netif_receive),
					 reporter->config.order, &stages, &report.nr_stages);
	report.groups = groups;
	report.stages = stages;
	if (!err)
		err = put_out(reporter, &report);
	free(groups);
	free(stages);
	return err;
}

static int print_interval(struct reporter *reporter)
{
	return print(reporter, REPORT_INTERVAL, reporter->intervals.duration_ns,
		     &reporter->intervals.interval);
}

static int print_since_start(struct reporter *reporter, enum report_kind kind)
{
	return print(reporter, kind, intervals_total_ns(&reporter->intervals),
		     &reporter->intervals.total);
}

/* A timer that was due again and again meanwhile is handled once. */
static void tell_missed(const struct reporter *reporter)
{
	uint64_t covered = reporter->intervals.duration_ns / reporter->config.interval_ns;

	if (covered > 1 && !reporter->config.cumulative)
		log_error("the reader of the reports, or this machine, was too slow: the next "
			  "report covers %" PRIu64 " intervals",
			  covered);
}

static void tell_local(struct reporter *reporter)
{
	if (!reporter->told_local && !reporter->setup->stages)
		reporter->told_local = hint_local_packets(reporter->intervals.total.hooks);
}

int reporter_interval(struct reporter *reporter)
{
	int err = advance(reporter);

	if (err)
		return err;
	tell_missed(reporter);
	tell_local(reporter);
	if (reporter->config.cumulative)
		return print_since_start(reporter, REPORT_CUMULATIVE);
	return print_interval(reporter);
}

int reporter_end(struct reporter *reporter)
{
	int err = advance(reporter);

	if (!err && !reporter->config.cumulative)
		err = print_interval(reporter);
	return err ? err : print_since_start(reporter, REPORT_TOTAL);
}
