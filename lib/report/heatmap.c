// SPDX-License-Identifier: GPL-2.0
/*
 * A latency spectrogram: time runs down, latency runs across on a logarithmic axis, and the more
 * samples, the fuller the cell. Hooks, or stages, stand side by side where the terminal is wide
 * enough for all of them; otherwise each report is a block with a line for each.
 */
#include "lib/report/printer.h"

#include <inttypes.h>
#include <string.h>

#include "lib/counts/stages.h"
#include "lib/tables/bucket.h"
#include "lib/base/duration.h"
#include "lib/tables/units.h"
#include "lib/report/figures.h"
#include "lib/report/shades.h"
#include "lib/report/stage_names.h"

/* The first column holds all up to this, the last one all beyond the last bound. */
#define FIRST_OCTAVE 8 /* 256 ns */
#define PANEL_WIDTH(resolution) (((NR_OCTAVES - FIRST_OCTAVE) << (resolution)) + 2)
#define MAX_PANEL_WIDTH PANEL_WIDTH(MAX_RESOLUTION)

#define TIME_WIDTH 9   /* "12:00:05 " */
#define NAME_WIDTH 20  /* of the longest hook's name, and a space */
#define STAGE_WIDTH 36 /* of "raw-socket-enqueued <- netif-receive" */
#define COUNT_WIDTH 6  /* "18.3k " */
#define FRAME_WIDTH (2 + COUNT_WIDTH)
#define ROWS_PER_AXIS 20

/* From where to where: from the stamp to a hook or, with stages, from one hook to another. */
struct panel {
	__u8 from; /* for IPv4, but it stands for both */
	enum hook to;
};

struct layout {
	bool side_by_side;
	unsigned int resolution; /* columns an octave, as that of histograms */
	int width;		 /* of a panel */
	int name_width;		 /* of a line, or 0 */
	unsigned int nr_panels;
	struct panel panels[NR_HOOKS * (END_OF_PARTS + 1)];
};

static void add_panel(struct layout *layout, unsigned int from, enum hook to)
{
	layout->panels[layout->nr_panels++] = (struct panel){ STAGE_FROM(from, 0), to };
}

/* From all hooks before, and with the parts of what waits for readers. */
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
static bool fits(const struct report *report, const struct layout *layout, unsigned int resolution)
{
	int nr = layout->side_by_side ? layout->nr_panels : 1;

	return TIME_WIDTH + layout->name_width + nr * (PANEL_WIDTH(resolution) + FRAME_WIDTH) - 1 <=
	       report->terminal.columns;
}

