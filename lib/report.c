// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "log.h"
#include "output.h"

struct reporter {
	struct snapshot_reader *reader;
	uint64_t started_ns;	  /* CLOCK_MONOTONIC */
	struct snapshot reported; /* at the end of the last interval */
};

struct reporter *reporter_new(const struct snapshot_maps *maps)
{
	struct reporter *reporter = calloc(1, sizeof(*reporter));

	if (!reporter)
		return NULL;
	reporter->reader = snapshot_reader_new(maps);
	if (!reporter->reader) {
		free(reporter);
		return NULL;
	}
	reporter->started_ns = clock_monotonic_ns();
	reporter->reported.taken_ns = reporter->started_ns;
	return reporter;
}

void reporter_free(struct reporter *reporter)
{
	if (!reporter)
		return;
	snapshot_reader_free(reporter->reader);
	free(reporter);
}

static int print(enum report_kind kind, uint64_t duration_ns, const struct hook_counts *hooks)
{
	const struct report report = { kind, time(NULL), duration_ns, hooks };

	report_text(stdout, &report);
	return output_flush();
}

int reporter_interval(struct reporter *reporter)
{
	struct snapshot now, interval;
	uint64_t duration_ns;
	int err;

	err = snapshot_read(reporter->reader, &now);
	if (err)
		return log_failure(err, "cannot read the histograms");

	interval = now;
	snapshot_subtract(&interval, &reporter->reported);
	duration_ns = now.taken_ns - reporter->reported.taken_ns;
	reporter->reported = now;
	return print(REPORT_INTERVAL, duration_ns, interval.hooks);
}

int reporter_total(struct reporter *reporter)
{
	const struct snapshot *reported = &reporter->reported;

	return print(REPORT_TOTAL, reported->taken_ns - reporter->started_ns, reported->hooks);
}
