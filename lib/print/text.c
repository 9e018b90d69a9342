// SPDX-License-Identifier: GPL-2.0
#include "lib/print/printer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tables/discards.h"
#include "lib/base/duration.h"
#include "lib/print/figures.h"
#include "lib/packet/packet.h"
#include "lib/print/stages.h"
#include "lib/print/summary.h"
#include "lib/tables/hooks.h"
#include "lib/tables/units.h"

#define RANGE_WIDTH 16
#define COUNT_WIDTH 11
/* The width that is left of a line for the bar, in its frame. */
#define MAX_BAR_WIDTH 200
#define MIN_BAR_WIDTH 4
#define BAR_COLUMN (RANGE_WIDTH + 1 + COUNT_WIDTH + 1)

static void print_header(FILE *out, const struct report *report)
{
	time_t time = report->time_ns / NS_PER_S;
	char time_text[32];

	strftime(time_text, sizeof(time_text), "%Y-%m-%d %H:%M:%S", localtime(&time));
	fprintf(out, "%s  %s %.2f s\n", time_text, report_kind_name(report->kind),
		report->duration_ns / 1e9);
}

static void print_range(FILE *out, const struct histogram *latency, unsigned int bucket)
{
	char lower[DURATION_TEXT_SIZE] = "0ns", upper[DURATION_TEXT_SIZE] = "inf";
	char range[2 * DURATION_TEXT_SIZE + 8];
	bool overflow = bucket == histogram_overflow(latency);

	if (bucket > 0)
		duration_text(histogram_le_ns(latency, bucket - 1), lower);
	if (!overflow)
		duration_text(histogram_le_ns(latency, bucket), upper);
	snprintf(range, sizeof(range), "%c%s, %s%c", bucket > 0 ? '(' : '[', lower, upper,
		 overflow ? ')' : ']');
	fprintf(out, "%-*s", RANGE_WIDTH, range);
}

static void print_bar(FILE *out, int width, uint64_t count, uint64_t largest_count)
{
	char bar[MAX_BAR_WIDTH];
	/* 128 bits: the product must not wrap, whatever the count */
	int length = (int)(((unsigned __int128)count * width + largest_count / 2) / largest_count);

	memset(bar, ' ', width);
	memset(bar, '@', length);
	fprintf(out, " |%.*s|", width, bar);
}

/* Narrow terminals get no bars. */
static int bar_width(const struct report *report)
{
	int width = report->terminal.columns - BAR_COLUMN - 3;

	if (width < MIN_BAR_WIDTH)
		return 0;
	return width < MAX_BAR_WIDTH ? width : MAX_BAR_WIDTH;
}

static void print_buckets(FILE *out, const struct report *report, const struct histogram *latency)
{
	int first = histogram_first(latency), last = histogram_last(latency);
	int width = bar_width(report);
	uint64_t largest_count = 0;

	for (int i = first; i <= last; i++)
		if (latency->buckets[i].count > largest_count)
			largest_count = latency->buckets[i].count;
	for (int i = first; i <= last; i++) {
		uint64_t count = latency->buckets[i].count;

		print_range(out, latency, i);
		fprintf(out, " %*" PRIu64, COUNT_WIDTH, count);
		if (width)
			print_bar(out, width, count, largest_count);
		fputc('\n', out);
	}
}

static void print_labelled_figures(FILE *out, const struct histogram *latency)
{
	uint64_t count = histogram_count(latency);
	char text[FIGURE_TEXT_SIZE];

	fprintf(out, "count %" PRIu64, count);
	if (count) {
		fprintf(out, "  mean %s\n", figure_text(latency, FIGURE_MEAN, text));
		for (int i = 0; i < NR_QUANTILES; i++)
			fprintf(out, "%s %s  ", quantiles[i].label,
				figure_text(latency, quantiles[i].permille, text));
		fprintf(out, "max %s", figure_text(latency, 1000, text));
	}
	fputc('\n', out);
}

/* A packet that a filter did not let through is not lost, unlike one that could not be measured. */
static void print_discards(FILE *out, const struct hook_counts *hook)
{
	uint64_t filtered = hook->discarded[DISCARD_FILTERED];
	const char *separator = ": ";

	if (filtered)
		fprintf(out, "filtered %" PRIu64 "\n", filtered);
	if (!hook_counts_unmeasured(hook))
		return;
	fprintf(out, "not measured %" PRIu64, hook_counts_unmeasured(hook));
	for (int cause = 0; cause < NR_DISCARDS; cause++) {
		if (!hook->discarded[cause] || cause == DISCARD_FILTERED)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", separator, hook->discarded[cause],
			discards[cause].meaning);
		separator = ", ";
	}
	fputc('\n', out);
}

static void print_latency(FILE *out, const struct report *report, const struct histogram *latency)
{
	if (histogram_first(latency) >= 0) {
		struct histogram shown = *latency;

		if (!report->setup->full)
			shown = histogram_coarsen(latency, 0);
		print_buckets(out, report, &shown);
	}
	print_labelled_figures(out, latency);
}

