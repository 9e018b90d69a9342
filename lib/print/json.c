// SPDX-License-Identifier: GPL-2.0
/* JSON Lines: each report is an object on a line, as doc/report.schema.json describes it. */
#include "lib/print/printer.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/json_values.h"
#include "lib/counts/stages.h"
#include "lib/packet/packet.h"
#include "lib/tables/discards.h"
#include "lib/report/stage_names.h"

/* null without a bucket, and for the overflow */
static struct json_object *new_bound(const struct histogram *latency, int bucket)
{
	if (bucket < 0 || bucket == (int)histogram_overflow(latency))
		return NULL;
	return json_new_uint64(histogram_le_ns(latency, bucket));
}

static struct json_object *new_buckets(const struct histogram *latency)
{
	struct json_object *array = json_new_array();
	int last = histogram_last(latency);

	for (int i = 0; i <= last; i++) {
		struct json_object *bucket;

		if (!latency->buckets[i].count)
			continue;
		bucket = json_new_object();
		json_add(bucket, "le_ns", new_bound(latency, i));
		json_add(bucket, "count", json_new_uint64(latency->buckets[i].count));
		json_append(array, bucket);
	}
	return array;
}

static struct json_object *new_discarded(const uint64_t discarded[NR_DISCARDS])
{
	struct json_object *object = json_new_object();

	for (int cause = 0; cause < NR_DISCARDS; cause++)
		json_add(object, discards[cause].name, json_new_uint64(discarded[cause]));
	return object;
}

/* Keeps it as it is written: a whole number, or one with decimals. */
static struct json_object *new_number(const char *text)
{
	if (strchr(text, '.'))
		return json_new_decimal(strtod(text, NULL), text);
	return json_new_uint64(strtoull(text, NULL, 10));
}

static struct json_object *new_group(const struct labels *labels)
{
	struct json_object *object = json_new_object();

	for (unsigned int i = 0; i < labels->nr; i++) {
		const struct label *label = &labels->labels[i];

		json_add(object, label->name,
			 label->is_number ? new_number(label->value)
					  : json_new_string(label->value));
	}
	return object;
}

static void add_histogram(struct json_object *object, const struct histogram *latency)
{
	uint64_t count = histogram_count(latency);

	json_add(object, "count", json_new_uint64(count));
	json_add(object, "sum_ns", json_new_uint64(histogram_sum_ns(latency)));
	json_add(object, "mean_ns", count ? json_new_rounded(histogram_mean_ns(latency), 1) : NULL);
	for (int i = 0; i < NR_QUANTILES; i++) {
		int bucket = histogram_quantile(latency, quantiles[i].permille);

		json_add(object, quantiles[i].field, new_bound(latency, bucket));
	}
	json_add(object, "max_le_ns", new_bound(latency, histogram_last(latency)));
	json_add(object, "buckets", new_buckets(latency));
}

static struct json_object *new_histogram(enum hook id, const struct labels *labels,
					 const struct histogram *latency,
					 const uint64_t discarded[NR_DISCARDS])
{
	struct json_object *object = json_new_object();

	json_add(object, "hook", json_new_string(hooks[id].name));
	json_add(object, "group", new_group(labels));
	add_histogram(object, latency);
	json_add(object, "discarded", new_discarded(discarded));
	return object;
}

static struct json_object *new_stage(const struct report *report, const struct report_group *stage)
{
	struct json_object *object = json_new_object();
	const struct group *group = stage->group;
	struct stage_names names = stage_names_of(report, group->from, group->hook);
	struct histogram latency;
	struct labels labels;

	report_group_latency(report, stage, &latency);
	report_group_labels(report, stage, &labels);
	json_add(object, "from", json_new_string(names.from));
	json_add(object, "to", json_new_string(names.to));
	json_add(object, "ip_version",
		 group->from ? json_new_int64(stage_ip_version(group->from)) : NULL);
	json_add(object, "group", new_group(&labels));
	add_histogram(object, &latency);
	return object;
}

