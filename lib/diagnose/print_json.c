// SPDX-License-Identifier: GPL-2.0
/* The verdict for programs, as doc/report.schema.json has it. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/diagnose/verdict.h"
#include "lib/base/json_values.h"
#include "lib/tables/units.h"

static struct json_object *new_text(const char *text)
{
	return text ? json_new_string(text) : NULL;
}

/* null if it is not known. */
static struct json_object *new_fact(const struct facts *facts, const char *name)
{
	const struct fact *fact = facts_find(facts, name);

	if (!fact || !*fact->value)
		return NULL;
	return fact->is_number ? json_new_uint64(strtoull(fact->value, NULL, 10))
			       : json_new_string(fact->value);
}

static struct json_object *new_facts(const struct facts *facts, const char *const *names, size_t nr)
{
	struct json_object *object = json_new_object();

	for (size_t i = 0; i < nr; i++)
		json_add(object, names[i], new_fact(facts, names[i]));
	return object;
}

/* The facts that a class names, as far as they are known. */
static void add_known(struct json_object *object, const struct facts *facts, const char *names)
{
	char name[LIST_ELEMENT_SIZE];

	while (names && *names && list_next(&names, name)) {
		struct json_object *fact = new_fact(facts, name);

		if (fact)
			json_object_object_add(object, name, fact);
	}
}

static struct json_object *new_culprit(const struct finding *finding)
{
	struct json_object *object = json_new_object();

	add_known(object, &finding->facts, classes[finding->class].culprit);
	return object;
}

static struct json_object *new_evidence(const struct finding *finding)
{
	struct json_object *object = json_new_object();

	json_add(object, "late", json_new_uint64(finding->lateness.late));
	if (!class_is_lost(finding->class))
		json_add(object, "late_ns", json_new_uint64(finding->lateness.late_ns));
	add_known(object, &finding->facts, classes[finding->class].evidence);
	return object;
}

static const char *part_of(enum class class)
{
	switch (class) {
	case CLASS_reader_asleep:
	case CLASS_reader_stopped:
	case CLASS_reader_memory:
		return "asleep";
	case CLASS_reader_no_cpu:
	case CLASS_reader_throttled:
		return "ready";
	case CLASS_reader_busy:
		return "running";
	default:
		return NULL;
	}
}

static struct json_object *new_service(const struct facts *facts)
{
	static const char *const names[] = { "netns", "protocol", "port", "pid", "comm", "cgroup" };

	return new_facts(facts, names, sizeof(names) / sizeof(*names));
}

/* Figures that were not measured are null. */
static struct json_object *new_part(const struct service *service, enum service_part part)
{
	return service->part_ns[part] ? json_new_uint64(service->part_ns[part]) : NULL;
}

static struct json_object *new_means(const struct verdict *verdict)
{
	struct json_object *array = json_new_array();

	for (size_t i = 0; i < verdict->services.nr; i++) {
		const struct service *service = &verdict->services.services[i];
		struct json_object *object = json_new_object();

		json_add(object, "service", new_service(&service->facts));
		json_add(object, "packets", json_new_uint64(service->packets));
		json_add(object, "answers", json_new_uint64(service->answers));
		json_add(object, "segments", json_new_uint64(service->segments));
		json_add(object, "unanswered", json_new_uint64(service->unanswered));
		json_add(object, "unanswered_ns", json_new_uint64(service->unanswered_ns));
		json_add(object, "behind_others", json_new_uint64(service->behind_others.late));
		json_add(object, "in_ns", new_part(service, SERVICE_IN));
		json_add(object, "application_ns", new_part(service, SERVICE_APPLICATION));
		json_add(object, "asleep_in", new_fact(&service->facts, "asleep_in"));
		json_add(object, "out_ns", new_part(service, SERVICE_OUT));
		json_add(object, "peers_ns", new_part(service, SERVICE_PEERS));
		json_add(object, "bulk_ns", new_part(service, SERVICE_BULK));
		json_append(array, object);
	}
	return array;
}

static struct json_object *new_upstreams(const struct upstreams *upstreams)
{
	static const char *const who[] = { "netns", "pid", "comm", "protocol" };
	struct json_object *array = json_new_array();

