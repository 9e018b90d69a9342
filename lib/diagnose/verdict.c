// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counts/stages.h"
#include "lib/report/stage_names.h"

/* All labels but what the finding has from elsewhere. */
static const char *const label_facts[] = { "netns", "interface", "cgroup", "port",	"pid",
					   "comm",  "cpu",	 "limit",  "retransmit" };
#define NR_LABEL_FACTS (sizeof(label_facts) / sizeof(*label_facts))

static void add_labels(struct facts *facts, const struct report *report,
		       const struct report_group *group)
{
	struct labels labels;

	report_group_labels(report, group, &labels);
	for (unsigned int i = 0; i < labels.nr; i++)
		for (size_t j = 0; j < NR_LABEL_FACTS; j++)
			if (!strcmp(labels.labels[i].name, label_facts[j]))
				facts_set_as(facts, label_facts[j], labels.labels[i].value,
					     labels.labels[i].is_number);
}

void finding_learn(struct finding *finding, const struct report *report,
		   const struct report_group *group)
{
	const struct group_key *key = &group->group->key;

	finding->pid = key->pid ? key->pid : finding->pid;
	finding->cgroup = key->cgroup ? key->cgroup : finding->cgroup;
	finding->limit = key->limit ? key->limit : finding->limit;
	finding->retransmit = key->retransmit ? key->retransmit : finding->retransmit;
	add_labels(&finding->facts, report, group);
}

/* The hooks, or the names of what a reader does. */
static void add_stage_names(struct facts *facts, const struct report *report,
			    const struct report_group *group)
{
	struct stage_names names;

	if (group->group->from == FROM_STAMP && group->group->hook != HOOK_netif_receive) {
		facts_set(facts, "to", hooks[group->group->hook].name);
		return;
	}
	names = stage_names_of(report, group->group->from, group->group->hook);
	facts_set(facts, "from", names.from);
	facts_set(facts, "to", names.to);
}

struct finding *verdict_add_finding(struct verdict *verdict, enum class class,
				    const struct place *place)
{
	struct finding *findings =
		reallocarray(verdict->findings, verdict->nr + 1, sizeof(*findings));

	if (!findings)
		return NULL;
	verdict->findings = findings;
	findings += verdict->nr++;
	*findings = (struct finding){ .class = class, .measured_as = class, .place = *place };
	return findings;
}

/* The class of what a CPU does for one packet after the other, or -1. */
static int class_of_work(const struct report_group *stage)
{
	const struct class_stage *found =
		stage->group->from == FROM_STAMP ? NULL : class_stage_of(stage->group);

	return found && classes[found->class].family == FAMILY_WORK ? (int)found->class : -1;
}

/* The work whose packets took most time of a CPU: NULL if none took any. */
static const struct report_group *busiest_on(const struct verdict *verdict,
					     const struct report *report, uint16_t cpu,
					     struct work *work)
{
	unsigned int nr_buckets = histogram_nr_buckets(&report->hooks[0].latency);
	const struct report_group *busiest = NULL;

	for (size_t i = 0; i < report->nr_stages; i++) {
		const struct report_group *stage = &report->stages[i];
		uint64_t ns = buckets_sum_ns(stage->buckets, nr_buckets);
		int class = class_of_work(stage);

		if (stage->group->key.cpu != cpu || class < 0 || ns <= work->ns)
			continue;
		busiest = stage;
		work->class = class;
		work->place = place_of(verdict->tallies.ports, class, stage->group);
		work->ns = ns;
	}
	return busiest;
}

/*
 * Names the packets for which a CPU is late, or others wait in its backlog, if they take at least
 * half of that time: more than one stage may take it. A packet in a backlog waits for as long as
 * the packets before it take. But a CPU that is late to receive may be late for a task, while
 * packets otherwise take little of its time.
 */
static void describe_work(const struct verdict *verdict, struct finding *finding,
			  const struct report *report)
{
	uint64_t wait_ns =
		finding->class == CLASS_softirq ? report->duration_ns : finding->lateness.p99_ns;
	const struct report_group *busiest =
		busiest_on(verdict, report, finding->place.cpu, &finding->work);

	finding->work.takes_cpu = busiest && 2 * finding->work.ns >= wait_ns;
	if (finding->work.takes_cpu)
		add_labels(&finding->facts, report, busiest);
}

/* The name of the task that held the lock, if it is known, and not the reader's. */
static void describe_holder(struct facts *facts, const struct report_group *held)
{
	facts_set(facts, "holder", held->group->key.pid ? facts_text(facts, "comm") : "A task");
}

