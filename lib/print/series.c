// SPDX-License-Identifier: GPL-2.0
#include "lib/print/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/counts/stages.h"
#include "lib/report/stage_names.h"

static int compare_labels(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	return strcmp(x->labels, y->labels);
}

static void print_hook_label(FILE *out, const struct report *report, const struct group *group)
{
	(void)report;
	fprintf(out, "hook=\"%s\"", hooks[group->hook].name);
}

static void print_stage_labels(FILE *out, const struct report *report, const struct group *group)
{
	struct stage_names names = stage_names_of(report, group->from, group->hook);

	fprintf(out, "from=\"%s\",to=\"%s\"", names.from, names.to);
	/* A group may have that label, too. */
	if (group->from != FROM_STAMP && !group->key.ip_version)
		fprintf(out, ",ip_version=\"%u\"", stage_ip_version(group->from));
}

/* The labels of a group or a stage in front of those that it is grouped by. */
typedef void print_first_labels(FILE *out, const struct report *report, const struct group *group);

/* NULL without memory. */
static char *labels_of_series(const struct report *report, const struct report_group *group,
			      print_first_labels *print_first)
{
	char *text, *all = NULL;
	size_t size;
	FILE *out = open_memstream(&all, &size);

	if (!out)
		return NULL;
	text = report_group_text(report, group);
	print_first(out, report, group->group);
	/* A hook may know nothing of what is grouped by. */
	if (text)
		fprintf(out, "%s%s", *text ? "," : "", text);
	if (fclose(out) || !text) {
		free(all);
		all = NULL;
	}
	free(text);
	return all;
}

static struct series *new_series(const struct report *report, const struct report_group *groups,
				 size_t nr, print_first_labels *print_first)
{
	struct series *series = calloc(nr + 1, sizeof(*series));

	for (size_t i = 0; series && i < nr; i++) {
		series[i].group = &groups[i];
		series[i].labels = labels_of_series(report, &groups[i], print_first);
		if (!series[i].labels) {
			series_free(series, nr);
			series = NULL;
		}
	}
	if (series)
		qsort(series, nr, sizeof(*series), compare_labels);
	else
		log_failure(-ENOMEM, "cannot name the groups");
	return series;
}

struct series *series_of_groups(const struct report *report, enum hook hook, size_t *nr)
{
	const struct report_group *groups;

	*nr = report_groups(report, hook, &groups);
	return new_series(report, groups, *nr, print_hook_label);
}

struct series *series_of_stages(const struct report *report, size_t *nr)
{
	*nr = report->nr_stages;
	return new_series(report, report->stages, *nr, print_stage_labels);
}

void series_free(struct series *series, size_t nr)
{
	for (size_t i = 0; series && i < nr; i++)
		free(series[i].labels);
	free(series);
}

size_t series_latency(const struct report *report, const struct series *series, size_t nr,
		      struct histogram *latency)
{
	size_t same = 1;

	report_group_latency(report, series->group, latency);
	while (same < nr && !compare_labels(&series[same], series))
		buckets_add(latency->buckets, series[same++].group->buckets,
			    histogram_nr_buckets(latency));
	return same;
}
