// SPDX-License-Identifier: GPL-2.0
/* JSON Lines: each report is an object on a line, as doc/report.schema.json describes it. */
#include "report.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "discards.h"

#define SCHEMA 1
#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

static void add(struct json_object *object, const char *name, struct json_object *value)
{
	json_object_object_add(object, name, value);
}

/* Without digits that nobody measured. */
static struct json_object *new_decimal(double value, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	return json_object_new_double_s(value, text);
}

/* RFC 3339, in UTC. */
static struct json_object *new_time(uint64_t time_ns)
{
	char seconds[32], text[48];
	time_t time = time_ns / NS_PER_S;

	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", gmtime(&time));
	snprintf(text, sizeof(text), "%s.%03uZ", seconds,
		 (unsigned int)(time_ns % NS_PER_S / NS_PER_MS));
	return json_object_new_string(text);
}

/* null without a bucket, and for the overflow */
static struct json_object *new_bound(const struct histogram *latency, int bucket)
{
	if (bucket < 0 || bucket == (int)histogram_overflow(latency))
		return NULL;
	return json_object_new_uint64(histogram_le_ns(latency, bucket));
}

static struct json_object *new_buckets(const struct histogram *latency)
{
	struct json_object *array = json_object_new_array();
	int last = histogram_last(latency);

	for (int i = 0; i <= last; i++) {
		struct json_object *bucket;

		if (!latency->buckets[i].count)
			continue;
		bucket = json_object_new_object();
		add(bucket, "le_ns", new_bound(latency, i));
		add(bucket, "count", json_object_new_uint64(latency->buckets[i].count));
		json_object_array_add(array, bucket);
	}
	return array;
}

static struct json_object *new_discarded(const struct hook_counts *hook)
{
	struct json_object *object = json_object_new_object();

	for (int cause = 0; cause < NR_DISCARDS; cause++)
		add(object, discards[cause].name, json_object_new_uint64(hook->discarded[cause]));
	return object;
}

static struct json_object *new_group(const struct labels *labels)
{
	struct json_object *object = json_object_new_object();

	for (unsigned int i = 0; i < labels->nr; i++) {
		const struct label *label = &labels->labels[i];

		add(object, label->name,
		    label->is_number ? json_object_new_uint64(strtoull(label->value, NULL, 10))
				     : json_object_new_string(label->value));
	}
	return object;
}

static struct json_object *new_histogram(enum hook id, const struct labels *labels,
					 const struct hook_counts *hook)
{
	struct json_object *object = json_object_new_object();
	const struct histogram *latency = &hook->latency;
	uint64_t count = histogram_count(latency);
	char name[16];

	add(object, "hook", json_object_new_string(hooks[id].name));
	add(object, "group", new_group(labels));
	add(object, "count", json_object_new_uint64(count));
	add(object, "sum_ns", json_object_new_uint64(histogram_sum_ns(latency)));
	add(object, "mean_ns", count ? new_decimal(histogram_mean_ns(latency), 1) : NULL);
	for (int i = 0; i < NR_QUANTILES; i++) {
		int bucket = histogram_quantile(latency, quantiles[i].permille);

		snprintf(name, sizeof(name), "%s_ns", quantiles[i].name);
		add(object, name, new_bound(latency, bucket));
	}
	add(object, "max_le_ns", new_bound(latency, histogram_last(latency)));
	add(object, "buckets", new_buckets(latency));
	add(object, "discarded", new_discarded(hook));
	return object;
}

/* What is of no group: all without groups, and what has no labels with them. */
static struct histogram groupless_latency(const struct report *report, enum hook hook,
					  const struct report_group *groups, size_t nr)
{
	struct histogram latency = report->hooks[hook].latency;

	if (!report->setup->group_by)
		return latency;
	memset(latency.buckets, 0, sizeof(latency.buckets));
	for (size_t i = 0; i < nr; i++)
		if (group_is_nameless(groups[i].group, report->setup->group_by))
			latency = report_group_latency(report, &groups[i]);
	return latency;
}

/* One without a group first, to which all belongs that was discarded, then one for each group. */
static void add_histograms(struct json_object *array, const struct report *report, enum hook hook)
{
	struct hook_counts counts = report->hooks[hook];
	const struct report_group *groups;
	size_t nr = report_groups(report, hook, &groups);
	struct labels labels = { 0 };

	counts.latency = groupless_latency(report, hook, groups, nr);
	json_object_array_add(array, new_histogram(hook, &labels, &counts));
	memset(counts.discarded, 0, sizeof(counts.discarded));
	for (size_t i = 0; i < nr; i++) {
		if (group_is_nameless(groups[i].group, report->setup->group_by))
			continue;
		counts.latency = report_group_latency(report, &groups[i]);
		report_group_labels(report, &groups[i], &labels);
		json_object_array_add(array, new_histogram(hook, &labels, &counts));
	}
}

static struct json_object *new_hook(enum hook hook, const struct left_out *left_out)
{
	struct json_object *object = json_object_new_object();
	struct json_object *functions = json_object_new_array();
	bool attached = hook_is_attached(hook, left_out);
	char reason[HOOK_REASON_SIZE];

	hook_reason(hook, left_out, reason);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].hook == hook && !left_out->why[probe])
			json_object_array_add(functions,
					      json_object_new_string(probes[probe].function));
	add(object, "hook", json_object_new_string(hooks[hook].name));
	add(object, "state", json_object_new_string(attached ? "attached" : "unavailable"));
	add(object, "functions", functions);
	add(object, "reason", *reason ? json_object_new_string(reason) : NULL);
	return object;
}

void report_json(FILE *out, const struct report *report)
{
	const struct report_setup *setup = report->setup;
	struct json_object *object = json_object_new_object();
	struct json_object *histograms = json_object_new_array();
	struct json_object *states = json_object_new_array();

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!setup->hooks[hook])
			continue;
		json_object_array_add(states, new_hook(hook, &setup->left_out));
		if (report_shows(report, hook))
			add_histograms(histograms, report, hook);
	}

	add(object, "schema", json_object_new_int(SCHEMA));
	add(object, "version", json_object_new_string(VERSION));
	add(object, "time", new_time(report->time_ns));
	add(object, "kind", json_object_new_string(report_kind_name(report->kind)));
	add(object, "interval_s", new_decimal(report->duration_ns / 1e9, 6));
	add(object, "clock", json_object_new_string(report_clock_name(report)));
	add(object, "offset_ns", json_object_new_int64(report->clock_offset_ns));
	add(object, "clock_changed", json_object_new_boolean(report->clock_change.time != 0));
	add(object, "histograms", histograms);
	add(object, "hooks", states);
	fputs(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE),
	      out);
	fputc('\n', out);
	json_object_put(object);
}
