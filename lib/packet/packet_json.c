// SPDX-License-Identifier: GPL-2.0
/* A line of JSON for each slow packet, as doc/report.schema.json describes it. */
#include "lib/packet/asleep_in.h"
#include "lib/packet/packet.h"

#include <string.h>

#include "lib/base/json_values.h"
#include "lib/tables/attributes.h"

/* Everywhere below, null is what is not known. */

static struct json_object *text_or_null(const char *text)
{
	return text && *text ? json_new_string(text) : NULL;
}

static struct json_object *number_or_null(uint64_t number, bool is_known)
{
	return is_known ? json_new_uint64(number) : NULL;
}

static struct json_object *label_or_null(const struct labels *labels, enum key key)
{
	for (unsigned int i = 0; i < labels->nr; i++)
		if (!strcmp(labels->labels[i].name, key_table[key].name))
			return json_new_string(labels->labels[i].value);
	return NULL;
}

static void add_flow(struct json_object *object, const struct flow *flow)
{
	json_add(object, "protocol", json_new_string(flow->protocol));
	json_add(object, "saddr", text_or_null(flow->saddr));
	json_add(object, "daddr", text_or_null(flow->daddr));
	json_add(object, "sport", number_or_null(flow->sport, flow->has_sport));
	json_add(object, "dport", number_or_null(flow->dport, flow->has_dport));
	json_add(object, "length", number_or_null(flow->length, flow->length));
}

static void add_place(struct json_object *object, const struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;
	bool is_read = packet->pid;
	struct labels labels;

	packet_labels(report, packet->netns ? 1U << KEY_NETNS : 0, &labels);
	json_add(object, "interface", label_or_null(&labels, KEY_INTERFACE));
	json_add(object, "netns", label_or_null(&labels, KEY_NETNS));
	json_add(object, "cgroup", label_or_null(&labels, KEY_CGROUP));
	json_add(object, "cpu", json_new_int64(packet->cpu));
	json_add(object, "queue_length",
		 packet->queue_length >= 0 ? json_new_int64(packet->queue_length) : NULL);
	json_add(object, "pid", number_or_null(packet->pid, is_read));
	json_add(object, "tid", number_or_null(packet->tid, is_read));
	json_add(object, "comm", label_or_null(&labels, KEY_COMM));
	json_add(object, "reason", label_or_null(&labels, KEY_REASON));
}

/* Adds where a traced packet was seen. */
static void add_device(struct json_object *object, const struct packet_report *report,
		       const struct packet_step *step)
{
	struct labels labels;

	packet_step_labels(report, step, step->seen->netns ? 1U << KEY_NETNS : 0, &labels);
	json_add(object, "interface", label_or_null(&labels, KEY_INTERFACE));
	json_add(object, "netns", label_or_null(&labels, KEY_NETNS));
	json_add(object, "cpu", json_new_int64(step->seen->cpu));
}

static struct json_object *new_journey(const struct packet_report *report)
{
	struct json_object *array = json_new_array();

	for (unsigned int i = 0; i < report->nr_steps; i++) {
		const struct packet_step *step = &report->steps[i];
		struct json_object *object = json_new_object();

		json_add(object, "hook", json_new_string(packet_step_name(step)));
		json_add(object, "ns", json_new_uint64(step->ns));
		if (step->seen)
			add_device(object, report, step);
		json_append(array, object);
	}
	return array;
}

static struct json_object *new_other(const struct slow_other *other)
{
	char name[COMM_SIZE + 1], text[PRINTABLE_SIZE(COMM_SIZE)];
	struct json_object *object;

	if (!other->tid)
		return NULL;
	object = json_new_object();
	snprintf(name, sizeof(name), "%.*s", COMM_SIZE,
		 other->tid == IS_SOFTIRQS ? "softirqs" : other->comm);
	json_add(object, "pid", json_new_int64(other->pid));
	json_add(object, "tid", json_new_int64(other->tid == IS_SOFTIRQS ? 0 : other->tid));
	json_add(object, "comm", json_new_string(printable_copy(text, name)));
	json_add(object, "ran_ns", json_new_uint64(other->ran_ns));
	return object;
}

static struct json_object *new_reader(const struct packet_report *report)
{
	static const char *const states[] = {
		[READER_ASLEEP] = "asleep",
		[READER_READY] = "ready",
		[READER_RUNNING] = "running",
	};
	struct json_object *object = json_new_object();
	const struct packet_reader *reader = &report->reader;
	char text[ASLEEP_IN_TEXT_SIZE];
	const char *syscall = asleep_in_syscall(reader->asleep_in, text);

	json_add(object, "state", json_new_string(states[reader->state]));
	json_add(object, "asleep_ns", json_new_uint64(reader->asleep_ns));
	json_add(object, "asleep_how",
		 reader->asleep_ns ? json_new_string(asleep_how_name(reader->asleep_in)) : NULL);
	json_add(object, "asleep_in",
		 syscall && reader->asleep_ns ? json_new_string(syscall) : NULL);
	json_add(object, "ready_ns", json_new_uint64(reader->ready_ns));
	json_add(object, "running_ns", json_new_uint64(reader->running_ns));
	json_add(object, "instead",
		 reader->state == READER_READY ? new_other(&report->packet->other) : NULL);
	return object;
}

void packet_print_json(FILE *out, const struct packet_report *report)
{
	struct json_object *object = json_new_object();
	const struct slow_packet *packet = report->packet;

	json_add(object, "schema", json_new_int64(JSON_SCHEMA));
	json_add(object, "version", json_new_string(VERSION));
	json_add(object, "time", json_time(packet->time_ns, 9));
	json_add(object, "kind", json_new_string("packet"));
	json_add(object, "hook", json_new_string(packet_place(packet)));
	json_add(object, "latency_ns", json_new_uint64(report->latency_ns));
	add_flow(object, &report->flow);
	add_place(object, report);
	if (report->nr_steps)
		json_add(object, "journey", new_journey(report));
	if (report->reader.state != READER_UNKNOWN)
		json_add(object, "reader", new_reader(report));
	json_print(out, object);
	fputc('\n', out);
}
