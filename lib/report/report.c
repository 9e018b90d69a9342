// SPDX-License-Identifier: GPL-2.0
#include "lib/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/counts/stages.h"

const struct printer *const printers[NR_PRINTERS] = {
	&printer_text,	     &printer_json,    &printer_openmetrics,
	&printer_prometheus, &printer_heatmap, &printer_none,
};

/* For those who only serve what is measured. */
static void print_nothing(FILE *out, const struct report *report)
{
	(void)out;
	(void)report;
}

const struct printer printer_none = {
	.name = "none",
	.report = print_nothing,
	.is_silent = true,
};

const struct printer *printer_find(const char *name)
{
	for (int i = 0; i < NR_PRINTERS; i++)
		if (!strcmp(printers[i]->name, name))
			return printers[i];
	return NULL;
}

static void look_up_names(const struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		label_names_meet(report->names, report->groups[i].group);
	for (size_t i = 0; i < report->nr_stages; i++)
		label_names_meet(report->names, report->stages[i].group);
	if (report->nr_groups || report->nr_stages)
		label_names_look_up(report->names);
}

void printer_print(const struct printer *printer, FILE *out, const struct report *report)
{
	look_up_names(report);
	if (printer->begin && (printer->is_document || !report->number))
		printer->begin(out, report);
	printer->report(out, report);
	if (printer->end && printer->is_document)
		printer->end(out);
}

char *printer_print_to_memory(const struct printer *printer, const struct report *report,
			      size_t largest, size_t *size)
{
	/* What is not written to takes no memory. */
	char *text = malloc(largest + 2), *fitting;
	FILE *out = text ? fmemopen(text, largest + 2, "w") : NULL;
	bool is_too_large;

	if (!out) {
		free(text);
		errno = ENOMEM;
		return NULL;
	}
	printer_print(printer, out, report);
	/* C libraries differ in whether it is an error that a stream is full. */
	is_too_large = fflush(out) || ferror(out);
	*size = ftell(out);
	is_too_large |= *size > largest;
	fclose(out);
	if (is_too_large) {
		free(text);
		errno = EFBIG;
		return NULL;
	}
	fitting = realloc(text, *size + 1);
	return fitting ? fitting : text;
}

/* All of a hook in a row, the most first; of as much, the busiest. */
static int compare_groups(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;

	if (x->group->hook != y->group->hook)
		return x->group->hook < y->group->hook ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	/* Whatever the order, the same each time. */
	return x->group < y->group ? -1 : 1;
}

/* The names are in the order in which they are shown. */
static const struct {
	const char *name;
	unsigned int ip_version, paths;
} stage_tables[] = {
	{ "any packet", 0, PATH_ANY },
	{ "IPv4", 4, PATH_ANY },
	{ "IPv4, forwarded", 4, PATH_FORWARD },
	{ "TCP over IPv4", 4, PATH_TCP },
	{ "UDP over IPv4", 4, PATH_UDP },
	{ "ICMP and raw sockets, IPv4", 4, PATH_ICMP },
	{ "IPv6", 6, PATH_ANY },
	{ "IPv6, forwarded", 6, PATH_FORWARD },
	{ "TCP over IPv6", 6, PATH_TCP },
	{ "UDP over IPv6", 6, PATH_UDP },
	{ "ICMP and raw sockets, IPv6", 6, PATH_ICMP },
};
#define NR_STAGE_TABLES (sizeof(stage_tables) / sizeof(*stage_tables))

static size_t stage_table(const struct report_group *stage)
{
	__u8 from = stage->group->key.stage_from;
	size_t table = 0;

	while (table < NR_STAGE_TABLES - 1 &&
	       (stage_tables[table].ip_version != (from ? stage_ip_version(from) : 0) ||
		stage_tables[table].paths != hooks[stage->group->hook].paths))
		table++;
	return table;
}

const char *report_stage_table(const struct report_group *stage)
{
	return stage_tables[stage_table(stage)].name;
}