void place_describe(const struct place *place, struct facts *facts)
{
	const char *protocol = place_protocol_name(place);

	if (protocol)
		facts_set(facts, "protocol", protocol);
	if (place->port)
		facts_set_number(facts, "port", place->port);
}

void process_describe(const struct process *process, const struct report *report,
		      struct facts *facts)
{
	const struct group group = {
		.hook = HOOK_tcp_send,
		.from = FROM_STAMP,
		.key = { .netns = process->netns },
	};
	char comm[COMM_SIZE + 1];

	add_labels(facts, report, &(struct report_group){ .group = &group });
	if (process->pid)
		facts_set_number(facts, "pid", process->pid);
	snprintf(comm, sizeof(comm), "%.*s", COMM_SIZE, process->comm);
	facts_set_printable(facts, "comm", comm);
}

static void describe_service(const struct verdict *verdict, struct service *service,
			     const struct report *report)
{
	const struct tally *reader = tallies_reader(&verdict->tallies, &service->place);

	if (reader) {
		service->pid = reader->main->group->key.pid;
		add_labels(&service->facts, report, reader->main);
	}
	place_describe(&service->place, &service->facts);
}

static void learn_reader(const struct verdict *verdict, struct finding *finding,
			 const struct report *report)
{
	const struct tally *reader = tallies_reader(&verdict->tallies, &finding->place);

	if (reader)
		finding_learn(finding, report, reader->main);
	place_describe(&finding->place, &finding->facts);
}

static int find_services(struct verdict *verdict, const struct report *report)
{
	struct services *services = &verdict->services;
	int err = services_make(services, report, verdict->tallies.ports,
				verdict->tallies.thresholds.application_ns);

	for (size_t i = 0; i < services->nr; i++)
		describe_service(verdict, &services->services[i], report);
	return err;
}

struct finding *verdict_add_late(struct verdict *verdict, const struct tally *tally,
				 const struct report *report)
{
	struct finding *finding = verdict_add_finding(verdict, tally->class, &tally->place);

	if (!finding)
		return NULL;
	finding->lateness = tally->lateness;
	finding->cpu = tally->main->group->key.cpu;
	memcpy(finding->part_ns, tally->part_ns, sizeof(finding->part_ns));
	finding->came_again = tally->came_again;
	finding->nr_sharing = tally->main->group->nr_sharing;
	if (tally->stage)
		facts_set(&finding->facts, "between", tally->stage->between);
	add_stage_names(&finding->facts, report, tally->main);
	if (classes[tally->class].scope == SCOPE_SERVICE)
		learn_reader(verdict, finding, report);
	finding_learn(finding, report, tally->main);
	if (tally->class == CLASS_socket_lock)
		describe_holder(&finding->facts, tally->main);
	if (tally->class == CLASS_backlog || tally->class == CLASS_softirq)
		describe_work(verdict, finding, report);
	if (tally->class == CLASS_receive_path)
		finding->nr_path_parts =
			receive_path_find(report, &finding->place, finding->path_parts);
	return finding;
}

bool lateness_is_harm(const struct lateness *lateness)
{
	return lateness->very_late >= MIN_LATE ||
	       (lateness->late >= MIN_LATE &&
		lateness->late * 100 >= lateness->count * MIN_LATE_PERCENT);
}

bool finding_is_inferred(const struct finding *finding)
{
	return finding->is_likely || classes[finding->class].basis == INFERRED;
}

/* The tasks whose stacks show why; NR_STACK_OF if none do. */
static enum stack_of stacks_that_show(enum class class)
{
	switch (class) {
	case CLASS_reader_asleep:
	case CLASS_reader_stopped:
	case CLASS_reader_memory:
		return STACK_OF_READER;
	case CLASS_application:
		return STACK_OF_ANSWER;
	case CLASS_socket_lock:
		return STACK_OF_HOLDER;
	default:
		return NR_STACK_OF;
	}
}

const struct named_stack *finding_stack_next(const struct verdict *verdict,
					     const struct finding *finding,
					     const struct named_stack *previous)
{
	return named_stacks_next(&verdict->stacks, stacks_that_show(finding->class), finding->pid,
				 finding->place.port, previous);
}

/* A round trip is what it is. */
static bool is_finding(const struct tally *tally)
{
	return tally->main && tally->class != CLASS_network && lateness_is_harm(&tally->lateness);
}

