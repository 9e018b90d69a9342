// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "log.h"
#include "output.h"

#define CLOCK_STEP_MIN_NS 1000000

struct reporter {
	struct snapshot_reader *reader;
	uint64_t started_ns;	     /* CLOCK_MONOTONIC */
	struct snapshot read;	     /* at the end of the last interval */
	struct snapshot total;	     /* of the intervals reported */
	struct clock_offsets clocks; /* when last looked at */
	struct clock_change change;  /* in the current interval */
	uint64_t step_ns;	     /* the largest of those */
	uint64_t last_step_ns;	     /* and of the interval before */
};

struct reporter *reporter_new(const struct snapshot_maps *maps)
{
	struct reporter *reporter = calloc(1, sizeof(*reporter));

	if (!reporter)
		return NULL;
	reporter->reader = snapshot_reader_new(maps);
	if (!reporter->reader || clock_read_offsets(&reporter->clocks)) {
		reporter_free(reporter);
		return NULL;
	}
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

static int print(struct report report)
{
	report.time = time(NULL);
	report_text(stdout, &report);
	return output_flush();
}

int reporter_interval(struct reporter *reporter)
{
	struct clock_change change;
	struct snapshot now, interval;
	uint64_t duration_ns;
	int err;

	err = snapshot_read(reporter->reader, &now);
	if (err)
		return log_failure(err, "cannot read the histograms");
	err = reporter_check_clock(reporter);
	if (err)
		return err;

	interval = now;
	snapshot_subtract(&interval, &reporter->read);
	duration_ns = now.taken_ns - reporter->read.taken_ns;
	/* Also one interval later: for packets that were waiting to be read when the clock changed.
	 */
	snapshot_discard_step(&interval, larger(reporter->step_ns, reporter->last_step_ns));
	change = reporter->change;

	snapshot_add(&reporter->total, &interval);
	reporter->read = now;
	reporter->change = (struct clock_change){ 0 };
	reporter->last_step_ns = reporter->step_ns;
	reporter->step_ns = 0;
	return print((struct report){ .kind = REPORT_INTERVAL,
				      .duration_ns = duration_ns,
				      .hooks = interval.hooks,
				      .clock_change = change });
}

int reporter_total(struct reporter *reporter)
{
	return print((struct report){ .kind = REPORT_TOTAL,
				      .duration_ns = reporter->read.taken_ns - reporter->started_ns,
				      .hooks = reporter->total.hooks });
}