static int compare_stages(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;
	int order = (int)stage_table(x) - (int)stage_table(y);

	if (!order)
		order = group_compare_but_stage(x->group, y->group);
	if (!order)
		order = (int)x->group->hook - (int)y->group->hook;
	return order ? order : (int)x->group->key.stage_from - (int)y->group->key.stage_from;
}

/* Appends a group to a list, if it was seen. */
static void append_seen(struct report_group *list, size_t *nr, const struct group *group,
			const struct bucket *buckets, unsigned int nr_buckets)
{
	uint64_t count = buckets_count(buckets, nr_buckets);

	if (count)
		list[(*nr)++] = (struct report_group){ group, buckets, count, 0 };
}

/* Room for as many as there may be, and one more; NULL without memory, after saying so. */
static struct report_group *new_list(const struct group_counts *counts)
{
	struct report_group *list = calloc(counts->nr + 1, sizeof(*list));

	if (!list)
		log_failure(-ENOMEM, "cannot list the groups");
	return list;
}

static void weigh(struct report_group *list, size_t nr, const struct group_order *order,
		  unsigned int nr_buckets)
{
	for (size_t i = 0; i < nr; i++)
		list[i].weight = order->weight(list[i].buckets, nr_buckets);
}

int report_list_groups(const struct group *groups, const struct group_counts *counts,
		       const struct group_order *order, struct report_group **list, size_t *nr)
{
	*nr = 0;
	*list = new_list(counts);
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr; i++)
		if (!groups[i].key.stage_from)
			append_seen(*list, nr, &groups[i], group_buckets(counts, i),
				    counts->nr_buckets);
	weigh(*list, *nr, order, counts->nr_buckets);
	qsort(*list, *nr, sizeof(**list), compare_groups);
	return 0;
}

int report_list_stages(const struct group *groups, const struct snapshot *snapshot, bool is_shown,
		       const struct group_order *order, struct report_group **list, size_t *nr)
{
	static const struct group from_stamp = { .hook = HOOK_netif_receive };
	const struct histogram *latency = &snapshot->hooks[HOOK_netif_receive].latency;
	const struct group_counts *counts = &snapshot->groups;
	bool grouped = false;

	*nr = 0;
	*list = new_list(counts);
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr; i++) {
		bool is_stage = groups[i].key.stage_from;

		grouped |= !is_stage;
		if (is_stage || (groups[i].hook == HOOK_netif_receive && is_shown))
			append_seen(*list, nr, &groups[i], group_buckets(counts, i),
				    counts->nr_buckets);
	}
	if (!grouped && is_shown)
		append_seen(*list, nr, &from_stamp, latency->buckets,
			    histogram_nr_buckets(latency));
	weigh(*list, *nr, order, histogram_nr_buckets(latency));
	qsort(*list, *nr, sizeof(**list), compare_stages);
	return 0;
}

/* The last hook that packets pass before they are read. */
static const char *hook_before_read(const struct report *report, enum hook read)
{
	const char *name = "";

	for (enum hook hook = 0; hook < read; hook++)
		if (report->setup->followed[hook] && stage_is_possible(hook, read))
			name = hooks[hook].name;
	return name;
}

/* "udp-socket-woken", from "udp-socket-read" */
static void name_of_reader(char name[STAGE_NAME_SIZE], enum hook read, const char *state)
{
	int length = strlen(hooks[read].name) - strlen("read");

	snprintf(name, STAGE_NAME_SIZE, "%.*s%s", length, hooks[read].name, state);
}

static void name_part(struct stage_names *names, const struct report *report, enum hook read,
		      enum reader_part part)
{
	switch (part) {
	case PART_ASLEEP:
		strcpy(names->from, hook_before_read(report, read));
		name_of_reader(names->to, read, "woken");
		names->before = "asleep";
		break;
	case PART_READY:
		name_of_reader(names->from, read, "woken");
		name_of_reader(names->to, read, "running");
		names->before = "ready, no CPU";
		break;
	default:
		name_of_reader(names->from, read, "running");
		names->before = "on the CPU";
	}
}

struct stage_names report_stage_names(const struct report *report, __u8 from, enum hook to)
{
	struct stage_names names = { .before = hooks[to].before };