static void choose_layout(struct layout *layout, const struct report *report)
{
	unsigned int finest = report->hooks[0].latency.resolution;

	*layout = (struct layout){ .side_by_side = true };
	list_panels(layout, report);
	if (!fits(report, layout, 0)) {
		layout->side_by_side = false;
		layout->name_width = report->setup->plan.stages ? STAGE_WIDTH : NAME_WIDTH;
	}
	while (layout->resolution < finest && fits(report, layout, layout->resolution + 1))
		layout->resolution++;
	layout->width = PANEL_WIDTH(layout->resolution);
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

/* The column of a latency; all beyond the last bound share one. */
static int column_of(const struct layout *layout, uint64_t ns)
{
	int column = bucket_index(ns, layout->resolution) -
		     bucket_index(1ULL << FIRST_OCTAVE, layout->resolution);

	return column > 0 ? column : 0;
}

static int column_of_bucket(const struct layout *layout, const struct histogram *latency,
			    unsigned int bucket)
{
	if (bucket == histogram_overflow(latency))
		return layout->width - 1;
	return column_of(layout, histogram_le_ns(latency, bucket));
}

/*
 * A power of two below the largest count of the row: from 1, for any count at all, to NR_LEVELS.
 */
static int level_of(uint64_t count, uint64_t largest)
{
	int level = NR_LEVELS;

	while (level > 1 && count <= largest / 2) {
		largest /= 2;
		level--;
	}
	return level;
}

static void print_cell(FILE *out, const struct terminal *terminal, int level)
{
	if (!level)
		fputc(' ', out);
	else if (terminal->colour)
		fprintf(out, "\033[38;5;%dm%s\033[0m", level_colours[level - 1],
			level_shade(level, terminal->unicode));
	else
		fputs(level_shade(level, terminal->unicode), out);
}

static void print_mark(FILE *out, const struct terminal *terminal, char mark)
{
	fprintf(out, terminal->colour ? "\033[1m%c\033[0m" : "%c", mark);
}

static void print_panel(FILE *out, const struct layout *layout, const struct terminal *terminal,
			const struct histogram *latency)
{
	uint64_t counts[MAX_PANEL_WIDTH] = { 0 }, largest = 0;
	int last = histogram_last(latency), p50 = -1, p99 = -1;

	for (int i = 0; i <= last; i++) {
		uint64_t *count = &counts[column_of_bucket(layout, latency, i)];

		*count += latency->buckets[i].count;
		if (*count > largest)
			largest = *count;
	}
	if (largest) {
		p50 = column_of_bucket(layout, latency, histogram_quantile(latency, 500));
		p99 = column_of_bucket(layout, latency, histogram_quantile(latency, 990));
	}

	for (int column = 0; column < layout->width; column++)
		if (column == p50 || column == p99)
			print_mark(out, terminal, column == p50 ? '5' : '9');
		else
			print_cell(out, terminal,
				   counts[column] ? level_of(counts[column], largest) : 0);
}

/* Returns the gap that is left before the next one. */
static int print_framed(FILE *out, const struct layout *layout, const struct report *report,
			const struct histogram *latency)
{
	char count[COUNT_TEXT_SIZE];

	fputc('|', out);
	print_panel(out, layout, &report->terminal, latency);
	return COUNT_WIDTH + 1 - fprintf(out, "|%s", count_text(histogram_count(latency), count));
}

/* One label a decade, or every third where they stand close, each behind a tick. */
static int print_axis(FILE *out, const struct layout *layout)
{
	int step = layout->resolution ? 10 : 1000, written = 0;
	char label[DURATION_TEXT_SIZE + 1] = "|";

	for (uint64_t ns = 1000; ns <= 10 * NS_PER_S; ns *= step) {
		int column = column_of(layout, ns);

		duration_text(ns, label + 1);
		if (column >= written)
			written += fprintf(out, "%*s%s", column - written, "", label);
	}
	return layout->width + FRAME_WIDTH - written;
}

static void print_legend(FILE *out, const struct report *first)
{
	bool unicode = first->terminal.unicode;

	fprintf(out,
		"5 = p50, 9 = p99; %s %s %s %s = above 1/4, 1/16, 1/64, 0 of the row's fullest cell\n",
		level_shade(8, unicode), level_shade(6, unicode), level_shade(4, unicode),
		level_shade(2, unicode));
}

/* A name above each panel, where they stand side by side. */
static void print_names(FILE *out, const struct layout *layout, const struct report *report,
			const char *label, bool of_begin)
{
	int gap = TIME_WIDTH + 1;

	for (unsigned int i = 0; i < layout->nr_panels; i++) {
		const struct panel *panel = &layout->panels[i];
		struct stage_names names = stage_names_of(report, panel->from, panel->to);

		fprintf(out, "%*s", gap, "");
		gap = layout->width + FRAME_WIDTH -
		      fprintf(out, "%s%s", label, of_begin ? names.from : names.to);
	}
	fputc('\n', out);
}

/* The axis above each panel. */
static void print_header(FILE *out, const struct layout *layout, const struct report *report)
{
	unsigned int nr = layout->side_by_side ? layout->nr_panels : 1;
	int gap = TIME_WIDTH + layout->name_width + 1;

	if (layout->side_by_side && report->setup->plan.stages)
		print_names(out, layout, report, "from ", true);
	if (layout->side_by_side)
		print_names(out, layout, report, report->setup->plan.stages ? "to " : "", false);
	for (unsigned int i = 0; i < nr; i++) {
		fprintf(out, "%*s", gap, "");
		gap = print_axis(out, layout);
	}
	fputc('\n', out);
}

static void print_time(FILE *out, const struct report *report)
{
	time_t time = report->time_ns / NS_PER_S;
	char text[16];

	strftime(text, sizeof(text), "%H:%M:%S", localtime(&time));
	fprintf(out, "%-*s", TIME_WIDTH, report->kind == REPORT_TOTAL ? "total" : text);
}

static void print_side_by_side(FILE *out, const struct layout *layout, const struct report *report)
{
	int gap = 0;

	print_time(out, report);
	for (unsigned int i = 0; i < layout->nr_panels; i++) {
		struct histogram latency;

		find_latency(report, &layout->panels[i], &latency);
		fprintf(out, "%*s", gap, "");
		gap = print_framed(out, layout, report, &latency);
	}
	fputc('\n', out);
}

/* From where, if that is not the hook right before. */
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
			fprintf(out, "%*s", TIME_WIDTH, "");
		print_line_name(out, layout, report, &layout->panels[i]);
		print_framed(out, layout, report, &latency);
		fputc('\n', out);
		first = false;
	}
	if (first) {
		print_time(out, report);
		fputs("no packets\n", out);
	}
}

/* Packets that could not be drawn, by hook; their reasons are for the other printers. */
static void print_missing(FILE *out, const struct report *report)
{
	const char *separator = report->setup->plan.stages ? "unpaired: " : "not measured: ";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		uint64_t count = hook_counts_unmeasured(&report->hooks[hook]);

		if (report->setup->plan.stages)
			count = report_shows_stages_to(report, hook) ? report->hooks[hook].unpaired
								     : 0;
		if (!count)
			continue;
		fprintf(out, "%s%s %" PRIu64, separator, hooks[hook].name, count);
		separator = ", ";
	}
	if (*separator == ',')
		fputc('\n', out);
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
	print_missing(out, report);
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
