// SPDX-License-Identifier: GPL-2.0
/*
 * Stages in text: a table for each protocol, IP version and group, with a line for each stage in
 * packet order. It fits 80 columns.
 */
#include "lib/report/stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/report/figures.h"
#include "lib/report/stage_names.h"
#include "lib/counts/stages.h"

#define HOOK_WIDTH 19
#define BEFORE_WIDTH 17
#define NAME_WIDTH (2 + HOOK_WIDTH + 1 + BEFORE_WIDTH)
#define MIN_BAR_WIDTH 5
#define MAX_BAR_WIDTH 40

/* Stages of one table and group, which stand in a row. */
struct table {
	size_t number; /* see stage_table() */
	const struct report_group *stages;
	size_t nr;
	uint64_t sum_ns, largest_ns;
	uint64_t
		weight; /* by which the tables of groups are ordered: that of the stage with most */
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
	struct table table = { .stages = &report->stages[first],
			       .number = stage_table(report->stages[first].group) };

	for (size_t i = first; i < report->nr_stages; i++) {
		const struct report_group *stage = &report->stages[i];
		uint64_t sum_ns = sum_of(report, stage);

		if (stage_table(stage->group) != table.number ||
		    group_compare_keys(stage->group, table.stages->group))
			break;
		table.nr++;
		table.sum_ns += sum_ns;
		if (sum_ns > table.largest_ns)
			table.largest_ns = sum_ns;
		if (stage->weight > table.weight)
			table.weight = stage->weight;
	}
	return table;
}

static const struct figure figures[] = {
	{ "mean", FIGURE_MEAN },
	{ "p50", 500 },
	{ "p99", 990 },
	{ "max", 1000 },
};
#define NR_FIGURES (sizeof(figures) / sizeof(*figures))
#define COUNT_WIDTH 7

/* What lies in a stage or, if it skips hooks, where it begins instead. */
static void print_name(FILE *out, const struct report *report, const struct report_group *stage)
{
	__u8 from = stage->group->from;
	enum hook to = stage->group->hook;
	struct stage_names names = stage_names_of(report, from, to);
	char begin[3 + STAGE_NAME_SIZE];

	snprintf(begin, sizeof(begin), "<- %s", names.from);
	fprintf(out, "%-*s %-*s", HOOK_WIDTH, names.to, BEFORE_WIDTH,
		stage_skips(report->setup->followed, from, to) ? begin : names.before);
}

/* The share of its table, in what is left of the line. */
static void print_bar(FILE *out, uint64_t sum_ns, const struct table *table, int room)
{
	if (room < MIN_BAR_WIDTH)
		room = MIN_BAR_WIDTH;
	if (room > MAX_BAR_WIDTH)
		room = MAX_BAR_WIDTH;
	for (int i = 0; i < room && (i + 0.5) * table->sum_ns < (double)sum_ns * room; i++)
		fputs(i ? "#" : " #", out);
}

static void print_stage(FILE *out, const struct report *report, const struct table *table,
			const struct report_group *stage)
{
	int column = NAME_WIDTH + COUNT_WIDTH;
	struct histogram latency;
	uint64_t sum_ns;

	report_group_latency(report, stage, &latency);
	sum_ns = histogram_sum_ns(&latency);
	fputs(sum_ns && sum_ns == table->largest_ns && table->nr > 1 ? "> " : "  ", out);
	print_name(out, report, stage);
	fprintf(out, "%*" PRIu64, COUNT_WIDTH, histogram_count(&latency));
	column += print_figures(out, &latency, figures, NR_FIGURES);
	print_bar(out, sum_ns, table, report->terminal.columns - column - 1);
	fputc('\n', out);
}

/* The name of its table, with its group if there is one. Returns the length. */
static int print_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	int length = fprintf(out, "%s", stage_table_name(stage_table(stage->group)));
	char *text = report_group_text(report, stage);

	if (text && *text)
		length += fprintf(out, "{%s}", text);
	free(text);
	return length;
}

void print_stage_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	struct stage_names names = stage_names_of(report, stage->group->from, stage->group->hook);

	print_title(out, report, stage);
	fprintf(out, ", from %s to %s:\n", names.from, names.to);
}

/* Over the columns of figures. */
static void print_header(FILE *out, const struct report *report, const struct table *table)
{
	int length = print_title(out, report, table->stages);

	/* Labels may be long. */
	if (length > (int)strlen(stage_table_name(table->number))) {
		fputs(":\n", out);
		length = 0;
	}
	fprintf(out, "%*s%*s", NAME_WIDTH - length, "", COUNT_WIDTH, "count");
	print_figure_names(out, figures, NR_FIGURES);
	fputs(" share\n", out);
}

static uint64_t unpaired_at(const struct report *report, enum hook hook)
{
	return report_shows_stages_to(report, hook) ? report->hooks[hook].unpaired : 0;
}

static uint64_t without_room_at(const struct report *report, enum hook hook)
{
	return report->hooks[hook].discarded[DISCARD_NO_ROOM];
}

/* Packets that are in no stage, by hook. Returns whether there are any. */
static bool print_missing(FILE *out, const struct report *report, const char *why,
			  uint64_t (*missing_at)(const struct report *report, enum hook hook))
{
	bool some = false;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		uint64_t missing = missing_at(report, hook);

		if (!missing)
			continue;
		if (!some)
			fprintf(out, "%s:\n", why);
		fprintf(out, "  %-*s%*" PRIu64 "\n", NAME_WIDTH - 2, hooks[hook].name, COUNT_WIDTH,
			missing);
		some = true;
	}
	if (some)
		fputc('\n', out);
	return some;
}

static void print_table(FILE *out, const struct report *report, const struct table *table)
{
	print_header(out, report, table);
	for (size_t i = 0; i < table->nr; i++)
		print_stage(out, report, table, &table->stages[i]);
	fputc('\n', out);
}

/* Those of equal weight stay in the order of their groups. */
static int compare_tables(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->stages < y->stages ? -1 : 1;
}

/* The tables of one protocol and IP version, as many as there are groups. */
static void print_tables(FILE *out, const struct report *report, struct table *tables, size_t nr)
{
	size_t shown = nr < report->setup->top ? nr : report->setup->top;

	qsort(tables, nr, sizeof(*tables), compare_tables);
	for (size_t i = 0; i < shown; i++)
		print_table(out, report, &tables[i]);
	if (nr > shown)
		fprintf(out, "%s:\n%zu more %s, see --top\n\n", stage_table_name(tables->number),
			nr - shown, nr - shown == 1 ? "group" : "groups");
}

/* Returns how many there are. */
static size_t list_tables(const struct report *report, struct table *tables)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_stages; i += tables[nr++].nr)
		tables[nr] = table_at(report, i);
	return nr;
}

bool print_stages(FILE *out, const struct report *report)
{
	struct table *tables = calloc(report->nr_stages, sizeof(*tables));
	bool any = report->nr_stages;
	size_t nr = 0, of_kind;

	if (tables)
		nr = list_tables(report, tables);
	else if (report->nr_stages)
		fputs("no memory to show stages\n\n", out);
	for (size_t i = 0; i < nr; i += of_kind) {
		for (of_kind = 1; i + of_kind < nr; of_kind++)
			if (tables[i + of_kind].number != tables[i].number)
				break;
		print_tables(out, report, &tables[i], of_kind);
	}
	free(tables);
	any |= print_missing(out, report, "unpaired, as the hook before is not known", unpaired_at);
	any |= print_missing(out, report, discards[DISCARD_NO_ROOM].meaning, without_room_at);
	return any;
}
