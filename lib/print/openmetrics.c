// SPDX-License-Identifier: GPL-2.0
/* A report as metrics, for Prometheus and others. */
#include "lib/print/printer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/metric_family.h"
#include "lib/print/series.h"
#include "lib/tables/discards.h"

static const struct metric_family latency_family = {
	.name = "netstacklat_latency_seconds",
	.type = "histogram",
	.unit = "seconds",
	.help = "Time from the receive time stamp of a packet to a hook, or that a hook of CPUs took.",
};

static const struct metric_family discarded_family = {
	.name = "netstacklat_discarded",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets at a hook whose latency was not recorded.",
};

static const struct metric_family stage_family = {
	.name = "netstacklat_stage_seconds",
	.type = "histogram",
	.unit = "seconds",
	.help = "Time of a packet from one hook to the next.",
};

static const struct metric_family unpaired_family = {
	.name = "netstacklat_unpaired",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets at a hook of which the hook before is not known.",
};

static const struct metric_family stage_drops_family = {
	.name = "netstacklat_stage_drops",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets that were dropped, by the hook where they were last.",
};

static const struct metric_family attached_family = {
	.name = "netstacklat_hook_attached",
	.type = "gauge",
	.help = "Whether this kernel let the programs of a hook be attached.",
};

static const struct metric_family clock_offset_family = {
	.name = "netstacklat_clock_offset_seconds",
	.type = "gauge",
	.unit = "seconds",
	.help = "How far the clock of the programs is ahead of the wall clock.",
};

static const struct metric_family build_family = {
	.name = "netstacklat_build",
	.suffix = "_info",
	.type = "info",
	.older_type = "gauge",
	.help = "The version, and the clock in use.",
};

static const struct metric_family clock_changes_family = {
	.name = "netstacklat_clock_changes",
	.suffix = "_total",
	.type = "counter",
	.help = "How often the wall clock or the TAI offset was set: what that may have invalidated is discarded.",
};

static const struct metric_family missed_family = {
	.name = "netstacklat_missed_intervals",
	.suffix = "_total",
	.type = "counter",
	.help = "Intervals that were over when the one before was reported. No counts were lost.",
};

static const struct metric_family runs_family = {
	.name = "netstacklat_program_runs",
	.suffix = "_total",
	.type = "counter",
	.help = "How often a program ran.",
};

static const struct metric_family run_seconds_family = {
	.name = "netstacklat_program_run_seconds",
	.suffix = "_total",
	.type = "counter",
	.unit = "seconds",
	.help = "How long a program ran, without the kernel's way into it.",
};

static const struct metric_family slow_family = {
	.name = "netstacklat_slow_packets",
	.suffix = "_total",
	.type = "counter",
	.help = "Packets as slow as asked for: reported, or why not.",
};

/*
 * The bounds of all buckets as text, made once for each report, as there may be many groups. ""
 * stands for bounds that are not served.
 */
struct bounds {
	char le[MAX_BUCKETS][40];
};

static bool is_bound_of(uint64_t ns, unsigned int resolution)
{
	return bucket_le_ns(bucket_index(ns, resolution), resolution) == ns;
}

/*
 * Bounds are compared as text, so OpenMetrics says how to spell them: as Go does, "1.024e-06". That
 * is C's %g with all digits (2^34 ns has eleven), except for the ".0" of whole seconds, which no
 * bound is.
 */
static void make_bounds(struct bounds *bounds, const struct report *report)
{
	const struct histogram *latency = &report->hooks[0].latency;

	for (unsigned int i = 0; i < histogram_overflow(latency); i++) {
		*bounds->le[i] = '\0';
		if (is_bound_of(histogram_le_ns(latency, i), report->setup->served_resolution))
			sprintf(bounds->le[i], "%.11g", histogram_le_ns(latency, i) / 1e9);
	}
	strcpy(bounds->le[histogram_overflow(latency)], "+Inf");
}

/* labels are those of the series: 'hook="tcp-start",port="80"' */
static void print_histogram(FILE *out, const struct metric_family *family,
			    const struct bounds *bounds, const char *labels,
			    const struct histogram *latency)
{
	const char *name = family->name;
	uint64_t count = 0;
	char text[METRIC_SECONDS_SIZE];

	for (unsigned int i = 0; i < histogram_nr_buckets(latency); i++) {
		count += latency->buckets[i].count;
		if (*bounds->le[i])
			fprintf(out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels,
				bounds->le[i], count);
	}
	fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
	fprintf(out, "%s_sum{%s} %s\n", name, labels,
		metric_seconds(histogram_sum_ns(latency), text));
}

static void print_hook(FILE *out, const struct bounds *bounds, const struct report *report,
		       enum hook hook)
{
	char labels[64];

	snprintf(labels, sizeof(labels), "hook=\"%s\"", hooks[hook].name);
	print_histogram(out, &latency_family, bounds, labels, &report->hooks[hook].latency);
}

/* Frees the series, which may be NULL. */
static void print_series(FILE *out, const struct metric_family *family, const struct bounds *bounds,
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

	make_bounds(&bounds, report);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!report_shows(report, hook))
			continue;
		if (report->setup->plan.group_by)
			print_groups(out, &bounds, report, hook);
		else
			print_hook(out, &bounds, report, hook);
	}
}