	for (size_t i = 0; i < upstreams->nr; i++) {
		const struct upstream *upstream = &upstreams->upstreams[i];
		const struct upstream_answers *answers = &upstream->count.answers;
		struct json_object *object = new_facts(&upstream->facts, who, 4);

		json_add(object, "address", new_text(upstream->address));
		json_add(object, "port", json_new_int64(upstream->count.key.port));
		json_add(object, "answers", json_new_uint64(answers->count));
		json_add(object, "unanswered",
			 json_new_uint64(upstream_unanswered(&upstream->count)));
		json_add(object, "answer_ns", json_new_uint64(upstream_mean_ns(upstream)));
		json_add(object, "longest_ns", json_new_uint64(answers->longest_ns));
		json_add(object, "rtt_ns",
			 answers->min_rtt_us ? json_new_uint64(answers->min_rtt_us * NS_PER_US)
					     : NULL);
		json_append(array, object);
	}
	return array;
}

/* null where that was not looked at. */
static struct json_object *new_seconds(const struct late_seconds_entry *seconds)
{
	struct json_object *object;

	if (!seconds->active)
		return NULL;
	object = json_new_object();
	json_add(object, "late", json_new_int64(seconds->late));
	json_add(object, "of", json_new_int64(seconds->active));
	return object;
}

/* null if they were not asked for. */
static struct json_object *new_stacks(const struct verdict *verdict, const struct finding *finding)
{
	const struct named_stack *stack = NULL;
	struct json_object *array = verdict->has_stacks ? json_new_array() : NULL;

	while ((stack = finding_stack_next(verdict, finding, stack))) {
		struct json_object *object = json_new_object(), *frames = json_new_array();

		for (int i = 0; i < NR_FRAMES && stack->frames[i]; i++)
			json_append(frames, json_new_string(stack->frames[i]));
		json_add(object, "count", json_new_uint64(stack->wait.count));
		json_add(object, "wait_ns", json_new_uint64(stack->wait.ns));
		json_add(object, "frames", frames);
		json_append(array, object);
	}
	return array;
}

static struct json_object *new_finding(const struct verdict *verdict, const struct finding *finding)
{
	static const char *const of_stage[] = { "from", "to" };
	const struct lateness *lateness = &finding->lateness;
	struct json_object *object = json_new_object(), *stage;
	bool is_lost = class_is_lost(finding->class);
	/* A card that lost its link may have received nothing. */
	bool has_share = finding->class != CLASS_drop && lateness->count;

	stage = new_facts(&finding->facts, of_stage, 2);
	json_add(stage, "part", new_text(part_of(finding->class)));
	json_add(object, "class", new_text(classes[finding->class].name));
	json_add(object, "service", new_service(&finding->facts));
	json_add(object, "stage", stage);
	json_add(object, "count", json_new_uint64(lateness->count));
	json_add(object, "share",
		 has_share ? json_new_rounded((double)lateness->late / lateness->count, 4) : NULL);
	json_add(object, "p50_ns", is_lost ? NULL : json_new_uint64(lateness->p50_ns));
	json_add(object, "p99_ns", is_lost ? NULL : json_new_uint64(lateness->p99_ns));
	json_add(object, "max_ns", is_lost ? NULL : json_new_uint64(lateness->max_ns));
	json_add(object, "seconds", new_seconds(&finding->seconds));
	json_add(object, "dropped", json_new_uint64(finding->dropped));
	json_add(object, "culprit", new_culprit(finding));
	json_add(object, "evidence", new_evidence(finding));
	json_add(object, "basis", new_text(finding_is_inferred(finding) ? "inferred" : "measured"));
	json_add(object, "stacks", new_stacks(verdict, finding));
	json_add(object, "cause", new_text(finding->cause));
	json_add(object, "next", new_text(finding->next));
	return object;
}

static struct json_object *new_held_back(const struct lateness *held_back)
{
	struct json_object *object = json_new_object();

	json_add(object, "count", json_new_uint64(held_back->count));
	json_add(object, "late", json_new_uint64(held_back->late));
	json_add(object, "p99_ns", json_new_uint64(held_back->p99_ns));
	return object;
}

static struct json_object *new_outcomes(unsigned int outcomes)
{
	static const char *const names[NR_OUTCOMES] = { "told", "effect", "chance", "waiting",
							"strays" };
	struct json_object *array = json_new_array();

