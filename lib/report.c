// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <string.h>

const struct printer printers[NR_PRINTERS] = {
	{ "text", report_text, .resolution = 0 },
	{ "json", report_json, .resolution = 0 },
	{ "openmetrics", report_openmetrics, .cumulative = true, .to_file = true },
	/* A heatmap has room for more than one column an octave. */
	{ "heatmap", report_heatmap, .resolution = 2, .no_groups = true },
};

const struct printer *printer_find(const char *name)
{
	for (int i = 0; i < NR_PRINTERS; i++)
		if (!strcmp(printers[i].name, name))
			return &printers[i];
	return NULL;
}

bool report_shows(const struct report *report, enum hook hook)
{
	return report->setup->hooks[hook] && hook_is_attached(hook, &report->setup->left_out);
}

size_t report_groups(const struct report *report, enum hook hook,
		     const struct report_group **groups)
{
	size_t first = 0, nr = 0;

	while (first < report->nr_groups && report->groups[first].group->hook != hook)
		first++;
	while (first + nr < report->nr_groups && report->groups[first + nr].group->hook == hook)
		nr++;
	*groups = report->groups + first;
	return nr;
}

void report_group_latency(const struct report *report, const struct report_group *group,
			  struct histogram *latency)
{
	/* The rest of the buckets, which may be by far the most, is not in use. */
	latency->resolution = report->hooks[group->group->hook].latency.resolution;
	memcpy(latency->buckets, group->buckets,
	       histogram_nr_buckets(latency) * sizeof(struct bucket));
}

void report_group_labels(const struct report *report, const struct report_group *group,
			 struct labels *labels)
{
	labels_of(report->names, group->group, report->setup->group_by, labels);
}

const char *report_clock_name(const struct report *report)
{
	return report->setup->clock == CLOCK_TAI ? "tai" : "monotonic";
}

void report_print_clock_change(FILE *out, const struct clock_change *change)
{
	const char *separator = ":";
	char time_text[16];

	if (!change->time)
		return;
	strftime(time_text, sizeof(time_text), "%H:%M:%S", localtime(&change->time));
	fprintf(out, "clock changed at %s", time_text);
	if (change->wall_ns) {
		fprintf(out, "%s wall clock %+.3f s", separator, change->wall_ns / 1e9);
		separator = ",";
	}
	if (change->tai_ns)
		fprintf(out, "%s TAI offset %+.0f s", separator, change->tai_ns / 1e9);
	fputc('\n', out);
}

const char *report_kind_name(enum report_kind kind)
{
	static const char *const names[] = {
		[REPORT_INTERVAL] = "interval",
		[REPORT_CUMULATIVE] = "cumulative",
		[REPORT_TOTAL] = "total",
	};

	return names[kind];
}
