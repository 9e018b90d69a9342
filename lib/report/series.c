// SPDX-License-Identifier: GPL-2.0
#include "lib/report/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"

static int compare_labels(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	return strcmp(x->labels, y->labels);
}

/* NULL without memory. */
static char *labels_of_series(const struct report *report, const struct report_group *group)
{
	struct labels labels;
	char *text, *all = NULL;

	report_group_labels(report, group, &labels);
	text = labels_text(&labels);
	/* A hook may know nothing of what is grouped by. */
	if (text && asprintf(&all, "hook=\"%s\"%s%s", hooks[group->group->hook].name,
			     *text ? "," : "", text) < 0)
		all = NULL;
	free(text);
	return all;
}

struct series *series_of(const struct report *report, enum hook hook, size_t *nr)
{
	const struct report_group *groups;
	struct series *series;

	*nr = report_groups(report, hook, &groups);
	series = calloc(*nr + 1, sizeof(*series));
	for (size_t i = 0; series && i < *nr; i++) {
		series[i] = (struct series){ labels_of_series(report, &groups[i]), &groups[i] };
		if (!series[i].labels) {
			series_free(series, *nr);
			series = NULL;
		}
	}
	if (!series) {
		log_failure(-ENOMEM, "cannot name the groups of %s", hooks[hook].name);
		return NULL;
	}
	qsort(series, *nr, sizeof(*series), compare_labels);
	return series;
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
