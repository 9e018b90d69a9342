// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMetrics, for Prometheus and all that speak its language. The counter has _total in its name
 * on the TYPE line, too: OpenMetrics 1.0 has it on the samples alone, but node_exporter and
 * promtool read that line as the older text format defines it, and Prometheus takes both.
 */
#include "lib/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tables/discards.h"
#include "lib/tables/units.h"

static void print_family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
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

static void make_bounds(struct bounds *bounds, const struct histogram *latency)
{
	for (unsigned int i = 0; i < histogram_overflow(latency); i++)
		seconds(histogram_le_ns(latency, i), bounds->le[i]);
	strcpy(bounds->le[histogram_overflow(latency)], "+Inf");
}

/* labels are those of the series: 'hook="tcp-start",port="80"' */
static void print_histogram(FILE *out, const struct bounds *bounds, const char *labels,
			    const struct histogram *latency)
{
	uint64_t count = 0;
	char text[40];

	for (unsigned int i = 0; i < histogram_nr_buckets(latency); i++) {
		count += latency->buckets[i].count;
		fprintf(out, "netstacklat_latency_seconds_bucket{%s,le=\"%s\"} %" PRIu64 "\n",
			labels, bounds->le[i], count);
	}
	fprintf(out, "netstacklat_latency_seconds_count{%s} %" PRIu64 "\n", labels, count);
	fprintf(out, "netstacklat_latency_seconds_sum{%s} %s\n", labels,
		seconds(histogram_sum_ns(latency), text));
}

static void print_hook(FILE *out, const struct bounds *bounds, const struct report *report,
		       enum hook hook)
{
	char labels[64];

	snprintf(labels, sizeof(labels), "hook=\"%s\"", hooks[hook].name);
	print_histogram(out, bounds, labels, &report->hooks[hook].latency);
}

static void print_groups(FILE *out, const struct bounds *bounds, const struct report *report,
			 enum hook hook)
{
	const struct report_group *groups;
	size_t nr = report_groups(report, hook, &groups);

	for (size_t i = 0; i < nr; i++) {
		char *text, *labels = NULL;
		struct histogram latency;
		struct labels found;

		report_group_latency(report, &groups[i], &latency);
		report_group_labels(report, &groups[i], &found);
		text = labels_text(&found);
		if (text && asprintf(&labels, "hook=\"%s\"%s%s", hooks[hook].name, *text ? "," : "",
				     text) >= 0)
			print_histogram(out, bounds, labels, &latency);
		free(labels);
		free(text);
	}
}

static void print_discards(FILE *out, const char *hook, const struct hook_counts *counts)
{
	for (int cause = 0; cause < NR_DISCARDS; cause++)
		fprintf(out, "netstacklat_discarded_total{hook=\"%s\",cause=\"%s\"} %" PRIu64 "\n",
			hook, discards[cause].name, counts->discarded[cause]);
}

static void print_state(FILE *out, const struct report *report)
{
	const struct report_setup *setup = report->setup;

	print_family(out, "netstacklat_hook_attached", "gauge",
		     "Whether this kernel let the programs of a hook be attached.");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (setup->hooks[hook])
			fprintf(out, "netstacklat_hook_attached{hook=\"%s\"} %d\n",
				hooks[hook].name, hook_is_attached(hook, &setup->left_out));

	print_family(out, "netstacklat_clock_offset_seconds", "gauge",
		     "How far the clock of the programs is ahead of the wall clock.");
	fprintf(out, "netstacklat_clock_offset_seconds %.9f\n", report->clock_offset_ns / 1e9);

	print_family(out, "netstacklat_build_info", "gauge", "The version, and the clock in use.");
	fprintf(out, "netstacklat_build_info{version=\"%s\",clock=\"%s\"} 1\n", VERSION,
		report_clock_name(report));
}

/* A sample's name and labels. */
static void print_program(FILE *out, const char *name, unsigned int program)
{
	fprintf(out, "%s{hook=\"%s\",program=\"%s\"} ", name,
		hooks[probes[PROBE_OF(program)].hook].name, program_names[program]);
}

static void print_overhead(FILE *out, const struct report *report)
{
	static const char runs[] = "netstacklat_program_runs_total";
	static const char run_seconds[] = "netstacklat_program_run_seconds_total";
	char text[40];

	print_family(out, runs, "counter", "How often a program ran.");
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report_shows_program(report, program)) {
			print_program(out, runs, program);
			fprintf(out, "%" PRIu64 "\n", report->programs[program].runs);
		}

	print_family(out, run_seconds, "counter",
		     "How long a program ran, without the kernel's way into it.");
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report_shows_program(report, program)) {
			print_program(out, run_seconds, program);
			fprintf(out, "%s\n", seconds(report->programs[program].run_ns, text));
		}
}

static void print_report(FILE *out, const struct report *report)
{
	struct bounds bounds;

	make_bounds(&bounds, &report->hooks[0].latency);
	print_family(out, "netstacklat_latency_seconds", "histogram",
		     "Time from the receive time stamp of a packet to a hook.");
	fputs("# UNIT netstacklat_latency_seconds seconds\n", out);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!report_shows(report, hook))
			continue;
		if (report->setup->group_by)
			print_groups(out, &bounds, report, hook);
		else
			print_hook(out, &bounds, report, hook);
	}

	print_family(out, "netstacklat_discarded_total", "counter",
		     "Packets at a hook whose latency was not recorded.");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows(report, hook))
			print_discards(out, hooks[hook].name, &report->hooks[hook]);

	print_state(out, report);
	if (report->setup->overhead)
		print_overhead(out, report);
}

static void print_end(FILE *out)
{
	fputs("# EOF\n", out);
}

const struct printer printer_openmetrics = {
	.name = "openmetrics",
	.report = print_report,
	.end = print_end,
	.is_document = true,
	.cumulative = true,
};