static struct json_object *new_drop(const struct report_drop *drop)
{
	struct json_object *object = json_new_object();

	json_add(object, "from",
		 drop->from < NR_HOOKS ? json_new_string(hooks[drop->from].name) : NULL);
	json_add(object, "ip_version", drop->ip_version ? json_new_int64(drop->ip_version) : NULL);
	json_add(object, "reason", json_new_string(report_drop_reason(drop)));
	json_add(object, "count", json_new_uint64(drop->count));
	return object;
}

/* null if it is not known what is dropped. */
static struct json_object *new_drops(const struct report *report)
{
	struct json_object *array = report->setup->drops ? json_new_array() : NULL;

	for (size_t i = 0; array && i < report->nr_drops; i++)
		json_append(array, new_drop(&report->drops[i]));
	return array;
}

static struct json_object *new_unpaired(const struct report *report)
{
	struct json_object *object = json_new_object();

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (report_shows_stages_to(report, hook))
			json_add(object, hooks[hook].name,
				 json_new_uint64(report->hooks[hook].unpaired));
	return object;
}

/* Counts of no group: all of them, or with groups, those without labels. */
static struct json_object *new_groupless(const struct report *report, enum hook hook,
					 const struct report_group *groups, size_t nr)
{
	struct histogram latency = report->hooks[hook].latency;
	const struct labels no_labels = { 0 };

	if (report->setup->plan.group_by)
		memset(latency.buckets, 0, sizeof(latency.buckets));
	for (size_t i = 0; i < nr; i++)
		if (group_is_nameless(groups[i].group, report->setup->plan.group_by))
			report_group_latency(report, &groups[i], &latency);
	return new_histogram(hook, &no_labels, &latency, report->hooks[hook].discarded);
}

/* The hook without a group comes first, with all discards, and then each group. */
static void print_histograms(FILE *out, const struct report *report, enum hook hook)
{
	static const uint64_t nothing_discarded[NR_DISCARDS];
	const struct report_group *groups;
	size_t nr = report_groups(report, hook, &groups);

	json_print(out, new_groupless(report, hook, groups, nr));
	for (size_t i = 0; i < nr; i++) {
		struct histogram latency;
		struct labels labels;

		if (group_is_nameless(groups[i].group, report->setup->plan.group_by))
			continue;
		report_group_latency(report, &groups[i], &latency);
		report_group_labels(report, &groups[i], &labels);
		fputc(',', out);
		json_print(out, new_histogram(hook, &labels, &latency, nothing_discarded));
	}
}

static struct json_object *new_hook(enum hook hook, const struct left_out *left_out)
{
	struct json_object *object = json_new_object();
	struct json_object *functions = json_new_array();
	bool attached = hook_is_attached(hook, left_out);
	char reason[HOOK_TEXT_SIZE];

	hook_reason(hook, left_out, reason);
	for_each_probe_of(hook, probe)
		if (!left_out->why[probe])
			json_append(functions, json_new_string(probe_target(probe)));
	json_add(object, "hook", json_new_string(hooks[hook].name));
	json_add(object, "state", json_new_string(attached ? "attached" : "unavailable"));
	json_add(object, "functions", functions);
	json_add(object, "reason", *reason ? json_new_string(reason) : NULL);
	return object;
}

static struct json_object *new_program(const struct report *report, unsigned int program)
{
	const struct program_counts *counts = &report->programs[program];
	struct json_object *object = json_new_object();

	json_add(object, "hook", json_new_string(hooks[probes[PROBE_OF(program)].hook].name));
	json_add(object, "program", json_new_string(program_names[program]));
	json_add(object, "runs", json_new_uint64(counts->runs));
	json_add(object, "run_ns", json_new_uint64(counts->run_ns));
	json_add(object, "ns_per_run",
		 counts->runs ? json_new_rounded(program_ns_per_run(counts), 1) : NULL);
	json_add(object, "runs_per_s",
		 json_new_rounded(program_runs_per_s(counts, report->duration_ns), 3));
	json_add(object, "cpu_share",
		 json_new_rounded(program_cpu_share(counts, report->duration_ns), 9));
	return object;
}

