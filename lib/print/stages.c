// SPDX-License-Identifier: GPL-2.0
/*
 * Stages as text. Each group has a table for each way, with a line for each stage in packet order,
 * by IP version and protocol. It fits 80 columns.
 */
#include "lib/print/stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/figures.h"
#include "lib/report/stage_names.h"
#include "lib/counts/stages.h"
#include "lib/tables/units.h"

#define HOOK_WIDTH 19
#define BEFORE_WIDTH 17
#define NAME_WIDTH (2 + HOOK_WIDTH + 1 + BEFORE_WIDTH)
#define MIN_BAR_WIDTH 5
#define MAX_BAR_WIDTH 40

/* All stages of one group, in packet order. */
struct service {
	const struct report_group *stages;
	size_t nr;
	uint64_t weight; /* by which groups are ordered: that of the stage with most */
};

/* The stage that is marked: where most time went, of those that are late. */
#define LATE_NS NS_PER_MS

/* The stages of one way: in, application, out or network. */
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

static struct way way_at(const struct report *report, const struct service *service, size_t first)
{
	struct way way = { .stages = &service->stages[first] };

	way.name = stage_table(way.stages->group)->way;
	for (size_t i = first; i < service->nr; i++) {
		if (stage_table(service->stages[i].group)->way != way.name)
			break;
		way.nr++;
		way.sum_ns += sum_of(report, &service->stages[i]);
	}
	return way;
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
static const struct group *find_latest(const struct report *report)
{
	const struct report_group *latest = NULL;

	for (size_t i = 0; i < report->nr_stages; i++)
		if (stage_is_of_host(report->stages[i].group) &&
		    is_late(report, &report->stages[i]) &&
		    (!latest || sum_of(report, &report->stages[i]) > sum_of(report, latest)))
			latest = &report->stages[i];
	return latest ? latest->group : NULL;
}

static const struct figure figures[] = {
	{ "mean", FIGURE_MEAN },
	{ "p50", 500 },
	{ "p99", 990 },
	{ "max", 1000 },
};
#define NR_FIGURES (sizeof(figures) / sizeof(*figures))
#define COUNT_WIDTH 7

/* The content of a stage or, if it skips hooks, its beginning instead. */
static void print_name(FILE *out, const struct report *report, const struct report_group *stage)
{
	__u8 from = stage->group->from;
	enum hook to = stage->group->hook;
	struct stage_names names = stage_names_of(report, from, to);
	char begin[3 + STAGE_NAME_SIZE];

	snprintf(begin, sizeof(begin), "<- %s", names.from);
	fprintf(out, "%-*s %-*s", HOOK_WIDTH, names.to, BEFORE_WIDTH,
		stage_skips(report->setup->plan.followed, from, to) ? begin : names.before);
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

/* Prints a group's labels in braces, if it has any. */
static void print_group(FILE *out, const struct report *report, const struct report_group *stage)
{
	char *text = report_group_text(report, stage);

	if (text && *text)
		fprintf(out, "{%s}", text);
	free(text);
}

void print_stage_title(FILE *out, const struct report *report, const struct report_group *stage)
{
	struct stage_names names = stage_names_of(report, stage->group->from, stage->group->hook);

	fputs(stage_table(stage->group)->name, out);
	print_group(out, report, stage);
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

/* So many reasons have a line each; the others share one. */
#define MAX_REASONS 3

/* Drops behind a hook, by reason, with a name in front of the first. */
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

/*
 * Returns whether the table has a line for the hook that packets were last at. They are of no
 * group.
 */
static bool has_line(const struct report *report, const struct report_drop *drop)
{
	for (size_t i = 0; i < report->nr_stages && !report->setup->plan.group_by; i++)
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
		 drop->from < NR_HOOKS ? hooks[drop->from].name : "none known", version);
	print_drops_at(out, report, name, drop->from, drop->ip_version);
}

/* Prints the drops that no line of a table stands above. Returns whether there are any. */
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

/*
 * Returns whether a stage is the last to its hook in the table: what was dropped there comes next.
 */
static bool is_last_to_hook(const struct way *way, size_t i)
{
	return i + 1 == way->nr || way->stages[i + 1].group->hook != way->stages[i].group->hook ||
	       stage_table(way->stages[i + 1].group) != stage_table(way->stages[i].group);
}

/* Prints a block for each table of the way. */
static void print_way(FILE *out, const struct report *report, const struct way *way,
		      const struct group *marked)
{
	print_header(out, way);
	for (size_t i = 0; i < way->nr; i++) {
		const struct report_group *stage = &way->stages[i];
		const struct stage_table *table = stage_table(stage->group);

		if (!i || table != stage_table(stage[-1].group))
			fprintf(out, "%s:\n", table->name);
		print_stage(out, report, way, stage, stage->group == marked);
		if (!report->setup->plan.group_by && is_last_to_hook(way, i))
			print_drops_at(out, report, "", stage->group->hook, ip_version_of(stage));
	}
	fputc('\n', out);
}

/* Stages of no group, as no key is known there, come first. */
static bool is_of_none(const struct service *service)
{
	static const struct group none;

	return !service->stages->group->is_other &&
	       !group_compare_keys(service->stages->group, &none);
}

static void print_service(FILE *out, const struct report *report, const struct service *service,
			  const struct group *marked)
{
	struct way way;

	if (!is_of_none(service)) {
		print_group(out, report, service->stages);
		fputs(":\n", out);
	}
	for (size_t i = 0; i < service->nr; i += way.nr) {
		way = way_at(report, service, i);
		print_way(out, report, &way, marked);
	}
}

/* Prints groups one after the other, and each one's stages in the report's order. */
static int compare_stages(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;
	int order = x->group->is_other - y->group->is_other;

	if (!order)
		order = group_compare_keys(x->group, y->group);
	if (!order)
		order = (int)(stage_table(x->group) - stage_table(y->group));
	if (!order)
		order = (int)x->group->hook - (int)y->group->hook;
	return order ? order : (int)x->group->from - (int)y->group->from;
}

static int compare_services(const void *a, const void *b)
{
	const struct service *x = a, *y = b;

	if (is_of_none(x) != is_of_none(y))
		return is_of_none(x) ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->stages < y->stages ? -1 : 1;
}

/* All stages of the report, by group. NULL without memory. */
static struct report_group *sort_by_group(const struct report *report)
{
	struct report_group *sorted = calloc(report->nr_stages, sizeof(*sorted));

	if (!sorted)
		return NULL;
	memcpy(sorted, report->stages, report->nr_stages * sizeof(*sorted));
	qsort(sorted, report->nr_stages, sizeof(*sorted), compare_stages);
	return sorted;
}

static bool is_same_group(const struct report_group *stage, const struct report_group *other)
{
	return stage->group->is_other == other->group->is_other &&
	       !group_compare_keys(stage->group, other->group);
}

/* Returns how many there are. */
static size_t find_services(const struct report_group *stages, size_t nr_stages,
			    struct service *services)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_stages; i++) {
		struct service *service = &services[nr ? nr - 1 : 0];