static const struct metric_family cpu_family = {
	.name = "process_cpu_seconds",
	.suffix = "_total",
	.type = "counter",
	.unit = "seconds",
	.help = "CPU time that netstacklat has taken, without its programs in the kernel and its helpers.",
};

static const struct metric_family memory_family = {
	.name = "process_resident_memory_bytes",
	.type = "gauge",
	.unit = "bytes",
	.help = "Memory that netstacklat has, without its maps in the kernel and its helpers.",
};

static const struct metric_family start_family = {
	.name = "process_start_time_seconds",
	.type = "gauge",
	.unit = "seconds",
	.help = "When netstacklat began to serve, since 1970.",
};

static void print_discards(FILE *out, const char *hook, const struct hook_counts *counts)
{
	for (int cause = 0; cause < NR_DISCARDS; cause++)
		fprintf(out, "netstacklat_discarded_total{hook=\"%s\",cause=\"%s\"} %" PRIu64 "\n",
			hook, discards[cause].name, counts->discarded[cause]);
}

/* Leaves out labels that are not known. A file for --btf may have any bytes as reasons. */
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

static void print_stages(FILE *out, const struct report *report, enum metrics_format format)
{
	struct bounds bounds;
	size_t nr;
	struct series *series = series_of_stages(report, &nr);

	make_bounds(&bounds, report);
	metric_family_print(out, format, &stage_family);
	print_series(out, &stage_family, &bounds, report, series, nr);

	metric_family_print(out, format, &unpaired_family);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows_stages_to(report, hook))
			fprintf(out, "%s_total{hook=\"%s\"} %" PRIu64 "\n", unpaired_family.name,
				hooks[hook].name, report->hooks[hook].unpaired);

	if (report->setup->drops)
		metric_family_print(out, format, &stage_drops_family);
	for (size_t i = 0; i < report->nr_drops; i++)
		print_drop(out, &report->drops[i]);
}

static void print_program(FILE *out, const char *name, unsigned int program)
{
	fprintf(out, "%s_total{hook=\"%s\",program=\"%s\"} ", name,
		hooks[probes[PROBE_OF(program)].hook].name, program_names[program]);
}

static void print_overhead(FILE *out, const struct report *report, enum metrics_format format)
{
	char text[METRIC_SECONDS_SIZE];

	metric_family_print(out, format, &runs_family);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report->setup->programs[program]) {
			print_program(out, runs_family.name, program);
			fprintf(out, "%" PRIu64 "\n", report->programs[program].runs);
		}

	metric_family_print(out, format, &run_seconds_family);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report->setup->programs[program]) {
			print_program(out, run_seconds_family.name, program);
			fprintf(out, "%s\n",
				metric_seconds(report->programs[program].run_ns, text));
		}
}

static void print_slow(FILE *out, const struct report *report, enum metrics_format format)
{
	static const char *const names[] = { "told", "limited", "no_room" };

	metric_family_print(out, format, &slow_family);
	for (int what = 0; what < NR_SLOW_COUNTS; what++)
		fprintf(out, "netstacklat_slow_packets_total{result=\"%s\"} %" PRIu64 "\n",
			names[what], report->slow[what]);
}

/* All exporters have these names for what they take themselves. */
static void print_self(FILE *out, const struct report *report, enum metrics_format format)
{
	char text[METRIC_SECONDS_SIZE];

	metric_family_print(out, format, &cpu_family);
	fprintf(out, "%s_total %s\n", cpu_family.name, metric_seconds(report->self.cpu_ns, text));
	metric_number_print(out, format, &memory_family, report->self.resident_bytes);
	metric_family_print(out, format, &start_family);
	fprintf(out, "%s %s\n", start_family.name, metric_seconds(report->started_ns, text));
}

static void print_report(FILE *out, const struct report *report, enum metrics_format format)
{
	const struct report_setup *setup = report->setup;

	metric_family_print(out, format, &latency_family);
	print_latencies(out, report);

	metric_family_print(out, format, &discarded_family);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows(report, hook))
			print_discards(out, hooks[hook].name, &report->hooks[hook]);

	metric_family_print(out, format, &attached_family);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (setup->plan.hooks[hook])
			fprintf(out, "netstacklat_hook_attached{hook=\"%s\"} %d\n",
				hooks[hook].name, hook_is_attached(hook, &setup->left_out));

	metric_family_print(out, format, &clock_offset_family);
	fprintf(out, "netstacklat_clock_offset_seconds %.9f\n", report->clock_offset_ns / 1e9);

	metric_number_print(out, format, &clock_changes_family, report->nr_clock_changes);
	metric_number_print(out, format, &missed_family, report->nr_missed);

	metric_family_print(out, format, &build_family);
	fprintf(out, "netstacklat_build_info{version=\"%s\",clock=\"%s\"} 1\n", VERSION,
		report_clock_name(report));
	metric_rows_print(out, format, &report->rows);
	if (setup->plan.stages)
		print_stages(out, report, format);
	if (setup->plan.slow)
		print_slow(out, report, format);
	if (setup->plan.overhead)
		print_overhead(out, report, format);
	if (report->started_ns)
		print_self(out, report, format);
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
	.no_verdict = true,
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
	.no_verdict = true,
};
