// SPDX-License-Identifier: GPL-2.0
/*
 * A latency spectrogram: time runs down, latency runs across. On a terminal, each report is printed
 * as it comes. If the terminal is wide enough, hooks or stages stand side by side; otherwise, each
 * report is a block with a line for each.
 */
#include "lib/print/printer.h"

#include <string.h>

#include "lib/counts/stages.h"
#include "lib/print/heatmap_row.h"
#include "lib/report/stage_names.h"

#define NAME_WIDTH 20  /* of the longest hook's name, and a space */
#define STAGE_WIDTH 36 /* of "raw-socket-enqueued <- netif-receive" */

/*
 * The way that a panel shows: from the stamp to a hook or, with stages, from one hook to another.
 */
struct panel {
	__u8 from; /* for IPv4, but it stands for both */
	enum hook to;
};

struct layout {
	bool side_by_side;
	int name_width; /* of a line, or 0 */
	struct row_scale scale;
	unsigned int nr_panels;
	struct panel panels[NR_HOOKS * (END_OF_PARTS + 1)];
};

static void add_panel(struct layout *layout, unsigned int from, enum hook to)
{
	layout->panels[layout->nr_panels++] = (struct panel){ STAGE_FROM(from, 0), to };
}

/* Lists the stages from all hooks before, and the parts of waits for readers. */
static void list_stages(struct layout *layout, const struct report_setup *setup, enum hook to)
{
	for (enum hook from = 0; from < to; from++)
		if (setup->plan.followed[from] && stage_is_possible(from, to))
			add_panel(layout, from, to);
	for (unsigned int part = PART_ASLEEP; part < END_OF_PARTS; part++)
		if (setup->plan.wakeups && hooks[to].has & HAS_READER)
			add_panel(layout, part, to);
}

/* All that are measured. */
static void list_panels(struct layout *layout, const struct report *report)
{
	const struct report_setup *setup = report->setup;

	for (enum hook to = 0; to < NR_HOOKS; to++) {
		if (!report_shows(report, to))
			continue;
		if (!setup->plan.stages || stage_is_whole_hook(to))
			layout->panels[layout->nr_panels++] = (struct panel){ 0, to };
		if (setup->plan.stages)
			list_stages(layout, setup, to);
	}
}

/* The last count of a line is as long as it is, without a gap behind it. */
static int columns_a_panel(const struct report *report, const struct layout *layout)
{
	int columns = report->terminal.columns + 1 - ROW_TIME_WIDTH - layout->name_width;

	return layout->side_by_side && layout->nr_panels ? columns / (int)layout->nr_panels
							 : columns;
}

static void choose_layout(struct layout *layout, const struct report *report)
{
	*layout = (struct layout){ .side_by_side = true };
	list_panels(layout, report);
	if (columns_a_panel(report, layout) < row_width(0)) {
		layout->side_by_side = false;
		layout->name_width = report->setup->plan.stages ? STAGE_WIDTH : NAME_WIDTH;
	}
	layout->scale =
		row_scale_for(columns_a_panel(report, layout), report->hooks[0].latency.resolution);
}

static void find_latency(const struct report *report, const struct panel *panel,
			 struct histogram *latency)
{
	*latency = report->hooks[panel->to].latency;
	if (panel->from == FROM_STAMP)
		return;
	memset(latency->buckets, 0, sizeof(latency->buckets));
	for (size_t i = 0; i < report->nr_stages; i++) {
		const struct group *group = report->stages[i].group;

		if (group->hook == panel->to && (group->from | 1) == (panel->from | 1))
			buckets_add(latency->buckets, report->stages[i].buckets,
				    histogram_nr_buckets(latency));
	}
}