static int find_late(struct verdict *verdict, const struct report *report)
{
	int err = 0;

	for (size_t i = 0; i < verdict->tallies.nr && !err; i++) {
		const struct tally *tally = &verdict->tallies.tallies[i];
		struct looked_at *looked_at = &verdict->looked_at[tally->class];

		looked_at->count += tally->lateness.count;
		if (tally->class == CLASS_reader_asleep && tally->main && !tally->place.ifindex)
			*(tally->place.port ? &verdict->nr_services : &verdict->nr_clients) += 1;
		if (is_finding(tally)) {
			err = verdict_add_late(verdict, tally, report) ? 0 : -ENOMEM;
			continue;
		}
		if (tally->lateness.latest_ns > looked_at->latest_ns)
			looked_at->latest_ns = tally->lateness.latest_ns;
		if (tally->lateness.late && tally->class != CLASS_network)
			looked_at->outcomes |= 1U << OUTCOME_STRAYS;
	}
	return err;
}

const char *const unseen_names[NR_UNSEEN] = {
	[UNSEEN_PROCESSES] = "processes",
	[UNSEEN_NETNS] = "network namespaces",
	[UNSEEN_NETLINK] = "qdiscs, rules and cards",
};

const struct blind_spot_words blind_spots[NR_BLIND_SPOTS] = {
	[BLIND_XDP] = { "xdp_interfaces",
			"what XDP drops, or takes elsewhere, before the kernel's stack sees it" },
	[BLIND_TUN] = { "tun_interfaces",
			"how long packets wait for the process, such as a VPN's or a virtual "
			"machine's, that reads them" },
	[BLIND_WIREGUARD] = { "wireguard_interfaces",
			      "how long packets wait for WireGuard, which encrypts and decrypts "
			      "them" },
	[BLIND_WIFI] = { "wifi_interfaces", "how long packets wait in queues of Wi-Fi" },
	[BLIND_OVS] = { "ovs_interfaces",
			"how long the first packets of a flow wait for Open vSwitch's daemon" },
};

/* A packet whose parts are known is counted in each of them. */
static uint64_t count_paired(const struct report *report, enum hook hook)
{
	uint64_t count = 0;

	for (size_t i = 0; i < report->nr_stages; i++) {
		const struct report_group *stage = &report->stages[i];
		int from = class_from_hook(stage->group);

		if (stage->group->hook == hook && from != PART_ASLEEP && from != PART_READY)
			count += stage->count;
	}
	return count;
}

static struct unpaired find_unpaired(const struct report *report, enum hook hook)
{
	struct unpaired unpaired = { .count = report->hooks[hook].unpaired };

	if (!report_shows_stages_to(report, hook))
		return (struct unpaired){ 0 };
	unpaired.of = unpaired.count + count_paired(report, hook);
	return unpaired.count >= MIN_LATE &&
			       100 * unpaired.count >= MIN_UNPAIRED_PERCENT * unpaired.of
		       ? unpaired
		       : (struct unpaired){ 0 };
}

struct verdict *verdict_new(const struct report *report, const struct thresholds *late,
			    const struct service_ports *ports)
{
	struct verdict *verdict = calloc(1, sizeof(*verdict));
	int err;

	if (!verdict)
		return NULL;
	verdict->duration_ns = report->duration_ns;
	verdict->time_ns = report->time_ns;
	verdict->nr_clock_changes = report->nr_clock_changes;
	verdict->packets = hook_counts_packets(report->hooks);
	verdict->rows = report->rows;
	verdict->preempts_softirqs = strstr(report->setup->host.version, "PREEMPT_RT");
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		verdict->no_room += report->hooks[hook].discarded[DISCARD_NO_ROOM];
		verdict->lacks[hook] = report->setup->plan.hooks[hook] &&
				       !hook_is_attached(hook, &report->setup->left_out);
		verdict->unpaired[hook] = find_unpaired(report, hook);
	}
	report_look_up_names(report);
	err = tallies_make(&verdict->tallies, report, late, ports);
	if (!err)
		err = find_services(verdict, report);
	if (!err)
		err = find_late(verdict, report);
	if (!err)
		return verdict;
	verdict_free(verdict);
	errno = -err;
	return NULL;
}

void finding_free(struct finding *finding)
{
	facts_free(&finding->facts);
	dropped_ports_free(&finding->dropped_ports);
	free(finding->where);
	free(finding->cause);
	free(finding->next);
}

void verdict_free(struct verdict *verdict)
{
	if (!verdict)
		return;
	for (size_t i = 0; i < verdict->nr; i++)
		finding_free(&verdict->findings[i]);
	free(verdict->findings);
	services_free(&verdict->services);
	upstreams_free(&verdict->upstreams);
	tallies_free(&verdict->tallies);
	named_stacks_free(&verdict->stacks);
	free(verdict);
}
