// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMetrics 1.0, and the older text format 0.0.4 that it comes from. Their samples are the same.
 * What is said of these differs, most of all that in OpenMetrics the name of a counter is without
 * the _total that its samples have. The older format is what node_exporter and promtool read.
 */
#include "lib/report/printer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/report/series.h"
#include "lib/tables/discards.h"
#include "lib/tables/units.h"

enum format { OPENMETRICS, TEXT_0_0_4 };

/* Names and texts need no escapes: nothing in them is a backslash, a quotation mark or a newline.
 */
struct family {
	const char *name;
	char suffix[8]; /* of its samples, which is part of the older format's name */
	const char *type;
	const char *older_type; /* if that is another one */
	const char *unit;	/* which the name ends in, if any */
	const char *help;
};

static const struct family latency_family = {
	.name = "netstacklat_latency_seconds",
	.type = "histogram",
	.unit = "seconds",
	.help = "Time from the receive time stamp of a packet to a hook, or that a hook of CPUs took.",
};

static const struct family discarded_family = {
	.name = "netstacklat_discarded",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets at a hook whose latency was not recorded.",
};

static const struct family stage_family = {
	.name = "netstacklat_stage_seconds",
	.type = "histogram",
	.unit = "seconds",
	.help = "Time of a packet from one hook to the next.",
};

static const struct family unpaired_family = {
	.name = "netstacklat_unpaired",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets at a hook of which the hook before is not known.",
};

static const struct family stage_drops_family = {
	.name = "netstacklat_stage_drops",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets that were dropped, by the hook where they were last.",
};

static const struct family attached_family = {
	.name = "netstacklat_hook_attached",
	.type = "gauge",
	.help = "Whether this kernel let the programs of a hook be attached.",
};

static const struct family clock_offset_family = {
	.name = "netstacklat_clock_offset_seconds",
	.type = "gauge",
	.unit = "seconds",
	.help = "How far the clock of the programs is ahead of the wall clock.",
};

static const struct family build_family = {
	.name = "netstacklat_build",
	.suffix = "_info",
	.type = "info",
	.older_type = "gauge",
	.help = "The version, and the clock in use.",
};

static const struct family clock_changes_family = {
	.name = "netstacklat_clock_changes",
	.suffix = "_total",
	.type = "counter",
	.help = "How often the wall clock or the TAI offset was set: what that may have invalidated is discarded.",
};

static const struct family missed_family = {
	.name = "netstacklat_missed_intervals",
	.suffix = "_total",
	.type = "counter",
	.help = "Intervals that were over when the one before was reported. No counts were lost.",
};

static const struct family runs_family = {
	.name = "netstacklat_program_runs",
	.suffix = "_total",
	.type = "counter",
	.help = "How often a program ran.",
};

static const struct family run_seconds_family = {
	.name = "netstacklat_program_run_seconds",
	.suffix = "_total",
	.type = "counter",
	.unit = "seconds",
	.help = "How long a program ran, without the kernel's way into it.",
};

static const struct family slow_family = {
	.name = "netstacklat_slow_packets",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets as slow as asked for: reported, or why not.",
};

static void print_family(FILE *out, enum format format, const struct family *family)
{
	bool older = format == TEXT_0_0_4;
	char name[64];

	snprintf(name, sizeof(name), "%s%s", family->name, older ? family->suffix : "");
	fprintf(out, "# TYPE %s %s\n", name,
		older && family->older_type ? family->older_type : family->type);
	if (family->unit && !older)
		fprintf(out, "# UNIT %s %s\n", name, family->unit);
	fprintf(out, "# HELP %s %s\n", name, family->help);
}

/* ns as seconds, exactly: "0.000001024" */
static const char *seconds(uint64_t ns, char text[40])
{
	int length = sprintf(text, "%" PRIu64 ".%09u", (uint64_t)(ns / NS_PER_S),
			     (unsigned int)(ns % NS_PER_S));

	/* Up to the first digit after the point. */
	while (text[length - 1] == '0' && text[length - 2] != '.')
		text[--length] = '\0';
	return text;
}

