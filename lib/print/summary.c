// SPDX-License-Identifier: GPL-2.0
#include "lib/print/summary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/print/figures.h"

/* The longest name of a hook is as wide. */
#define NAME_WIDTH 19
#define MIN_COUNT_WIDTH 7

/*
 * Finds the hook before which the mean grows most on the way up the stack, and by how much;
 * NR_HOOKS: none.
 */
struct jump {
	enum hook hook;
	double ns;
};

/* Most segments pass by tcp-data-queue: they would be compared with others. */
static bool is_on_path(enum hook hook, unsigned int path)
{
	return hooks[hook].paths & path && hook != HOOK_tcp_data_queue;
}

/* All histograms count from the stamp, so the first hook grew from 0. */
static struct jump jump_on_path(const struct report *report, unsigned int path)
{
	struct jump largest = { NR_HOOKS, 0 };
	double before = 0;
	int nr = 0;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		const struct histogram *latency = &report->hooks[hook].latency;
		double mean = histogram_mean_ns(latency);

		if (!is_on_path(hook, path) || !histogram_count(latency))
			continue;
		if (mean - before > largest.ns)
			largest = (struct jump){ hook, mean - before };
		before = mean;
		nr++;
	}
	/* A single hook has nothing to be compared with. */
	return nr > 1 ? largest : (struct jump){ NR_HOOKS, 0 };
}

static struct jump largest_jump(const struct report *report)
{
	struct jump largest = { NR_HOOKS, 0 };

	for (unsigned int path = 1; path & PATH_ANY; path <<= 1) {
		struct jump jump = jump_on_path(report, path);

		if (jump.ns > largest.ns)
			largest = jump;
	}
	return largest;
}

/* No group has more digits than its hook. */
static int count_width(const struct report *report)
{
	int width = MIN_COUNT_WIDTH;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		uint64_t count = histogram_count(&report->hooks[hook].latency);
		int digits = snprintf(NULL, 0, "%" PRIu64, count);

		width = digits > width ? digits : width;
	}
	return width;
}

static const struct figure figures[] = {
	{ "mean", FIGURE_MEAN }, { "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "max", 1000 },
};
#define NR_FIGURES (sizeof(figures) / sizeof(*figures))

static void print_header(FILE *out, int width)
{
	fprintf(out, "%-*s %*s", NAME_WIDTH, "hook", width, "count");
	print_figure_names(out, figures, NR_FIGURES);
	fputs(" unmeasured\n", out);
}

/* All but what could not be measured. Returns how much of the line that takes. */
static int print_latency(FILE *out, enum hook hook, const struct histogram *latency, int width)
{
	int column = fprintf(out, "%-*s %*" PRIu64, NAME_WIDTH, hooks[hook].name, width,
			     histogram_count(latency));

	return column + print_figures(out, latency, figures, NR_FIGURES);
}

/* Counts of many digits may leave no room for how large the jump is. */
static void print_mark(FILE *out, double ns, int room)
{
	char text[DURATION_TEXT_SIZE], mark[sizeof(" <- +") + DURATION_TEXT_SIZE];
	int length = snprintf(mark, sizeof(mark), " <- +%s", duration_text(ns, text));

	fputs(length <= room ? mark : " <-", out);
}

static void print_hook(FILE *out, const struct report *report, enum hook hook, int width,
		       const struct jump *jump)
{
	const struct hook_counts *counts = &report->hooks[hook];
	int column = print_latency(out, hook, &counts->latency, width);

	column += fprintf(out, " %" PRIu64, hook_counts_unmeasured(counts));
	if (hook == jump->hook)
		print_mark(out, jump->ns, report->terminal.columns - column);
	fputc('\n', out);
}

/* Packets that are not measured are of no group. */
static void print_group(FILE *out, const struct report *report, const struct report_group *group,
			int width)
{
	char *text = report_group_text(report, group);
	struct histogram latency;

	report_group_latency(report, group, &latency);
	print_latency(out, group->group->hook, &latency, width);
	fprintf(out, " - {%s}\n", text ? text : "");
	free(text);
}

/* The rest that is not in the lines of groups, as one more line. */
static void print_rest(FILE *out, const struct report *report, enum hook hook,
		       const struct report_group *groups, size_t nr, int width)
{
	struct histogram sum = { .resolution = report->hooks[hook].latency.resolution };

	for (size_t i = 0; i < nr; i++)
		buckets_add(sum.buckets, groups[i].buckets, histogram_nr_buckets(&sum));
	print_latency(out, hook, &sum, width);
	fprintf(out, " - %zu more %s, see --top\n", nr, nr == 1 ? "group" : "groups");
}

static void print_groups(FILE *out, const struct report *report, enum hook hook, int width)
{
	const struct report_group *groups;
	size_t nr = report_groups(report, hook, &groups);
	size_t shown = nr < report->setup->top ? nr : report->setup->top;

	/* The line of the hook is all there is to say. */
	if (!nr || group_is_nameless(groups[0].group, report->setup->plan.group_by))
		return;
	for (size_t i = 0; i < shown; i++)
		print_group(out, report, &groups[i], width);
	if (nr > shown)
		print_rest(out, report, hook, groups + shown, nr - shown, width);
}

bool summary_print(FILE *out, const struct report *report)
{
	struct jump jump = largest_jump(report);
	int width = count_width(report);
	bool any = false;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (hook_counts_are_empty(&report->hooks[hook]))
			continue;
		if (!any)
			print_header(out, width);
		print_hook(out, report, hook, width, &jump);
		print_groups(out, report, hook, width);
		any = true;
	}
	if (any)
		fputc('\n', out);
	return any;
}
