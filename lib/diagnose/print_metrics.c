// SPDX-License-Identifier: GPL-2.0
/* The verdict as metrics: what alerts are made of. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diagnose/verdict.h"
#include "lib/tables/units.h"

static const struct metric_family time_family = {
	.name = "netstacklat_verdict_timestamp_seconds",
	.type = "gauge",
	.unit = "seconds",
	.help = "When the last watch ended.",
};

static const struct metric_family watch_family = {
	.name = "netstacklat_verdict_watch_seconds",
	.type = "gauge",
	.unit = "seconds",
	.help = "How long the last watch was.",
};

static const struct metric_family packets_family = {
	.name = "netstacklat_verdict_packets",
	.type = "gauge",
	.help = "Packets that were looked at in the last watch.",
};

static const struct metric_family no_room_family = {
	.name = "netstacklat_verdict_no_room",
	.type = "gauge",
	.help = "Packets of the last watch that found no room among the groups, and were not looked at.",
};

static const struct metric_family findings_family = {
	.name = "netstacklat_verdict_findings",
	.type = "gauge",
	.help = "How much was found in the last watch, of which the most harmful is told.",
};

static const struct metric_family harm_family = {
	.name = "netstacklat_finding_packets",
	.type = "gauge",
	.help = "Packets, connections or replies of the last watch that were late, lost or dropped.",
};

static const struct metric_family p99_family = {
	.name = "netstacklat_finding_p99_seconds",
	.type = "gauge",
	.unit = "seconds",
	.help = "The 99th percentile of how long it took, of what is late.",
};

/* Facts that are the same in the next watch. */
static const char *const who[] = { "netns", "interface", "protocol", "port",
				   "comm",  "cgroup",	 "reason" };

#define NR_WHO (sizeof(who) / sizeof(*who))
_Static_assert(NR_WHO + 2 <= MAX_LABELS, "room for the class and its sentence, too");

static void add_label(struct labels *labels, const char *name, const char *value)
{
	if (*value)
		labels->labels[labels->nr++] = (struct label){ name, value, false };
}

/* The caller frees it. NULL without memory. */
static char *labels_of_finding(const struct finding *finding)
{
	const struct class_info *class = &classes[finding->class];
	struct labels labels;

	labels.nr = 0;
	add_label(&labels, "class", class->name);
	for (size_t i = 0; i < NR_WHO; i++)
		add_label(&labels, who[i], facts_text(&finding->facts, who[i]));
	add_label(&labels, "sentence", class->brief);
	return labels_text(&labels);
}

/* The findings that are told, by their labels. */
struct told {
	size_t nr;
	char *labels[MAX_METRIC_FINDINGS];
	const struct finding *findings[MAX_METRIC_FINDINGS];
};

static bool is_told(const struct told *told, const char *labels)
{
	for (size_t i = 0; i < told->nr; i++)
		if (!strcmp(told->labels[i], labels))
			return true;
	return false;
}

/*
 * Two processes may have the same name. The first one does more harm, and a series that is there
 * twice would invalidate all of them.
 */
static void choose(struct told *told, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr && told->nr < MAX_METRIC_FINDINGS; i++) {
		char *labels = labels_of_finding(&verdict->findings[i]);

		if (!labels || is_told(told, labels)) {
			free(labels);
			continue;
		}
		told->labels[told->nr] = labels;
		told->findings[told->nr++] = &verdict->findings[i];
	}
}

static void print_findings(FILE *out, const struct told *told, enum metrics_format format)
{
	char text[METRIC_SECONDS_SIZE];

	metric_family_print(out, format, &harm_family);
	for (size_t i = 0; i < told->nr; i++)
		fprintf(out, "%s{%s} %" PRIu64 "\n", harm_family.name, told->labels[i],
			told->findings[i]->lateness.late);
	metric_family_print(out, format, &p99_family);
	for (size_t i = 0; i < told->nr; i++)
		if (!class_is_lost(told->findings[i]->class))
			fprintf(out, "%s{%s} %s\n", p99_family.name, told->labels[i],
				metric_seconds(told->findings[i]->lateness.p99_ns, text));
}

static void print_seconds(FILE *out, enum metrics_format format, const struct metric_family *family,
			  uint64_t ns)
{
	char text[METRIC_SECONDS_SIZE];

	metric_family_print(out, format, family);
	fprintf(out, "%s %s\n", family->name, metric_seconds(ns, text));
}

void verdict_print_metrics(FILE *out, const struct verdict *verdict, enum metrics_format format)
{
	struct told told = { 0 };

	print_seconds(out, format, &time_family, verdict->time_ns);
	print_seconds(out, format, &watch_family, verdict->duration_ns);
	metric_number_print(out, format, &packets_family, verdict->packets);
	metric_number_print(out, format, &no_room_family, verdict->no_room);
	metric_rows_print(out, format, &verdict->rows);
	metric_number_print(out, format, &findings_family, verdict->nr);
	choose(&told, verdict);
	print_findings(out, &told, format);
	for (size_t i = 0; i < told.nr; i++)
		free(told.labels[i]);
	if (format == OPENMETRICS)
		fputs("# EOF\n", out);
}