	for (enum outcome outcome = 0; outcome < NR_OUTCOMES; outcome++)
		if (outcomes >> outcome & 1)
			json_append(array, new_text(names[outcome]));
	return array;
}

static struct json_object *new_looked_at(const struct verdict *verdict)
{
	struct json_object *array = json_new_array();

	for (enum class class = 0; class < NR_CLASSES; class ++) {
		struct json_object *object = json_new_object();

		json_add(object, "class", new_text(classes[class].name));
		json_add(object, "count", json_new_uint64(verdict->looked_at[class].count));
		json_add(object, "latest_ns", json_new_uint64(verdict->looked_at[class].latest_ns));
		json_add(object, "outcomes", new_outcomes(verdict->looked_at[class].outcomes));
		json_append(array, object);
	}
	return array;
}

static struct json_object *new_lacking(const struct verdict *verdict)
{
	struct json_object *array = json_new_array();

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (verdict->lacks[hook])
			json_append(array, new_text(hooks[hook].name));
	return array;
}

static struct json_object *new_unpaired(const struct verdict *verdict)
{
	struct json_object *object = json_new_object();

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (verdict->unpaired[hook].count)
			json_add(object, hooks[hook].name,
				 json_new_uint64(verdict->unpaired[hook].count));
	return object;
}

static struct json_object *new_unseen(const struct verdict *verdict)
{
	struct json_object *array = json_new_array();

	for (enum unseen unseen = 0; unseen < NR_UNSEEN; unseen++)
		if (verdict->unseen[unseen])
			json_append(array, new_text(unseen_names[unseen]));
	return array;
}

void verdict_print_json(FILE *out, const struct verdict *verdict)
{
	struct json_object *object = json_new_object(), *findings = json_new_array();
	const struct thresholds *late = &verdict->tallies.thresholds;

	for (size_t i = 0; i < verdict->nr; i++)
		json_append(findings, new_finding(verdict, &verdict->findings[i]));
	json_add(object, "schema", json_new_int64(JSON_SCHEMA));
	json_add(object, "version", new_text(VERSION));
	json_add(object, "time", json_time(verdict->time_ns, 3));
	json_add(object, "kind", new_text("diagnosis"));
	json_add(object, "interval_s", json_new_rounded(verdict->duration_ns / 1e9, 6));
	json_add(object, "late_ns", json_new_uint64(late->stack_ns));
	json_add(object, "late_task_ns", json_new_uint64(late->task_ns));
	json_add(object, "late_application_ns", json_new_uint64(late->application_ns));
	json_add(object, "packets", json_new_uint64(verdict->packets));
	json_add(object, "services", json_new_int64(verdict->nr_services));
	json_add(object, "clients", json_new_int64(verdict->nr_clients));
	json_add(object, "no_room", json_new_uint64(verdict->no_room));
	json_add(object, "findings", findings);
	json_add(object, "is_one_second", json_new_boolean(verdict->is_one_second));
	json_add(object, "steal_ns", json_new_uint64(verdict->steal_ns));
	json_add(object, "oom_kills", json_new_uint64(verdict->oom_kills));
	json_add(object, "clock_changed", json_new_boolean(verdict->nr_clock_changes != 0));
	json_add(object, "means", new_means(verdict));
	json_add(object, "upstreams", new_upstreams(&verdict->upstreams));
	json_add(object, "upstreams_no_room", json_new_uint64(verdict->upstreams.others));
	json_add(object, "held_back", new_held_back(&verdict->tallies.held_back));
	json_add(object, "looked_at", new_looked_at(verdict));
	json_add(object, "not_looked_at", new_lacking(verdict));
	json_add(object, "unpaired", new_unpaired(verdict));
	json_add(object, "not_seen", new_unseen(verdict));
	for (enum blind_spot spot = 0; spot < NR_BLIND_SPOTS; spot++)
		json_add(object, blind_spots[spot].member,
			 json_new_uint64(verdict->blind[spot].nr));
	json_add(object, "mptcp_connections", json_new_uint64(verdict->nr_mptcp));
	json_add(object, "sctp_packets", json_new_uint64(verdict->nr_sctp));
	json_print(out, object);
	fputc('\n', out);
}
