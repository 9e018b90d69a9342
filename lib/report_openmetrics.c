// SPDX-License-Identifier: GPL-2.0
/*
 * OpenMetrics, for Prometheus and all that speak its language. The counter has _total in its name
 * on the TYPE line, too: OpenMetrics 1.0 has it on the samples alone, but node_exporter and
 * promtool read that line as the older text format defines it, and Prometheus takes both.
 */
#include "report.h"

#include <inttypes.h>

#include "discards.h"

#define NS_PER_S UINT64_C(1000000000)

static void print_family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* ns as seconds, exactly: "0.000001024" */
static const char *seconds(uint64_t ns, char text[40])
{
	int length = sprintf(text, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);

	/* Up to the first digit after the point. */
	while (text[length - 1] == '0' && text[length - 2] != '.')
		text[--length] = '\0';
	return text;
}

static void print_histogram(FILE *out, const char *hook, const struct histogram *latency)
{
	unsigned int overflow = histogram_overflow(latency);
	uint64_t count = 0;
	char text[40];

	for (unsigned int i = 0; i < overflow; i++) {
		count += latency->buckets[i].count;
		fprintf(out,
			"netstacklat_latency_seconds_bucket{hook=\"%s\",le=\"%s\"} %" PRIu64 "\n",
			hook, seconds(histogram_le_ns(latency, i), text), count);
	}
	count += latency->buckets[overflow].count;
	fprintf(out, "netstacklat_latency_seconds_bucket{hook=\"%s\",le=\"+Inf\"} %" PRIu64 "\n",
		hook, count);
	fprintf(out, "netstacklat_latency_seconds_count{hook=\"%s\"} %" PRIu64 "\n", hook, count);
	fprintf(out, "netstacklat_latency_seconds_sum{hook=\"%s\"} %s\n", hook,
		seconds(histogram_sum_ns(latency), text));
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

void report_openmetrics(FILE *out, const struct report *report)
{
	print_family(out, "netstacklat_latency_seconds", "histogram",
		     "Time from the receive time stamp of a packet to a hook.");
	fputs("# UNIT netstacklat_latency_seconds seconds\n", out);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows(report, hook))
			print_histogram(out, hooks[hook].name, &report->hooks[hook].latency);

	print_family(out, "netstacklat_discarded_total", "counter",
		     "Packets at a hook whose latency was not recorded.");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows(report, hook))
			print_discards(out, hooks[hook].name, &report->hooks[hook]);

	print_state(out, report);
	fputs("# EOF\n", out);
}
