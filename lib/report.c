// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <string.h>

const struct printer printers[NR_PRINTERS] = {
	{ "text", report_text, .resolution = 0 },
	{ "json", report_json, .resolution = 0 },
	{ "openmetrics", report_openmetrics, .cumulative = true, .to_file = true },
	/* A heatmap has room for more than one column an octave. */
	{ "heatmap", report_heatmap, .resolution = 2 },
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
