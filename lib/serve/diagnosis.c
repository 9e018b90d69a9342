// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/diagnosis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/diagnose/netlink_owners.h"
#include "lib/diagnose/verdict.h"
#include "lib/diagnose/watch.h"
#include "lib/host/card.h"
#include "lib/host/cgroup.h"
#include "lib/host/cpu_limit.h"
#include "lib/host/netns.h"
#include "lib/host/netns_facts.h"
#include "lib/host/port_range.h"
#include "lib/host/steal.h"
#include "lib/host/task.h"
#include "lib/kernel/socket_queue_reader.h"
#include "lib/report/asleep_in.h"
#include "lib/report/lists.h"
#include "lib/report/printer.h"
#include "lib/report/recording.h"
#include "lib/serve/output.h"
#include "lib/serve/stack_names.h"
#include "lib/tables/units.h"

/* Quantiles within a quarter of an octave. */
#define RESOLUTION 2

/*
 * The thresholds, unless users say otherwise. With more tasks than CPUs, a healthy one waits for
 * some slices of the scheduler, 3 ms each, before it reads.
 */
#define LATE_NS NS_PER_MS
#define LATE_TASK_NS (10 * NS_PER_MS)
#define LATE_APPLICATION_NS (100 * NS_PER_MS)

struct diagnosis {
	struct diagnosis_config config;
	struct meter *meter;
	struct verdict_page *page;	    /* or NULL */
	struct intervals intervals, second; /* the watch, and the second of it that passes now */
	struct late_seconds late_seconds;
	struct netns own_netns;
	struct socket_queue_reader *queues;
	struct queued_groups queued;
	struct service_ports ports; /* seen when a watch began or ended */
	struct netlink_owners netlink_owners;
	/* When the watch began. */
	struct tasks *tasks;
	struct cpu_limits *cpu_limits;
	uint64_t steal_ns; /* since boot */
	struct card *cards;
	size_t nr_cards;
	bool has_findings;
};

/* Begins without any, but the kernel tells where clients have theirs. */
static void init_ports(struct service_ports *ports)
{
	service_ports_init(ports);
	local_port_range(&ports->first_of_clients, &ports->last_of_clients);
}

void diagnosis_select(struct plan *plan, const struct thresholds *late)
{
	struct service_ports ports;

	init_ports(&ports);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		const struct watch *watch = &watches[hook];

		plan->hooks[hook] =
			watch->is_followed || memchr(watch->counts, true, sizeof(watch->counts));
		for (enum since since = 0; since < NR_SINCE; since++)
			plan->since_left_out[hook][since] = !watch->counts[since];
		plan->group_by |= watch->keys | 1U << KEY_CPU;
		plan->keys_left_out[hook] = ~watch->keys;
	}
	plan->stages = plan->wakeups = plan->reader_waits = true;
	plan->least_parts_ns = late->task_ns;
	plan->first_folded_port = ports.first_of_clients;
	plan->resolution = RESOLUTION;
}

void diagnosis_complete(struct thresholds *late)
{
	if (!late->stack_ns)
		late->stack_ns = LATE_NS;
	if (!late->application_ns)
		late->application_ns = LATE_APPLICATION_NS;
	late->task_ns = late->stack_ns > LATE_TASK_NS ? late->stack_ns : LATE_TASK_NS;
	if (late->application_ns < late->task_ns)
		late->application_ns = late->task_ns;
}

/* The kernel's sum may go back, as a CPU goes offline. */
static uint64_t steal_since(uint64_t before_ns)
{
	uint64_t ns = steal_ns();

	return ns > before_ns ? ns - before_ns : 0;
}

static int look_at_host(struct diagnosis *diagnosis)
{
	netns_facts_begin();
	diagnosis->steal_ns = steal_ns();
	free(diagnosis->cards);
	cards_read(CARD_FOLDER, &diagnosis->cards, &diagnosis->nr_cards);
	reader_waits_clear(&diagnosis->config.reader_waits);
	tasks_free(diagnosis->tasks);
	cpu_limits_free(diagnosis->cpu_limits);
	diagnosis->tasks = tasks_new();
	diagnosis->cpu_limits = cpu_limits_new();
	return diagnosis->tasks && diagnosis->cpu_limits ? 0 : -ENOMEM;
}

