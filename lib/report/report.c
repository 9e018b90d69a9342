// SPDX-License-Identifier: GPL-2.0
#include "lib/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/duration.h"
#include "lib/counts/stages.h"

void report_print_unreported(FILE *out, const struct report *report)
{
	if (!report->setup->plan.slow || !(report->slow[SLOW_LIMITED] + report->slow[SLOW_NO_ROOM]))
		return;
	fprintf(out,
		"slow packets not reported: %" PRIu64 " beyond --slow-limit, %" PRIu64
		" as the ring buffer was full\n",
		report->slow[SLOW_LIMITED], report->slow[SLOW_NO_ROOM]);
}

void report_print_slow_share(FILE *out, const struct report *report)
{
	const uint64_t *slow = report->slow;
	char text[DURATION_TEXT_SIZE];

	fprintf(out, "%" PRIu64 " of %" PRIu64 " packets were slower than %s\n",
		slow[SLOW_REPORTED] + slow[SLOW_LIMITED] + slow[SLOW_NO_ROOM],
		hook_counts_packets(report->hooks),
		duration_text(report->setup->plan.slow_ns, text));
}

bool report_shows(const struct report *report, enum hook hook)
{
	return report->setup->plan.hooks[hook] && hook_is_attached(hook, &report->setup->left_out);
}

bool report_shows_stages_to(const struct report *report, enum hook hook)
{
	return stage_last_hook(report->setup->plan.followed, hook) < NR_HOOKS &&
	       report_shows(report, hook);
}

size_t report_groups(const struct report *report, enum hook hook,
		     const struct report_group **groups)
{
	size_t first = 0, nr = 0;

	while (first < report->nr_groups && report->groups[first].group->hook != hook)
		first++;
	while (first + nr < report->nr_groups && report->groups[first + nr].group->hook == hook)
		nr++;
	*groups = nr ? report->groups + first : NULL;
	return nr;
}

void report_look_up_names(const struct report *report)
{
	for (size_t i = 0; i < report->nr_groups; i++)
		label_names_add(report->names, report->groups[i].group);
	for (size_t i = 0; i < report->nr_stages; i++)
		label_names_add(report->names, report->stages[i].group);
	for (size_t i = 0; i < report->nr_queued; i++)
		label_names_add(report->names, report->queued[i].group);
	if (report->nr_groups || report->nr_stages || report->nr_queued)
		label_names_look_up(report->names);
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
	labels_of(report->names, group->group, report->setup->plan.group_by, labels);
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

void report_print_undrawn(FILE *out, const struct report *report)
{
	const char *separator = report->setup->plan.stages ? "unpaired: " : "not measured: ";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		uint64_t count = hook_counts_unmeasured(&report->hooks[hook]);

		if (report->setup->plan.stages)
			count = report_shows_stages_to(report, hook) ? report->hooks[hook].unpaired
								     : 0;
		if (!count)
			continue;
		fprintf(out, "%s%s %" PRIu64, separator, hooks[hook].name, count);
		separator = ", ";
	}
	if (*separator == ',')
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
