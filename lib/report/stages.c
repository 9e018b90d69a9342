// SPDX-License-Identifier: GPL-2.0
/*
 * Stages in text: a table for each way, with a line for each stage in packet order, by IP version,
 * protocol and group. It fits 80 columns.
 */
#include "lib/report/stages.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/report/figures.h"
#include "lib/report/stage_names.h"
#include "lib/counts/stages.h"
#include "lib/tables/units.h"

#define HOOK_WIDTH 19
#define BEFORE_WIDTH 17
#define NAME_WIDTH (2 + HOOK_WIDTH + 1 + BEFORE_WIDTH)
#define MIN_BAR_WIDTH 5
#define MAX_BAR_WIDTH 40

/* The lines of one group in one of the tables that stage_names.h numbers. */
struct block {
	size_t table;
	const struct report_group *stages;
	size_t nr;
	uint64_t weight; /* by which groups are ordered: that of the stage with most */
};

/* What is marked: the stage where most time went, of those that are late. */
#define LATE_NS NS_PER_MS

/* All of one way: in, application, out, network. */
struct way {
	const char *name;
	const struct report_group *stages;
	size_t nr;
	uint64_t sum_ns;
};

static uint64_t sum_of(const struct report *report, const struct report_group *stage)
{
	struct histogram latency;

	report_group_latency(report, stage, &latency);
	return histogram_sum_ns(&latency);
}

static struct way way_at(const struct report *report, size_t first)
{
	struct way way = { .stages = &report->stages[first] };

	way.name = stage_table_way(stage_table(way.stages->group));
	for (size_t i = first; i < report->nr_stages; i++) {
		if (stage_table_way(stage_table(report->stages[i].group)) != way.name)
			break;
		way.nr++;
		way.sum_ns += sum_of(report, &report->stages[i]);
	}
	return way;
}

/* The block that begins with this stage. */
static struct block block_at(const struct way *way, size_t first)
{
	struct block block = { .table = stage_table(way->stages[first].group),
			       .stages = &way->stages[first] };

	for (size_t i = first; i < way->nr; i++) {
		const struct report_group *stage = &way->stages[i];

		if (stage_table(stage->group) != block.table ||
		    group_compare_keys(stage->group, block.stages->group))
			break;
		block.nr++;
		if (stage->weight > block.weight)
			block.weight = stage->weight;
	}
	return block;
}

static bool is_late(const struct report *report, const struct report_group *stage)
{
	struct histogram latency;
	int p99;

	report_group_latency(report, stage, &latency);
	p99 = histogram_quantile(&latency, 990);
	return p99 == (int)histogram_overflow(&latency) ||
	       histogram_le_ns(&latency, p99) >= LATE_NS;
}

/* NULL: none is late. */
static const struct report_group *find_latest(const struct report *report)
{
	const struct report_group *latest = NULL;

	for (size_t i = 0; i < report->nr_stages; i++)
		if (stage_is_of_host(report->stages[i].group) &&
		    is_late(report, &report->stages[i]) &&
		    (!latest || sum_of(report, &report->stages[i]) > sum_of(report, latest)))
			latest = &report->stages[i];
	return latest;
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

/* The share of its way, in what is left of the line. */
static void print_bar(FILE *out, uint64_t sum_ns, uint64_t way_ns, int room)
{
	if (room < MIN_BAR_WIDTH)
		room = MIN_BAR_WIDTH;
	if (room > MAX_BAR_WIDTH)
		room = MAX_BAR_WIDTH;
	for (int i = 0; i < room && (i + 0.5) * way_ns < (double)sum_ns * room; i++)
		fputs(i ? "#" : " #", out);
}

static void print_stage(FILE *out, const struct report *report, const struct way *way,
			const struct report_group *stage, bool is_marked)
{
	int column = NAME_WIDTH + COUNT_WIDTH;
	struct histogram latency;

	report_group_latency(report, stage, &latency);
	fputs(is_marked ? "> " : "  ", out);
	print_name(out, report, stage);
	fprintf(out, "%*" PRIu64, COUNT_WIDTH, histogram_count(&latency));
	column += print_figures(out, &latency, figures, NR_FIGURES);
	print_bar(out, histogram_sum_ns(&latency), way->sum_ns,
		  report->terminal.columns - column - 1);
	fputc('\n', out);
}

/* The name of its table, with its group if there is one. */
static void print_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	char *text = report_group_text(report, stage);

	fputs(stage_table_name(stage_table(stage->group)), out);
	if (text && *text)
		fprintf(out, "{%s}", text);
	free(text);
}

void print_stage_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	struct stage_names names = stage_names_of(report, stage->group->from, stage->group->hook);

	print_title(out, report, stage);
	fprintf(out, ", from %s to %s:\n", names.from, names.to);
}