static int note_socket(struct diagnosis *diagnosis, const struct queued *queued)
{
	const struct service_port port = {
		.netns = queued->key.netns,
		.port = queued->key.port,
		.protocol = queued->protocol,
	};
	struct netlink_owner owner = {
		.netns = queued->key.netns,
		.portid = queued->age_ns,
		.pid = queued->key.pid,
	};

	if (queued->protocol != QUEUED_NETFILTER)
		return service_ports_add(&diagnosis->ports, &port);
	snprintf(owner.comm, sizeof(owner.comm), "%.*s", COMM_SIZE, queued->comm);
	return netlink_owners_add(&diagnosis->netlink_owners, &owner);
}

/* All sockets: what waits in them, to be freed; whose ports are services', and who is whom to
 * netfilter. */
static int look_at_sockets(struct diagnosis *diagnosis, uint64_t watch_ns, struct queued **list,
			   size_t *nr)
{
	int err = socket_queue_reader_read(diagnosis->queues, diagnosis->config.late.task_ns,
					   watch_ns, list, nr);

	for (size_t i = 0; i < *nr && !err; i++)
		if ((*list)[i].hook == NR_HOOKS)
			err = note_socket(diagnosis, &(*list)[i]);
	return err;
}

/* A process that has a port before the first watch, and gives it up during that, is a service. */
static int open_sockets(struct diagnosis *diagnosis)
{
	struct queued *list = NULL;
	size_t nr = 0;
	int err;

	init_ports(&diagnosis->ports);
	diagnosis->queues = socket_queue_reader_new(diagnosis->config.btf_path);
	if (!diagnosis->queues)
		return -errno;
	err = look_at_sockets(diagnosis, 0, &list, &nr);
	free(list);
	return err;
}

struct diagnosis *diagnosis_new(const struct diagnosis_config *config, struct meter *meter)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));
	int err;

	if (!diagnosis)
		return NULL;
	diagnosis->config = *config;
	diagnosis->meter = meter;
	netns_find("self", &diagnosis->own_netns);
	err = meter_begin(meter, &diagnosis->intervals);
	if (!err)
		err = meter_begin(meter, &diagnosis->second);
	if (!err)
		err = look_at_host(diagnosis);
	if (!err)
		err = open_sockets(diagnosis);
	if (!err)
		return diagnosis;
	diagnosis_free(diagnosis);
	errno = -err;
	return NULL;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
	if (!diagnosis)
		return;
	intervals_free(&diagnosis->intervals);
	intervals_free(&diagnosis->second);
	late_seconds_clear(&diagnosis->late_seconds);
	socket_queue_reader_free(diagnosis->queues);
	if (diagnosis->config.symbols)
		fclose(diagnosis->config.symbols);
	queued_groups_free(&diagnosis->queued);
	service_ports_free(&diagnosis->ports);
	netlink_owners_free(&diagnosis->netlink_owners);
	tasks_free(diagnosis->tasks);
	free(diagnosis->cards);
	cpu_limits_free(diagnosis->cpu_limits);
	free(diagnosis);
}

bool diagnosis_found(const struct diagnosis *diagnosis)
{
	return diagnosis->has_findings;
}

static void describe_sleep(struct host_facts *host, uint32_t asleep_in)
{
	char syscall[ASLEEP_IN_TEXT_SIZE];

	host->waited_for_io = ASLEEP_IN_HOW(asleep_in) == ASLEEP_FOR_IO;
	if (asleep_in_syscall(asleep_in, syscall))
		snprintf(host->asleep_in, sizeof(host->asleep_in), "%s", syscall);
}

/* The programs' record of a task that reads late. */
static void ask_reader(struct diagnosis *diagnosis, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	struct reader_wait wait;

	if (finding->class != CLASS_reader_asleep || !finding->pid ||
	    !reader_waits_find(&diagnosis->config.reader_waits, finding->pid, &wait))
		return;
	host->was_stopped = asleep_is_stopped(wait.asleep_in);
	/* A reader that reads no more has told nothing of the sleep that goes on. */
	host->waited_for_memory = ASLEEP_IN_HOW(wait.asleep_in) == ASLEEP_OVER_MEMORY_HIGH ||
				  (wait.nr_over_memory_high && host->state == 'D');
	host->was_frozen = ASLEEP_IN_HOW(wait.asleep_in) == ASLEEP_FROZEN;
	if (wait.asleep_ns)
		describe_sleep(host, wait.asleep_in);
	if (!wait.ready_ns)
		return;
	host->nobody_ran = !wait.other.tid;
	if (host->nobody_ran)
		return;
	host->other_pid = wait.other.pid;
	snprintf(host->other_comm, sizeof(host->other_comm), "%.*s", COMM_SIZE, wait.other.comm);
	host->other_ran_ns = wait.other.ran_ns;
}