	strcpy(names.to, hooks[to].name);
	if (!from)
		strcpy(names.from, "stamp");
	else if (stage_from_hook(from) >= NR_HOOKS)
		name_part(&names, report, to, (enum reader_part)stage_from_hook(from));
	else
		strcpy(names.from, hooks[stage_from_hook(from)].name);
	if (report->setup->wakeups && hooks[to].has & HAS_READER && from &&
	    stage_from_hook(from) < NR_HOOKS)
		names.before = "no wake-up";
	return names;
}

bool report_stage_skips(const struct report *report, __u8 stage_from, enum hook to)
{
	/* Parts of what waits for a reader follow one another. */
	if (!stage_from || stage_from_hook(stage_from) >= NR_HOOKS)
		return false;
	for (enum hook hook = 0; hook < to; hook++)
		if (report->setup->followed[hook] && stage_is_possible(hook, to) &&
		    stage_is_possible(stage_from_hook(stage_from), hook))
			return true;
	return false;
}

bool report_stages_end_at(const struct report *report, enum hook hook)
{
	for (enum hook from = 0; from < hook; from++)
		if (report->setup->followed[from] && stage_is_possible(from, hook))
			return report_shows(report, hook);
	return false;
}

void report_print_untold(FILE *out, const struct report *report)
{
	if (!report->setup->slow || !(report->slow[SLOW_LIMITED] + report->slow[SLOW_NO_ROOM]))
		return;
	fprintf(out,
		"slow packets not told of: %" PRIu64 " beyond --slow-limit, %" PRIu64
		" as the reader of this was too slow\n",
		report->slow[SLOW_LIMITED], report->slow[SLOW_NO_ROOM]);
}

void report_print_slow_share(FILE *out, const struct report *report)
{
	const uint64_t *slow = report->slow;
	char text[DURATION_TEXT_SIZE];

	fprintf(out, "%" PRIu64 " of %" PRIu64 " packets were slower than %s\n",
		slow[SLOW_TOLD] + slow[SLOW_LIMITED] + slow[SLOW_NO_ROOM],
		hook_counts_packets(report->hooks), duration_text(report->setup->slow_ns, text));
}

bool report_shows(const struct report *report, enum hook hook)
{
	return report->setup->hooks[hook] && hook_is_attached(hook, &report->setup->left_out);
}

size_t report_groups(const struct report *report, enum hook hook,
		     const struct report_group **groups)
{
	size_t first = 0, nr = 0;

	while (first < report->nr_groups && report->groups[first].group->hook != hook)
		first++;
	while (first + nr < report->nr_groups && report->groups[first + nr].group->hook == hook)
		nr++;
	*groups = report->groups + first;
	return nr;
}

void report_group_latency(const struct report *report, const struct report_group *group,
			  struct histogram *latency)
{
	/* The rest of the buckets, which may be by far the most, is not in use. */
	latency->resolution = report->hooks[group->group->hook].latency.resolution;
	memcpy(latency->buckets, group->buckets,
	       histogram_nr_buckets(latency) * sizeof(struct bucket));
}

void report_group_labels(const struct report *report, const struct report_group *group,
			 struct labels *labels)
{
	labels_of(report->names, group->group, report->setup->group_by, labels);
}

char *report_group_text(const struct report *report, const struct report_group *group)
{
	struct labels labels;

	report_group_labels(report, group, &labels);
	return labels_text(&labels);
}

const char *report_clock_name(const struct report *report)
{
	return report->setup->clock == CLOCK_TAI ? "tai" : "monotonic";
}

const char *report_bound_text(const struct histogram *latency, unsigned int bucket,
			      char text[BOUND_TEXT_SIZE])
{
	char *bound = text;

	if (bucket == histogram_overflow(latency)) {
		*bound++ = '>';
		bucket--;
	}
	duration_text(histogram_le_ns(latency, bucket), bound);
	return text;
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
	if (!change->wall_ns && !change->tai_ns)
		fputs(": forth and back", out);
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
