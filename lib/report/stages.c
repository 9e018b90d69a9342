// SPDX-License-Identifier: GPL-2.0
/*
 * Stages in text: a table for each protocol, IP version and group, with a line for each stage in
 * packet order. It fits 80 columns.
 */
#include "lib/report/stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/duration.h"

#define HOOK_WIDTH 19
#define BEFORE_WIDTH 17
#define FIGURE_WIDTH 7
#define NAME_WIDTH (2 + HOOK_WIDTH + 1 + BEFORE_WIDTH)
/* Of count, mean, p50, p99 and max. */
#define FIGURES_WIDTH (5 * FIGURE_WIDTH)
#define MIN_BAR_WIDTH 5
#define MAX_BAR_WIDTH 40

/* Stages of one table and group, which stand in a row. */
struct table {
	const struct report_group *stages;
	size_t nr;
	uint64_t sum_ns, largest_ns;
};

static uint64_t sum_of(const struct report *report, const struct report_group *stage)
{
	struct histogram latency;

	report_group_latency(report, stage, &latency);
	return histogram_sum_ns(&latency);
}

/* The table that begins with this stage. */
static struct table table_at(const struct report *report, size_t first)
{
	struct table table = { .stages = &report->stages[first] };

	for (size_t i = first; i < report->nr_stages; i++) {
		const struct report_group *stage = &report->stages[i];
		uint64_t sum_ns = sum_of(report, stage);

		if (report_stage_table(stage) != report_stage_table(table.stages) ||
		    group_compare_but_stage(stage->group, table.stages->group))
			break;
		table.nr++;
		table.sum_ns += sum_ns;
		if (sum_ns > table.largest_ns)
			table.largest_ns = sum_ns;
	}
	return table;
}

static void print_bound(FILE *out, const struct histogram *latency, int bucket)
{
	bool overflow = bucket == (int)histogram_overflow(latency);
	char text[DURATION_TEXT_SIZE];

	duration_text(histogram_le_ns(latency, overflow ? bucket - 1 : bucket), text);
	fprintf(out, "%*s%s", FIGURE_WIDTH - (int)strlen(text), overflow ? ">" : "", text);
}

static void print_figures(FILE *out, const struct histogram *latency)
{
	char text[DURATION_TEXT_SIZE];

	fprintf(out, "%*" PRIu64, FIGURE_WIDTH, histogram_count(latency));
	fprintf(out, "%*s", FIGURE_WIDTH, duration_text(histogram_mean_ns(latency), text));
	print_bound(out, latency, histogram_quantile(latency, 500));
	print_bound(out, latency, histogram_quantile(latency, 990));
	print_bound(out, latency, histogram_last(latency));
}

/* What lies in a stage or, if it skips hooks, where it begins instead. */
static void print_name(FILE *out, const struct report *report, const struct report_group *stage)
{
	__u8 from = stage->group->key.stage_from;
	enum hook to = stage->group->hook;
	struct stage_names names = report_stage_names(report, from, to);
	char begin[3 + STAGE_NAME_SIZE];

	snprintf(begin, sizeof(begin), "<- %s", names.from);
	fprintf(out, "%-*s %-*s", HOOK_WIDTH, names.to, BEFORE_WIDTH,
		report_stage_skips(report, from, to) ? begin : names.before);
}

static void print_stage(FILE *out, const struct report *report, const struct table *table,
			const struct report_group *stage)
{
	int bar_width = report->terminal.columns - NAME_WIDTH - FIGURES_WIDTH - 1;
	struct histogram latency;
	uint64_t sum_ns;

	if (bar_width < MIN_BAR_WIDTH)
		bar_width = MIN_BAR_WIDTH;
	if (bar_width > MAX_BAR_WIDTH)
		bar_width = MAX_BAR_WIDTH;
	report_group_latency(report, stage, &latency);
	sum_ns = histogram_sum_ns(&latency);
	fputs(sum_ns && sum_ns == table->largest_ns && table->nr > 1 ? "> " : "  ", out);
	print_name(out, report, stage);
	print_figures(out, &latency);
	for (int i = 0; i < bar_width && (i + 0.5) * table->sum_ns < (double)sum_ns * bar_width;
	     i++)
		fputs(i ? "#" : " #", out);
	fputc('\n', out);
}

/* The name of its table, with its group if there is one. Returns the length. */
static int print_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	int length = fprintf(out, "%s", report_stage_table(stage));
	struct labels labels;
	char *text;

	report_group_labels(report, stage, &labels);
	text = labels_text(&labels);
	if (text && *text)
		length += fprintf(out, "{%s}", text);
	free(text);
	return length;
}

void print_stage_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	struct stage_names names =
		report_stage_names(report, stage->group->key.stage_from, stage->group->hook);

	print_title(out, report, stage);
	fprintf(out, ", from %s to %s:\n", names.from, names.to);
}

/* Over the columns of figures. */
static void print_header(FILE *out, const struct report *report, const struct table *table)
{
	int length = print_title(out, report, table->stages);

	/* Labels may be long. */
	if (length > (int)strlen(report_stage_table(table->stages))) {
		fputs(":\n", out);
		length = 0;
	}
	fprintf(out, "%*s%*s%*s%*s%*s%*s share\n", NAME_WIDTH - length, "", FIGURE_WIDTH, "count",
		FIGURE_WIDTH, "mean", FIGURE_WIDTH, "p50", FIGURE_WIDTH, "p99", FIGURE_WIDTH,
		"max");
}

static void print_unpaired(FILE *out, const struct report *report)
{
	bool some = false;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		uint64_t unpaired = report->hooks[hook].unpaired;

		if (!report_stages_end_at(report, hook) || !unpaired)
			continue;
		if (!some)
			fputs("unpaired, as the hook before is not known:\n", out);
		fprintf(out, "  %-*s%*" PRIu64 "\n", NAME_WIDTH - 2, hooks[hook].name, FIGURE_WIDTH,
			unpaired);
		some = true;
	}
	if (some)
		fputc('\n', out);
}

void print_stages(FILE *out, const struct report *report)
{
	struct table table;

	for (size_t i = 0; i < report->nr_stages; i += table.nr) {
		table = table_at(report, i);
		print_header(out, report, &table);
		for (size_t j = 0; j < table.nr; j++)
			print_stage(out, report, &table, &table.stages[j]);
		fputc('\n', out);
	}
	print_unpaired(out, report);
}