/*
 * Finds in what a task slept that took longest for an answer at a port, if that is half of the time
 * or more.
 */
static bool find_sleep(const struct diagnosis *diagnosis, uint32_t pid, uint16_t port,
		       struct answer_wait *wait)
{
	return pid && reader_waits_find_answer(&diagnosis->config.reader_waits, pid, port, wait) &&
	       2 * wait->asleep_ns >= wait->answer_ns;
}

static void ask_application(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct answer_wait wait;

	if (finding->class != CLASS_application ||
	    !find_sleep(diagnosis, finding->pid, finding->place.port, &wait))
		return;
	describe_sleep(&finding->host, wait.asleep_in);
	finding->host.waited_for_sockets = asleep_is_for_sockets(wait.asleep_in);
}

static void ask_service(const struct diagnosis *diagnosis, struct service *service)
{
	char syscall[ASLEEP_IN_TEXT_SIZE];
	struct answer_wait wait;

	if (find_sleep(diagnosis, service->pid, service->place.port, &wait) &&
	    asleep_in_syscall(wait.asleep_in, syscall))
		facts_set(&service->facts, "asleep_in", syscall);
}

static void describe_limit(struct host_facts *host, const struct cpu_limit *limit)
{
	host->throttled = limit->path;
	host->throttled_id = limit->id;
	host->cgroup_root = cgroup_mount_point();
	host->throttled_ns = limit->throttled_ns;
	snprintf(host->cpu_max, sizeof(host->cpu_max), "%s", limit->max);
}

/* The process's or, where /proc hides that, its socket's. */
static void ask_cgroup(struct diagnosis *diagnosis, struct finding *finding)
{
	const struct cpu_limit *limit;
	char path[PATH_MAX];

	if (!task_cgroup(finding->pid, path) &&
	    (!finding->cgroup || !cgroup_path(finding->cgroup, path)))
		return;
	finding->host.is_frozen = cgroup_is_frozen(path);
	limit = cpu_limits_since(diagnosis->cpu_limits, path);
	if (limit)
		describe_limit(&finding->host, limit);
}

/* Facts of the host about the process of a finding. Paths are those of the limits. */
static void ask_task(struct diagnosis *diagnosis, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	struct task_times times;

	if (!finding->pid)
		return;
	times = tasks_since(diagnosis->tasks, finding->pid);
	host->running_ns = times.running_ns;
	host->ready_ns = times.ready_ns;
	host->state = task_state(finding->pid);
	ask_cgroup(diagnosis, finding);
}

static bool is_of_netns(const struct finding *finding)
{
	switch (classes[finding->class].scope) {
	case SCOPE_INTERFACE:
	case SCOPE_NETNS:
	case SCOPE_REASON:
		return true;
	default:
		return false;
	}
}

/* Names the process that decides on what netfilter queues, or on most of that. */
static void ask_decider(const struct diagnosis *diagnosis, const struct netns_facts *facts,
			struct finding *finding)
{
	const struct netlink_owner *owner = netlink_owners_find(
		&diagnosis->netlink_owners, finding->place.netns, facts->nfqueues.portid);

	finding->host.queued_packets = facts->queued_packets;
	finding->host.nfqueue = facts->nfqueues.number;
	if (!owner)
		return;
	finding->host.decider_pid = owner->pid;
	memcpy(finding->host.decider_comm, owner->comm, sizeof(owner->comm));
}

/* Fills in what is known of its network namespace. */
static void ask_netns(const struct diagnosis *diagnosis, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	struct netns_facts facts;

	if (!is_of_netns(finding))
		return;
	netns_facts_find(finding->place.netns, finding->place.ifindex, &facts);
	if (facts.has_qdisc)
		snprintf(host->qdisc_kind, sizeof(host->qdisc_kind), "%s", facts.qdisc);
	snprintf(host->netns_path, sizeof(host->netns_path), "%s", facts.path);
	host->has_legacy_rules = facts.has_legacy_rules;
	host->has_conntrack = facts.has_conntrack;
	host->conntrack_dropped = facts.conntrack_dropped;
	host->conntrack_max = facts.conntrack_max;
	ask_decider(diagnosis, &facts, finding);
	if (!facts.has_rules)
		return;
	host->nr_rules = facts.rules.nr;
	host->rules_by = facts.rules.by_iptables ? "iptables-nft" : "nft";
}

static void ask_seconds(const struct diagnosis *diagnosis, struct finding *finding)
{
	const struct late_seconds_entry *seconds =
		late_seconds_find(&diagnosis->late_seconds, finding->class, &finding->place);

	if (seconds)
		finding->seconds = *seconds;
}

