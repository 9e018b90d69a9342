// SPDX-License-Identifier: GPL-2.0
#include "reporter.h"

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
	uint64_t started_ns;	     /* CLOCK_MONOTONIC */
	uint64_t nr_reports;	     /* printed */
	int columns;		     /* of the terminal, at the last report */
	struct snapshot read;	     /* at the end of the last interval */
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
	if (!reporter->reader || clock_read_offsets(&reporter->clocks)) {
		reporter_free(reporter);
		return NULL;
	}
	snapshot_init(&reporter->read, maps->resolution);
	snapshot_init(&reporter->total, maps->resolution);
	reporter->started_ns = clock_monotonic_ns();
	reporter->read.taken_ns = reporter->started_ns;
	return reporter;
}

void reporter_free(struct reporter *reporter)
{
	if (!reporter)
		return;
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

/* Reads what was counted since the last time; *duration_ns is how long that was. */
static int advance(struct reporter *reporter, uint64_t *duration_ns)
{
	struct snapshot now;
	int err;

	err = snapshot_read(reporter->reader, &now);
	if (err)
		return log_failure(err, "cannot read the histograms");
	err = reporter_check_clock(reporter);
	if (err)
		return err;

	*duration_ns = now.taken_ns - reporter->read.taken_ns;
	reporter->interval = now;
	snapshot_subtract(&reporter->interval, &reporter->read);
	/* Also one interval later: packets may have been waiting to be read when the clock changed.
	 */
	snapshot_discard_step(&reporter->interval,
			      larger(reporter->step_ns, reporter->last_step_ns));
	snapshot_add(&reporter->total, &reporter->interval);
	reporter->read = now;
	reporter->last_step_ns = reporter->step_ns;
	reporter->step_ns = 0;
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

	err = output_begin(&output);
	if (err)
		return err;
	reporter->config.printer->print(output.file, &report);
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
	uint64_t duration_ns;
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
	uint64_t duration_ns;
	int err = advance(reporter, &duration_ns);

	if (!err && !reporter->config.cumulative)
		err = print(reporter, REPORT_INTERVAL, duration_ns, &reporter->interval);
	return err ? err : print_since_start(reporter, REPORT_TOTAL);
}