static void print_hook(FILE *out, const struct report *report, enum hook id)
{
	const struct hook_counts *hook = &report->hooks[id];

	fprintf(out, "%s:\n", hooks[id].name);
	print_latency(out, report, &hook->latency);
	print_discards(out, hook);
	fputc('\n', out);
}

static void print_group(FILE *out, const struct report *report, const struct report_group *group)
{
	char *text = report_group_text(report, group);
	struct histogram latency;

	report_group_latency(report, group, &latency);
	/* A hook may know nothing of what is grouped by. */
	fprintf(out, text && *text ? "%s{%s}:\n" : "%s:\n", hooks[group->group->hook].name, text);
	free(text);
	print_latency(out, report, &latency);
	fputc('\n', out);
}

/* The rest that is not in the blocks of the first groups. */
static void print_rest(FILE *out, const struct report *report, enum hook id,
		       const struct report_group *groups, size_t nr)
{
	uint64_t count = 0;

	if (!nr && !hook_counts_discarded(&report->hooks[id]))
		return;
	fprintf(out, "%s:\n", hooks[id].name);
	for (size_t i = 0; i < nr; i++)
		count += groups[i].count;
	if (nr)
		fprintf(out, "%zu more %s with a count of %" PRIu64 ", see --top\n", nr,
			nr == 1 ? "group" : "groups", count);
	print_discards(out, &report->hooks[id]);
	fputc('\n', out);
}

static void print_groups(FILE *out, const struct report *report, enum hook id)
{
	const struct report_group *groups;
	size_t nr = report_groups(report, id, &groups);
	size_t shown = nr < report->setup->top ? nr : report->setup->top;

	for (size_t i = 0; i < shown; i++)
		print_group(out, report, &groups[i]);
	print_rest(out, report, id, groups + shown, nr - shown);
}

/* The column of runs ends there. Names to its left take the room that they need. */
#define RUNS_END 57

/* column is how much of the line is taken by names. */
static void print_costs(FILE *out, int column, const struct program_counts *counts,
			uint64_t duration_ns)
{
	fprintf(out, " %*" PRIu64 " %6.0f %7.0f %6.3f\n", RUNS_END - 1 - column, counts->runs,
		program_ns_per_run(counts), program_runs_per_s(counts, duration_ns),
		100 * program_cpu_share(counts, duration_ns));
}

static void print_program(FILE *out, const struct report *report, unsigned int program)
{
	enum probe probe = PROBE_OF(program);
	int column = fprintf(out, "%-19s %s",
			     IS_ENTRY_PROGRAM(program) ? "  ... at its entry"
						       : hooks[probes[probe].hook].name,
			     probe_target(probe));

	print_costs(out, column, &report->programs[program], report->duration_ns);
}

static void print_overhead(FILE *out, const struct report *report)
{
	struct program_counts sum = { 0 };

	fputs("overhead in % of one CPU, without the kernel's way into the programs:\n"
	      "hook                function                         runs ns/run  runs/s  CPU %\n",
	      out);
	for (unsigned int program = 0; program < MAX_PROGRAMS; program++) {
		if (!report->programs[program].runs)
			continue;
		print_program(out, report, program);
		program_counts_add(&sum, &report->programs[program]);
	}
	print_costs(out, fprintf(out, "sum"), &sum, report->duration_ns);
	fputc('\n', out);
}

static void print_stage_histograms(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->nr_stages; i++) {
		struct histogram latency;

		report_group_latency(report, &report->stages[i], &latency);
		print_stage_title(out, report, &report->stages[i]);
		print_latency(out, report, &latency);
		fputc('\n', out);
	}
}

/* Returns whether anything was counted. */
static bool print_hooks(FILE *out, const struct report *report)
{
	bool any = false;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (hook_counts_are_empty(&report->hooks[hook]))
			continue;
		any = true;
		if (report->setup->plan.group_by)
			print_groups(out, report, hook);
		else
			print_hook(out, report, hook);
	}
	return any;
}

static void print_report(FILE *out, const struct report *report)
{
	bool any = false;

	print_header(out, report);
	report_print_clock_change(out, &report->clock_change);
	if (report->setup->plan.stages)
		any = print_stages(out, report);
	if (report->setup->full && !report->setup->summary)
		print_stage_histograms(out, report);
	if (report->setup->summary)
		any |= summary_print(out, report);
	else if (!report->setup->plan.stages || report->setup->full)
		any |= print_hooks(out, report);
	report_print_unreported(out, report);
	if (!any)
		fputs("no packets\n\n", out);
	if (report->setup->plan.overhead)
		print_overhead(out, report);
}

const struct printer printer_text = {
	.name = "text",
	.report = print_report,
	.packet = packet_print_text,
	.resolution = DEFAULT_RESOLUTION,
};