/* A name above each panel, where they stand side by side. */
static void print_names(FILE *out, const struct layout *layout, const struct report *report,
			const char *label, bool of_begin)
{
	int gap = ROW_TIME_WIDTH + 1;

	for (unsigned int i = 0; i < layout->nr_panels; i++) {
		const struct panel *panel = &layout->panels[i];
		struct stage_names names = stage_names_of(report, panel->from, panel->to);

		fprintf(out, "%*s", gap, "");
		gap = row_width(layout->scale.resolution) -
		      fprintf(out, "%s%s", label, of_begin ? names.from : names.to);
	}
	fputc('\n', out);
}

/* The axis above each panel. */
static void print_header(FILE *out, const struct layout *layout, const struct report *report)
{
	unsigned int nr = layout->side_by_side ? layout->nr_panels : 1;
	int gap = ROW_TIME_WIDTH + layout->name_width + 1;

	if (layout->side_by_side && report->setup->plan.stages)
		print_names(out, layout, report, "from ", true);
	if (layout->side_by_side)
		print_names(out, layout, report, report->setup->plan.stages ? "to " : "", false);
	for (unsigned int i = 0; i < nr; i++) {
		fprintf(out, "%*s", gap, "");
		gap = row_print_axis(out, &layout->scale);
	}
	fputc('\n', out);
}

static void print_time(FILE *out, const struct report *report)
{
	if (report->kind == REPORT_TOTAL)
		fprintf(out, "%-*s", ROW_TIME_WIDTH, "total");
	else
		row_print_time(out, report->time_ns);
}

static void print_side_by_side(FILE *out, const struct layout *layout, const struct report *report)
{
	int gap = 0;

	print_time(out, report);
	for (unsigned int i = 0; i < layout->nr_panels; i++) {
		struct histogram latency;

		find_latency(report, &layout->panels[i], &latency);
		fprintf(out, "%*s", gap, "");
		gap = row_print(out, &layout->scale, &report->terminal, &latency);
	}
	fputc('\n', out);
}

/* Names where a stage begins, too, if that is not the hook right before. */
static void print_line_name(FILE *out, const struct layout *layout, const struct report *report,
			    const struct panel *panel)
{
	bool skips = stage_skips(report->setup->plan.followed, panel->from, panel->to);
	struct stage_names names = stage_names_of(report, panel->from, panel->to);
	int length = fprintf(out, "%s%s%s", names.to, skips ? " <- " : "", skips ? names.from : "");

	fprintf(out, "%*s", layout->name_width > length ? layout->name_width - length : 0, "");
}

/* A line for each with traffic. */
static void print_block(FILE *out, const struct layout *layout, const struct report *report)
{
	bool first = true;

	for (unsigned int i = 0; i < layout->nr_panels; i++) {
		struct histogram latency;

		find_latency(report, &layout->panels[i], &latency);
		if (!histogram_count(&latency))
			continue;
		if (first)
			print_time(out, report);
		else
			fprintf(out, "%*s", ROW_TIME_WIDTH, "");
		print_line_name(out, layout, report, &layout->panels[i]);
		row_print(out, &layout->scale, &report->terminal, &latency);
		fputc('\n', out);
		first = false;
	}
	if (first) {
		print_time(out, report);
		fputs("no packets\n", out);
	}
}

static void print_legend(FILE *out, const struct report *first)
{
	row_print_legend(out, &first->terminal);
}

static void print_report(FILE *out, const struct report *report)
{
	struct layout layout;

	choose_layout(&layout, report);
	if (!layout.side_by_side || report->resized || report->number % ROWS_PER_AXIS == 0)
		print_header(out, &layout, report);
	report_print_clock_change(out, &report->clock_change);
	if (layout.side_by_side)
		print_side_by_side(out, &layout, report);
	else
		print_block(out, &layout, report);
	report_print_undrawn(out, report);
}

/* A heatmap has room for more than one column an octave. */
const struct printer printer_heatmap = {
	.name = "heatmap",
	.begin = print_legend,
	.report = print_report,
	.no_verdict = true,
	.no_groups = true,
	.no_overhead = true,
	.resolution = 2,
};
