// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/reporter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/serve/hints.h"
#include "lib/serve/output.h"
#include "lib/serve/writer.h"
#include "lib/print/printer.h"

struct reporter {
	struct reporter_config config;
	int writer;		     /* where reports go; -1: to standard output */
	struct recording *recording; /* of intervals, or NULL */
	struct live *live;	     /* where they are drawn, or NULL */
	struct meter *meter;
	struct intervals intervals;
	uint64_t nr_reports; /* printed */
	int columns;	     /* of the terminal, at the last report */
	bool was_drawn;
	bool told_local; /* see hint_local_packets() */
};

/* Slow packets are still counted where there are no reports. */
static bool has_nothing_to_print(const struct reporter *reporter)
{
	return reporter->config.printer->is_silent && !reporter->config.quiet;
}

struct reporter *reporter_new(const struct reporter_config *config, struct meter *meter)
{
	struct reporter *reporter = calloc(1, sizeof(*reporter));

	if (!reporter)
		return NULL;
	reporter->config = *config;
	reporter->writer = -1;
	reporter->meter = meter;
	if (has_nothing_to_print(reporter) || !meter_begin(meter, &reporter->intervals))
		return reporter;
	reporter_free(reporter);
	errno = ENOMEM;
	return NULL;
}

void reporter_free(struct reporter *reporter)
{
	if (!reporter)
		return;
	intervals_free(&reporter->intervals);
	free(reporter);
}

/* Ends the current interval. */
static int advance(struct reporter *reporter)
{
	return meter_advance(reporter->meter, &reporter->intervals, reporter->config.forget_ns);
}

/* Fills in which report it is, and for whom. */
static void describe(struct reporter *reporter, struct report *report)
{
	report->number = reporter->nr_reports++;
	report->clock_change = meter_clock_change(reporter->meter);
	report->terminal = terminal_find(reporter->config.colour);
	report->resized = report->terminal.columns != reporter->columns;
	reporter->columns = report->terminal.columns;
}

void reporter_write_at(struct reporter *reporter, int writer)
{
	reporter->writer = writer;
}

void reporter_record_at(struct reporter *reporter, struct recording *recording, struct live *live)
{
	reporter->recording = recording;
	reporter->live = live;
}

static int send_out(const struct reporter *reporter, const struct printer *printer,
		    const struct report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed = !out;
	int err;

	if (out) {
		printer_print(printer, out, report);
		failed = fflush(out) || ferror(out);
		fclose(out);
	}
	err = failed ? log_failure(-ENOMEM, "cannot print a report")
		     : writer_write(reporter->writer, text, size);
	free(text);
	return err;
}

static int print_out(const struct reporter *reporter, const struct report *report)
{
	printer_print(reporter->config.printer, stdout, report);
	return output_flush();
}

static int print_or_draw(struct reporter *reporter, const struct report *report)
{
	if (live_is_open(reporter->live)) {
		reporter->was_drawn = true;
		live_update(reporter->live);
		return 0;
	}
	if (reporter->config.printer->records && report->kind != REPORT_TOTAL)
		return 0;
	/* Pages of what is drawn go there, when they are asked for. */
	if (reporter->writer < 0 || reporter->live)
		return print_out(reporter, report);
	return send_out(reporter, reporter->config.printer, report);
}

static int print(struct reporter *reporter, enum report_kind kind, uint64_t duration_ns,
		 const struct snapshot *counts)
{
	struct report report = {
		.kind = kind,
		.duration_ns = duration_ns,
		.recording = reporter->recording,
	};
	int err;

	describe(reporter, &report);
	err = meter_report(reporter->meter, reporter->config.order, counts, &report);
	if (!err && reporter->recording && kind == REPORT_INTERVAL)
		err = recording_add(reporter->recording, &report);
	if (!err)
		err = print_or_draw(reporter, &report);
	meter_free_report(&report);
	return err;
}

void reporter_write_page(struct reporter *reporter)
{
	struct report report = {
		.kind = REPORT_TOTAL,
		.number = reporter->nr_reports,
		.duration_ns = intervals_total_ns(&reporter->intervals),
		.recording = reporter->recording,
	};

	if (reporter->writer < 0) {
		log_notice("no page is written: --output-file=FILE names where it goes");
		return;
	}
	if (!meter_report(reporter->meter, reporter->config.order, &reporter->intervals.total,
			  &report) &&
	    !send_out(reporter, &printer_html, &report))
		log_notice("a page goes to the file");
	meter_free_report(&report);
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

	if (covered > 1)
		meter_count_missed(reporter->meter, covered - 1);
	if (covered > 1 && !reporter->config.cumulative)
		log_error("whoever reads the reports, or this machine, was too slow: the next "
			  "report covers %" PRIu64 " intervals",
			  covered);
}

static void tell_local(struct reporter *reporter)
{
	if (!reporter->told_local && !meter_setup(reporter->meter)->plan.stages)
		reporter->told_local = hint_local_packets(reporter->intervals.total.hooks);
}

static int print_unreported(struct reporter *reporter)
{
	const struct report report = {
		.setup = meter_setup(reporter->meter),
		.slow = reporter->intervals.interval.slow,
	};

	report_print_unreported(stdout, &report);
	return output_flush();
}

int reporter_interval(struct reporter *reporter)
{
	int err;

	if (has_nothing_to_print(reporter))
		return 0;
	err = advance(reporter);
	if (err)
		return err;
	if (reporter->config.quiet)
		return print_unreported(reporter);
	tell_missed(reporter);
	tell_local(reporter);
	if (reporter->config.cumulative)
		return print_since_start(reporter, REPORT_CUMULATIVE);
	return print_interval(reporter);
}

static int print_last(struct reporter *reporter)
{
	int err;

	if (has_nothing_to_print(reporter))
		return 0;
	err = advance(reporter);
	if (!err && !meter_setup(reporter->meter)->plan.group_by)
		hint_no_hardware(reporter->intervals.total.hooks);
	if (!err && reporter->config.quiet)
		return print_unreported(reporter);
	/* The drawing has gone: the total is left of it. */
	if (!err && !reporter->config.cumulative && !reporter->was_drawn)
		err = print_interval(reporter);
	return err ? err : print_since_start(reporter, REPORT_TOTAL);
}

int reporter_end(struct reporter *reporter)
{
	int err = print_last(reporter);
	int not_written = reporter->writer < 0 ? 0 : writer_finish(reporter->writer);

	return err ? err : not_written;
}

int reporter_slow_share(const struct reporter *reporter)
{
	const struct report report = {
		.setup = meter_setup(reporter->meter),
		.hooks = reporter->intervals.total.hooks,
		.slow = reporter->intervals.total.slow,
	};

	report_print_slow_share(stdout, &report);
	return output_flush();
}
