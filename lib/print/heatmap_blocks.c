// SPDX-License-Identifier: GPL-2.0
/*
 * A heatmap of a whole run, without a terminal: a block for each hook or stage, in which time runs
 * down.
 */
#include "lib/print/printer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/print/columns.h"
#include "lib/print/heatmap_row.h"
#include "lib/print/recording.h"

/* Lists the panels to be shown, in their order, and returns how many there are. */
static size_t list_panels(const struct report *report, size_t *panels)
{
	const struct timeline *timeline = recording_timeline(report->recording);
	enum view_kind view = report->setup->plan.stages ? VIEW_STAGES : VIEW_HOOKS;
	size_t nr = 0;

	for (size_t i = 0; i < timeline_nr_panels(timeline); i++)
		if (timeline_name_of(timeline, i)->view == view)
			panels[nr++] = i;
	timeline_sort_panels(timeline, panels, nr);
	return nr;
}

static void print_axis(FILE *out, const struct row_scale *scale)
{
	fprintf(out, "%*s", ROW_TIME_WIDTH + 1, "");
	row_print_axis(out, scale);
	fputc('\n', out);
}

/* Words that 80 columns have room for, behind the count. */
static void print_notes(FILE *out, const struct timeline_column *column)
{
	if (column->clock_changed)
		fputs(" clock", out);
	if (column->is_gap)
		fputs(" gap", out);
	fputc('\n', out);
}

/* Prints a row for each column of a panel, and one for all of them. */
static void print_rows(FILE *out, const struct report *report, size_t panel,
		       const struct row_scale *scale)
{
	const struct timeline *timeline = recording_timeline(report->recording);
	struct histogram total = { .resolution = timeline_resolution(timeline) };

	for (size_t nr = timeline_nr_columns(timeline), row = 0; row < nr; row++) {
		const struct timeline_column *column = timeline_column_at(timeline, nr - 1 - row);
		struct histogram latency = { .resolution = total.resolution };

		if (row % ROWS_PER_AXIS == 0)
			print_axis(out, scale);
		timeline_latency(timeline, panel, nr - 1 - row, &latency);
		timeline_latency(timeline, panel, nr - 1 - row, &total);
		row_print_time(out, column->time_ns);
		row_print(out, scale, &report->terminal, &latency);
		print_notes(out, column);
	}
	fprintf(out, "%-*s", ROW_TIME_WIDTH, "total");
	row_print(out, scale, &report->terminal, &total);
	fputc('\n', out);
}

static void print_block(FILE *out, const struct report *report, size_t panel)
{
	const struct timeline *timeline = recording_timeline(report->recording);
	const struct timeline_name *name = timeline_name_of(timeline, panel);
	struct row_scale scale = row_scale_for(report->terminal.columns + 1 - ROW_TIME_WIDTH,
					       timeline_resolution(timeline));

	fprintf(out, "\n%s%s%s\n", name->section, *name->section ? ": " : "", name->label);
	print_rows(out, report, panel, &scale);
}

static void print_left_out(FILE *out, uint64_t nr)
{
	if (nr)
		fprintf(out, "left out, as there are too many blocks: %" PRIu64 " samples\n", nr);
}

static void print_report(FILE *out, const struct report *report)
{
	const struct timeline *timeline = recording_timeline(report->recording);
	size_t *panels = calloc(timeline_nr_panels(timeline) + 1, sizeof(*panels)), nr;

	if (!panels) {
		log_failure(-ENOMEM, "cannot print a heatmap");
		exit(EXIT_FAILURE);
	}
	nr = list_panels(report, panels);
	row_print_legend(out, &report->terminal);
	for (size_t i = 0; i < nr; i++)
		print_block(out, report, panels[i]);
	fputs(nr ? "\n" : "\nno packets\n", out);
	print_left_out(out, timeline_nr_left_out(timeline));
	report_print_undrawn(out, report);
	free(panels);
}

/* Users choose it as they choose the one for terminals. */
const struct printer printer_heatmap_blocks = {
	.name = "heatmap",
	.report = print_report,
	.records = true,
	.no_verdict = true,
	.no_groups = true,
	.no_overhead = true,
	.resolution = 2,
};