/* The bounds of all buckets as text, made once for each report: there may be many groups. */
struct bounds {
	char le[MAX_BUCKETS][40];
};

/*
 * Bounds are compared as text, so OpenMetrics says how to spell them: as Go does, "1.024e-06". That
 * is C's %g with all digits, of which 2^34 ns has eleven, but for the ".0" of whole seconds, which
 * no bound is.
 */
static void make_bounds(struct bounds *bounds, const struct histogram *latency)
{
	for (unsigned int i = 0; i < histogram_overflow(latency); i++)
		sprintf(bounds->le[i], "%.11g", histogram_le_ns(latency, i) / 1e9);
	strcpy(bounds->le[histogram_overflow(latency)], "+Inf");
}

/* labels are those of the series: 'hook="tcp-start",port="80"' */
static void print_histogram(FILE *out, const struct family *family, const struct bounds *bounds,
			    const char *labels, const struct histogram *latency)
{
	const char *name = family->name;
	uint64_t count = 0;
	char text[40];

	for (unsigned int i = 0; i < histogram_nr_buckets(latency); i++) {
		count += latency->buckets[i].count;
		fprintf(out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels, bounds->le[i],
			count);
	}
	fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
	fprintf(out, "%s_sum{%s} %s\n", name, labels, seconds(histogram_sum_ns(latency), text));
}

static void print_hook(FILE *out, const struct bounds *bounds, const struct report *report,
		       enum hook hook)
{
	char labels[64];

	snprintf(labels, sizeof(labels), "hook=\"%s\"", hooks[hook].name);
	print_histogram(out, &latency_family, bounds, labels, &report->hooks[hook].latency);
}

/* Frees the series, which may be NULL. */
static void print_series(FILE *out, const struct family *family, const struct bounds *bounds,
			 const struct report *report, struct series *series, size_t nr)
{
	struct histogram latency;

	for (size_t i = 0; series && i < nr;) {
		const char *labels = series[i].labels;

		i += series_latency(report, &series[i], nr - i, &latency);
		print_histogram(out, family, bounds, labels, &latency);
	}
	series_free(series, nr);
}

static void print_groups(FILE *out, const struct bounds *bounds, const struct report *report,
			 enum hook hook)
{
	size_t nr;
	struct series *series = series_of_groups(report, hook, &nr);

	print_series(out, &latency_family, bounds, report, series, nr);
}

static void print_latencies(FILE *out, const struct report *report)
{
	struct bounds bounds;

	make_bounds(&bounds, &report->hooks[0].latency);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!report_shows(report, hook))
			continue;
		if (report->setup->group_by)
			print_groups(out, &bounds, report, hook);
		else
			print_hook(out, &bounds, report, hook);
	}
}

static void print_discards(FILE *out, const char *hook, const struct hook_counts *counts)
{
	for (int cause = 0; cause < NR_DISCARDS; cause++)
		fprintf(out, "netstacklat_discarded_total{hook=\"%s\",cause=\"%s\"} %" PRIu64 "\n",
			hook, discards[cause].name, counts->discarded[cause]);
}

/* Without the labels that are not known. A file for --btf may have anything for reasons. */
static void print_drop(FILE *out, const struct report_drop *drop)
{
	fprintf(out, "%s_total{", stage_drops_family.name);
	if (drop->from < NR_HOOKS)
		fprintf(out, "from=\"%s\",", hooks[drop->from].name);
	if (drop->ip_version)
		fprintf(out, "ip_version=\"%u\",", drop->ip_version);
	fputs("reason=\"", out);
	label_value_print(out, report_drop_reason(drop));
	fprintf(out, "\"} %" PRIu64 "\n", drop->count);
}