static struct json_object *new_overhead(const struct report *report)
{
	struct json_object *array = json_new_array();

	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		if (report->setup->programs[program])
			json_append(array, new_program(report, program));
	return array;
}

static struct json_object *new_slow(const struct report *report)
{
	struct json_object *object = json_new_object();

	json_add(object, "told", json_new_uint64(report->slow[SLOW_REPORTED]));
	json_add(object, "limited", json_new_uint64(report->slow[SLOW_LIMITED]));
	json_add(object, "no_room", json_new_uint64(report->slow[SLOW_NO_ROOM]));
	return object;
}

/* All that is not about a hook. */
static struct json_object *new_head(const struct report *report)
{
	struct json_object *object = json_new_object();

	json_add(object, "schema", json_new_int64(JSON_SCHEMA));
	json_add(object, "version", json_new_string(VERSION));
	json_add(object, "time", json_time(report->time_ns, 3));
	json_add(object, "kind", json_new_string(report_kind_name(report->kind)));
	json_add(object, "interval_s", json_new_rounded(report->duration_ns / 1e9, 6));
	json_add(object, "kernel", json_new_string(report->setup->host.release));
	json_add(object, "resolution", json_new_int64(report->hooks[0].latency.resolution));
	json_add(object, "clock", json_new_string(report_clock_name(report)));
	json_add(object, "offset_ns", json_new_int64(report->clock_offset_ns));
	json_add(object, "clock_changed", json_new_boolean(report->clock_change.time != 0));
	return object;
}

static void print_stages(FILE *out, const struct report *report)
{
	fputs(",\"stages\":[", out);
	for (size_t i = 0; i < report->nr_stages; i++) {
		if (i)
			fputc(',', out);
		json_print(out, new_stage(report, &report->stages[i]));
	}
	fputs("],\"unpaired\":", out);
	json_print(out, new_unpaired(report));
	fputs(",\"drops\":", out);
	json_print(out, new_drops(report));
}

/* Settings stay as they are for long, and are told once. */
static void print_settings(FILE *out, const struct settings *settings)
{
	struct json_object *object = json_new_object();

	for (size_t i = 0; i < settings->nr; i++)
		json_add(object, settings->settings[i].name,
			 json_new_string(settings->settings[i].value));
	fputs(",\"host\":", out);
	json_print(out, object);
}

/* Prints the members of head, and those that may be long. */
static void print_report(FILE *out, const struct report *report)
{
	struct json_object *head = new_head(report), *states = json_new_array();
	const char *text = json_text(head);
	const char *separator = "";

	fprintf(out, "%.*s,\"histograms\":[", (int)strlen(text) - 1, text);
	json_object_put(head);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!report->setup->plan.hooks[hook])
			continue;
		json_append(states, new_hook(hook, &report->setup->left_out));
		if (!report_shows(report, hook))
			continue;
		fputs(separator, out);
		separator = ",";
		print_histograms(out, report, hook);
	}
	fputs("],\"hooks\":", out);
	json_print(out, states);
	if (report->setup->plan.stages)
		print_stages(out, report);
	if (report->setup->plan.slow) {
		fputs(",\"slow\":", out);
		json_print(out, new_slow(report));
	}
	if (report->setup->plan.overhead) {
		fputs(",\"overhead\":", out);
		json_print(out, new_overhead(report));
	}
	if (report->setup->settings && !report->number)
		print_settings(out, report->setup->settings);
	fputs("}\n", out);
}

const struct printer printer_json = {
	.name = "json",
	.report = print_report,
	.packet = packet_print_json,
	.resolution = DEFAULT_RESOLUTION,
};
