// SPDX-License-Identifier: GPL-2.0
#include "lib/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"

const struct printer *const printers[NR_PRINTERS] = {
	&printer_text, &printer_json, &printer_openmetrics, &printer_prometheus, &printer_heatmap,
};

const struct printer *printer_find(const char *name)
{
	for (int i = 0; i < NR_PRINTERS; i++)
		if (!strcmp(printers[i]->name, name))
			return printers[i];
	return NULL;
}

void printer_print(const struct printer *printer, FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		label_names_meet(report->names, report->groups[i].group);
	if (printer->begin && (printer->is_document || !report->number))
		printer->begin(out, report);
	printer->report(out, report);
	if (printer->end && printer->is_document)
		printer->end(out);
}

char *printer_print_to_memory(const struct printer *printer, const struct report *report,
			      size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	printer_print(printer, out, report);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
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

int report_list_groups(const struct group *groups, const struct group_counts *counts,
		       const struct group_order *order, struct report_group **list, size_t *nr)
{
	*nr = 0;
	*list = calloc(counts->nr + 1, sizeof(**list));
	if (!*list)
		return log_failure(-ENOMEM, "cannot list the groups");
	for (size_t i = 0; i < counts->nr; i++) {
		const struct bucket *buckets = group_buckets(counts, i);
		uint64_t count = buckets_count(buckets, counts->nr_buckets);

		if (!count)
			continue;
		(*list)[(*nr)++] =
			(struct report_group){ &groups[i], buckets, count,
					       order->weight(buckets, counts->nr_buckets) };
	}
	qsort(*list, *nr, sizeof(**list), compare_groups);
	return 0;
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