		if (!i || !is_same_group(&stages[i], &stages[i - 1])) {
			service = &services[nr++];
			*service = (struct service){ .stages = &stages[i] };
		}
		service->nr++;
		if (stages[i].weight > service->weight)
			service->weight = stages[i].weight;
	}
	return nr;
}

static void print_services(FILE *out, const struct report *report, const struct group *marked)
{
	struct service *services = calloc(report->nr_stages, sizeof(*services));
	struct report_group *stages = sort_by_group(report);
	size_t nr = 0, top = report->setup->top;

	if (services && stages)
		nr = find_services(stages, report->nr_stages, services);
	else
		fputs("no memory to show stages\n\n", out);
	if (nr)
		qsort(services, nr, sizeof(*services), compare_services);
	for (size_t i = 0; i < nr && i < top; i++)
		print_service(out, report, &services[i], marked);
	if (nr > top)
		fprintf(out, "%zu more %s, see --top\n\n", nr - top,
			nr - top == 1 ? "group" : "groups");
	free(services);
	free(stages);
}

bool print_stages(FILE *out, const struct report *report)
{
	const struct group *marked = find_latest(report);
	bool any = report->nr_stages;

	if (any)
		print_services(out, report, marked);
	if (any && !marked)
		fputs("all short: the p99 of each is below 1 ms\n\n", out);
	any |= print_other_drops(out, report);
	any |= print_missing(out, report, "unpaired, as the hook before is not known", unpaired_at);
	any |= print_missing(out, report, discards[DISCARD_NO_ROOM].meaning, without_room_at);
	return any;
}