static void ask_host(struct diagnosis *diagnosis, struct finding *finding)
{
	ask_seconds(diagnosis, finding);
	ask_application(diagnosis, finding);
	ask_task(diagnosis, finding);
	ask_reader(diagnosis, finding);
	ask_netns(diagnosis, finding);
}

void diagnosis_serve_at(struct diagnosis *diagnosis, struct verdict_page *page)
{
	diagnosis->page = page;
}

/* The caller frees it; NULL after saying so. */
static char *text_of(const struct verdict *verdict)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		verdict_print_text(out, verdict);
		fclose(out);
	}
	if (!text)
		log_failure(-ENOMEM, "cannot print a verdict");
	return text;
}

static int draw(const struct diagnosis *diagnosis, const struct verdict *verdict)
{
	char *text = text_of(verdict);

	if (!text)
		return -ENOMEM;
	live_verdict(diagnosis->config.live, text);
	free(text);
	return 0;
}

/* All that was recorded, with the verdict on top. */
static int print_page(const struct diagnosis *diagnosis, const struct report *report,
		      const struct verdict *verdict)
{
	struct report total = *report;
	char *text = text_of(verdict);

	if (!text)
		return -ENOMEM;
	total.kind = REPORT_TOTAL;
	total.recording = diagnosis->config.recording;
	total.verdict = text;
	printer_print(&printer_html, stdout, &total);
	free(text);
	return output_flush();
}

static int print(const struct diagnosis *diagnosis, const struct report *report,
		 const struct verdict *verdict)
{
	int err = diagnosis->page ? verdict_page_show(diagnosis->page, verdict) : 0;

	if (err || diagnosis->config.printer->is_silent)
		return err;
	if (live_is_open(diagnosis->config.live))
		return draw(diagnosis, verdict);
	if (diagnosis->config.printer->records)
		return print_page(diagnosis, report, verdict);
	if (diagnosis->config.printer == &printer_json)
		verdict_print_json(stdout, verdict);
	else if (diagnosis->config.printer->shows_stacks)
		named_stacks_print_collapsed(stdout, &verdict->stacks);
	else
		verdict_print_text(stdout, verdict);
	return output_flush();
}

/* If /proc hides others' processes, it hides the first one. */
static void note_unseen(const struct diagnosis *diagnosis, struct verdict *verdict)
{
	struct netns_facts own;

	netns_facts_find(diagnosis->own_netns.id, 0, &own);
	verdict->unseen[UNSEEN_PROCESSES] = !task_state(1);
	verdict->unseen[UNSEEN_NETNS] = !*own.path;
	verdict->unseen[UNSEEN_NETLINK] = !own.has_netlink;
}

/* Cards that are there now count, if they were there when the watch began. */
static int ask_cards(const struct diagnosis *diagnosis, struct verdict *verdict)
{
	struct card *cards;
	size_t nr;
	int err = 0;

	cards_read(CARD_FOLDER, &cards, &nr);
	for (size_t i = 0; i < nr && !err; i++) {
		struct card card = card_since(&cards[i], diagnosis->cards, diagnosis->nr_cards);

		err = verdict_add_card(verdict, card.name, card.ifindex, card.received,
				       card.missed);
	}
	free(cards);
	return err;
}

/*
 * Returns whether all of a namespace is measured; of what other filters leave, these facts do not
 * tell.
 */
static bool is_measured(const struct filters *filters, uint64_t netns)
{
	const struct filter_keys *only = &filters->keys[FILTER_NETNS];
	const uint64_t *ids = only->keys;
	size_t i = 0;

	if (filters->active != 1U << FILTER_NETNS)
		return !filters->active;
	while (i < only->nr && ids[i] != netns)
		i++;
	return i < only->nr;
}

static int ask_syn_drops(const struct diagnosis *diagnosis, struct verdict *verdict)
{
	const struct filters *filters = &meter_setup(diagnosis->meter)->plan.filters;
	struct syn_drops drops;
	int err = 0;

	netns_facts_find_syn_drops(&drops);
	verdict->looked_at[CLASS_syn_queue].count = drops.nr_looked_at;
	for (uint32_t i = 0; i < drops.nr && !err; i++) {
		const struct netns_syn_drops *netns = &drops.list[i];
		char inode[32];

		if (!is_measured(filters, netns->netns))
			continue;
		snprintf(inode, sizeof(inode), "inode/%" PRIu64, netns->inode);
		err = verdict_add_syn_drops(verdict, netns->netns,
					    *netns->name ? netns->name : inode, netns->dropped);
	}
	return err;
}