/* Over the columns of figures. */
static void print_header(FILE *out, const struct way *way)
{
	fprintf(out, "%-*s%*s", NAME_WIDTH, way->name, COUNT_WIDTH, "count");
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

/* In the column of counts; all beyond these in one. */
#define MAX_REASONS 3

/* What was dropped behind a hook, by reason, with a name in front of the first. */
static void print_drops_at(FILE *out, const struct report *report, const char *name, enum hook from,
			   unsigned int ip_version)
{
	uint64_t others = 0;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_drops; i++) {
		const struct report_drop *drop = &report->drops[i];

		if (drop->from != from || drop->ip_version != ip_version)
			continue;
		if (nr++ >= MAX_REASONS)
			others += drop->count;
		else
			fprintf(out, "%-*s%*" PRIu64 " dropped: %s\n", NAME_WIDTH,
				nr == 1 ? name : "", COUNT_WIDTH, drop->count,
				report_drop_reason(drop));
	}
	if (others)
		fprintf(out, "%*" PRIu64 " dropped: %zu more %s\n", NAME_WIDTH + COUNT_WIDTH,
			others, nr - MAX_REASONS, nr - MAX_REASONS == 1 ? "reason" : "reasons");
}

/* Packets before they are known to be of an IP version have none. */
static unsigned int ip_version_of(const struct report_group *stage)
{
	return stage->group->from == FROM_STAMP ? 0 : stage_ip_version(stage->group->from);
}

/* Whether there is a line for the hook that packets were last at. They are of no group. */
static bool has_line(const struct report *report, const struct report_drop *drop)
{
	for (size_t i = 0; i < report->nr_stages && !report->setup->group_by; i++)
		if (report->stages[i].group->hook == drop->from &&
		    ip_version_of(&report->stages[i]) == drop->ip_version)
			return true;
	return false;
}

static void print_drops_of(FILE *out, const struct report *report, const struct report_drop *drop)
{
	char name[NAME_WIDTH], version[sizeof(", IPv4")] = "";

	if (drop->ip_version)
		snprintf(version, sizeof(version), ", IPv%u", drop->ip_version % 10);
	snprintf(name, sizeof(name), "  %s%s",
		 drop->from < NR_HOOKS ? hooks[drop->from].name : "unknown", version);
	print_drops_at(out, report, name, drop->from, drop->ip_version);
}

/* What is below no line of a table. Returns whether there is anything. */
static bool print_other_drops(FILE *out, const struct report *report)
{
	const struct report_drop *before = NULL;

	for (size_t i = 0; i < report->nr_drops; i++) {
		const struct report_drop *drop = &report->drops[i];

		if (has_line(report, drop) || (before && before->from == drop->from &&
					       before->ip_version == drop->ip_version))
			continue;
		if (!before)
			fputs("dropped, by the hook where they were last:\n", out);
		print_drops_of(out, report, drop);
		before = drop;
	}
	if (before)
		fputc('\n', out);
	return before;
}

static void print_block(FILE *out, const struct report *report, const struct way *way,
			const struct block *block, const struct report_group *marked)
{
	print_title(out, report, block->stages);
	fputs(":\n", out);
	for (size_t i = 0; i < block->nr; i++) {
		const struct report_group *stage = &block->stages[i];

		print_stage(out, report, way, stage, stage == marked);
		/* Below the last line to this hook. */
		if (!report->setup->group_by &&
		    (i + 1 == block->nr || stage[1].group->hook != stage->group->hook))
			print_drops_at(out, report, "", stage->group->hook, ip_version_of(stage));
	}
}

/* Those of equal weight stay in the order of their groups. */
static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->stages < y->stages ? -1 : 1;
}

/* All groups of the first block's table. Returns how many there are. */
static size_t print_table(FILE *out, const struct report *report, const struct way *way,
			  const struct block *blocks, size_t nr, const struct report_group *marked)
{
	size_t top = report->setup->top, of_table = 0;

	for (; of_table < nr && blocks[of_table].table == blocks->table; of_table++)
		if (of_table < top)
			print_block(out, report, way, &blocks[of_table], marked);
	if (of_table > top)
		fprintf(out, "%s:\n  %zu more %s, see --top\n", stage_table_name(blocks->table),
			of_table - top, of_table - top == 1 ? "group" : "groups");
	return of_table;
}

static void print_way(FILE *out, const struct report *report, const struct way *way,
		      const struct report_group *marked)
{
	struct block *blocks = calloc(way->nr, sizeof(*blocks));
	size_t nr = 0;

	if (!blocks) {
		fputs("no memory to show stages\n\n", out);
		return;
	}
	for (size_t i = 0; i < way->nr; i += blocks[nr++].nr)
		blocks[nr] = block_at(way, i);
	qsort(blocks, nr, sizeof(*blocks), compare_blocks);
	print_header(out, way);
	for (size_t i = 0; i < nr;)
		i += print_table(out, report, way, &blocks[i], nr - i, marked);
	fputc('\n', out);
	free(blocks);
}

bool print_stages(FILE *out, const struct report *report)
{
	const struct report_group *marked = find_latest(report);
	bool any = report->nr_stages;
	struct way way;

	for (size_t i = 0; i < report->nr_stages; i += way.nr) {
		way = way_at(report, i);
		print_way(out, report, &way, marked);
	}
	if (any && !marked)
		fputs("all short: the p99 of each is below 1 ms\n\n", out);
	any |= print_other_drops(out, report);
	any |= print_missing(out, report, "unpaired, as the hook before is not known", unpaired_at);
	any |= print_missing(out, report, discards[DISCARD_NO_ROOM].meaning, without_room_at);
	return any;
}