static void print_stages(FILE *out, const struct report *report, enum format format)
{
	struct bounds bounds;
	size_t nr;
	struct series *series = series_of_stages(report, &nr);

	make_bounds(&bounds, &report->hooks[0].latency);
	print_family(out, format, &stage_family);
	print_series(out, &stage_family, &bounds, report, series, nr);

	print_family(out, format, &unpaired_family);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows_stages_to(report, hook))
			fprintf(out, "%s_total{hook=\"%s\"} %" PRIu64 "\n", unpaired_family.name,
				hooks[hook].name, report->hooks[hook].unpaired);

	if (report->setup->drops)
		print_family(out, format, &stage_drops_family);
	for (size_t i = 0; i < report->nr_drops; i++)
		print_drop(out, &report->drops[i]);
}

static void print_program(FILE *out, const char *name, unsigned int program)
{
	fprintf(out, "%s_total{hook=\"%s\",program=\"%s\"} ", name,
		hooks[probes[PROBE_OF(program)].hook].name, program_names[program]);
}

static void print_overhead(FILE *out, const struct report *report, enum format format)
{
	char text[40];

	print_family(out, format, &runs_family);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report->setup->programs[program]) {
			print_program(out, runs_family.name, program);
			fprintf(out, "%" PRIu64 "\n", report->programs[program].runs);
		}

	print_family(out, format, &run_seconds_family);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report->setup->programs[program]) {
			print_program(out, run_seconds_family.name, program);
			fprintf(out, "%s\n", seconds(report->programs[program].run_ns, text));
		}
}

static void print_slow(FILE *out, const struct report *report, enum format format)
{
	static const char *const names[] = { "told", "limited", "no_room" };

	print_family(out, format, &slow_family);
	for (int what = 0; what < NR_SLOW_COUNTS; what++)
		fprintf(out, "netstacklat_slow_packets_total{result=\"%s\"} %" PRIu64 "\n",
			names[what], report->slow[what]);
}

static void print_report(FILE *out, const struct report *report, enum format format)
{
	const struct report_setup *setup = report->setup;

	print_family(out, format, &latency_family);
	print_latencies(out, report);

	print_family(out, format, &discarded_family);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows(report, hook))
			print_discards(out, hooks[hook].name, &report->hooks[hook]);

	print_family(out, format, &attached_family);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (setup->hooks[hook])
			fprintf(out, "netstacklat_hook_attached{hook=\"%s\"} %d\n",
				hooks[hook].name, hook_is_attached(hook, &setup->left_out));

	print_family(out, format, &clock_offset_family);
	fprintf(out, "netstacklat_clock_offset_seconds %.9f\n", report->clock_offset_ns / 1e9);

	print_family(out, format, &clock_changes_family);
	fprintf(out, "%s_total %" PRIu64 "\n", clock_changes_family.name, report->nr_clock_changes);
	print_family(out, format, &missed_family);
	fprintf(out, "%s_total %" PRIu64 "\n", missed_family.name, report->nr_missed);

	print_family(out, format, &build_family);
	fprintf(out, "netstacklat_build_info{version=\"%s\",clock=\"%s\"} 1\n", VERSION,
		report_clock_name(report));
	if (setup->stages)
		print_stages(out, report, format);
	if (setup->slow)
		print_slow(out, report, format);
	if (setup->overhead)
		print_overhead(out, report, format);
}

static void print_openmetrics(FILE *out, const struct report *report)
{
	print_report(out, report, OPENMETRICS);
}

static void print_end(FILE *out)
{
	fputs("# EOF\n", out);
}

const struct printer printer_openmetrics = {
	.name = "openmetrics",
	.report = print_openmetrics,
	.end = print_end,
	.is_document = true,
	.cumulative = true,
};

static void print_older(FILE *out, const struct report *report)
{
	print_report(out, report, TEXT_0_0_4);
}

const struct printer printer_prometheus = {
	.name = "prometheus",
	.report = print_older,
	.is_document = true,
	.cumulative = true,
};