static int ask_stacks(struct diagnosis *diagnosis, struct verdict *verdict)
{
	const struct diagnosis_config *config = &diagnosis->config;

	verdict->has_stacks = config->symbols;
	return config->symbols
		       ? stack_names_find(config->symbols, &config->stacks, &verdict->stacks)
		       : 0;
}

static int judge(struct diagnosis *diagnosis, const struct report *report)
{
	struct verdict *verdict = verdict_new(report, &diagnosis->config.late, &diagnosis->ports);
	int err;

	if (!verdict)
		return log_failure(-errno, "cannot judge what was measured");
	verdict->own_netns = diagnosis->own_netns.inode;
	verdict->steal_ns = steal_since(diagnosis->steal_ns);
	note_unseen(diagnosis, verdict);
	err = ask_cards(diagnosis, verdict);
	if (!err)
		err = ask_syn_drops(diagnosis, verdict);
	if (!err)
		err = ask_stacks(diagnosis, verdict);
	if (err) {
		verdict_free(verdict);
		return log_failure(err, "cannot judge what this host tells");
	}
	for (size_t i = 0; i < verdict->nr; i++)
		ask_host(diagnosis, &verdict->findings[i]);
	for (size_t i = 0; i < verdict->services.nr; i++)
		ask_service(diagnosis, &verdict->services.services[i]);
	verdict_explain(verdict);
	diagnosis->has_findings |= verdict->nr > 0;
	err = print(diagnosis, report, verdict);
	verdict_free(verdict);
	return err;
}

/* Packets that are still in the queues when a watch ends have waited, too. */
static int add_queued(struct diagnosis *diagnosis, struct report *report)
{
	struct report_group *groups;
	struct queued *list;
	size_t nr;
	int err = look_at_sockets(diagnosis, report->duration_ns, &list, &nr);

	queued_groups_free(&diagnosis->queued);
	if (!err)
		err = queued_groups_make(&diagnosis->queued, list, nr, RESOLUTION);
	free(list);
	if (err)
		return log_failure(err, "cannot read what is still queued");
	err = report_list_queued(&diagnosis->queued, &groups, &report->nr_queued);
	report->queued = groups;
	return err;
}

static int count_second(struct diagnosis *diagnosis, const struct report *report)
{
	struct tallies tallies;
	int err = tallies_make(&tallies, report, &diagnosis->config.late, &diagnosis->ports);

	if (!err)
		err = late_seconds_add(&diagnosis->late_seconds, &tallies);
	tallies_free(&tallies);
	return err ? log_failure(err, "cannot judge a second of the watch") : 0;
}

/* Ends an interval. The report of it is to be freed if this returns 0. */
static int end_interval(struct diagnosis *diagnosis, struct intervals *intervals,
			struct report *report)
{
	int err = meter_advance(diagnosis->meter, intervals, 0);

	if (err)
		return err;
	*report = (struct report){
		.kind = REPORT_INTERVAL,
		.duration_ns = intervals->duration_ns,
	};
	err = meter_report(diagnosis->meter, &group_orders[0], &intervals->interval, report);
	if (err)
		meter_free_report(report);
	return err;
}

int diagnosis_look(struct diagnosis *diagnosis)
{
	struct report report;
	int err = end_interval(diagnosis, &diagnosis->second, &report);

	if (err)
		return err;
	err = count_second(diagnosis, &report);
	if (!err && diagnosis->config.recording)
		err = recording_add(diagnosis->config.recording, &report);
	if (!err && live_is_open(diagnosis->config.live))
		live_update(diagnosis->config.live);
	meter_free_report(&report);
	return err;
}

/* A watch may end within a second. */
static int look_at_rest(struct diagnosis *diagnosis)
{
	uint64_t rest_ns = clock_monotonic_ns() - intervals_started_ns(&diagnosis->second);

	return rest_ns < NS_PER_S / 2 ? 0 : diagnosis_look(diagnosis);
}

int diagnosis_end_watch(struct diagnosis *diagnosis)
{
	struct report report;
	int err = look_at_rest(diagnosis);

	if (!err)
		err = end_interval(diagnosis, &diagnosis->intervals, &report);
	if (err)
		return err;
	err = add_queued(diagnosis, &report);
	if (!err)
		err = judge(diagnosis, &report);
	meter_free_report(&report);
	late_seconds_clear(&diagnosis->late_seconds);
	if (!err && look_at_host(diagnosis))
		err = log_failure(-ENOMEM, "cannot look at this host");
	return err;
}
