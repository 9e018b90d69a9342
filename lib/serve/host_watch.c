// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/host_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diagnose/failures.h"
#include "lib/diagnose/lost.h"
#include "lib/host/cgroup.h"
#include "lib/host/file_number.h"
#include "lib/host/netns_facts.h"
#include "lib/packet/asleep_in.h"
#include "lib/tables/units.h"

void host_watch_init(struct host_watch *watch, const struct wait_maps *waits)
{
	*watch = (struct host_watch){
		.waits = waits,
		.has_own_pids = !task_ids_are_initial(),
	};
	netns_find("self", &watch->own_netns);
}

static void free_memory_limits(struct host_watch *watch)
{
	for (struct memory_limit *limit = watch->memory_limits, *next; limit; limit = next) {
		next = limit->next;
		free(limit);
	}
	watch->memory_limits = NULL;
}

int host_watch_begin(struct host_watch *watch)
{
	netns_facts_begin();
	cpu_counters_free(&watch->cpus);
	watch->cpus = cpu_counters_read();
	watch->oom_kills = memory_oom_kills();
	wait_maps_clear(watch->waits);
	tasks_free(watch->tasks);
	cpu_limits_free(watch->cpu_limits);
	free_memory_limits(watch);
	watch->tasks = tasks_new();
	watch->cpu_limits = cpu_limits_new();
	return watch->tasks && watch->cpu_limits ? 0 : -ENOMEM;
}

void host_watch_free(struct host_watch *watch)
{
	tasks_free(watch->tasks);
	cpu_limits_free(watch->cpu_limits);
	cpu_counters_free(&watch->cpus);
	cpu_counters_free(&watch->cpus_at_end);
	free_memory_limits(watch);
	netlink_owners_free(&watch->netlink_owners);
}

int host_watch_add_failures(const struct host_watch *watch, const struct report *report,
			    struct verdict *verdict)
{
	struct failed_calls *list = calloc(NR_FAILURES, sizeof(*list));
	const struct failure_key *before = NULL;
	size_t nr = 0;
	int err;

	if (!list)
		return -ENOMEM;
	while (nr < NR_FAILURES &&
	       wait_maps_next_failure(watch->waits, before, &list[nr].key, &list[nr].failure))
		before = &list[nr++].key;
	err = failures_find(verdict, report, list, nr);
	free(list);
	return err;
}

int host_watch_add_upstreams(const struct host_watch *watch, const struct report *report,
			     struct verdict *verdict)
{
	struct upstream_count *list = calloc(NR_UPSTREAMS, sizeof(*list));
	const struct upstream_key *before = NULL;
	size_t nr = 0;
	int err;

	if (!list)
		return -ENOMEM;
	while (nr < NR_UPSTREAMS &&
	       wait_maps_next_upstream(watch->waits, before, &list[nr].key, &list[nr].answers))
		before = &list[nr++].key;
	err = upstreams_make(&verdict->upstreams, report, list, nr);
	free(list);
	return err;
}

static void describe_stop(struct host_facts *host, uint32_t asleep_in)
{
	host->was_stopped = asleep_is_stopped(asleep_in);
	host->was_frozen = ASLEEP_IN_HOW(asleep_in) == ASLEEP_FROZEN;
	host->was_suspended = ASLEEP_IN_HOW(asleep_in) == ASLEEP_SUSPENDED;
}

_Static_assert(sizeof(((struct host_facts *)0)->asleep_in) == ASLEEP_IN_TEXT_SIZE &&
		       sizeof(((struct host_facts *)0)->waker_asleep_in) == ASLEEP_IN_TEXT_SIZE,
	       "host_facts has room for what a task was asleep in");

static void describe_sleep(struct host_facts *host, uint32_t asleep_in)
{
	host->waited_for_io = ASLEEP_IN_HOW(asleep_in) == ASLEEP_FOR_IO;
	host->waited_for_page =
		host->waited_for_io && ASLEEP_IN_SYSCALL(asleep_in) == ASLEEP_IN_NO_SYSCALL;
	host->slept_for_sockets = asleep_is_for_sockets(asleep_in);
	asleep_by_itself_in(asleep_in, host->asleep_in);
}

/* Returns the part that took half of a time or more; NR_PARTS if none did, or it is not known. */
static unsigned int mostly(uint64_t ns, uint64_t asleep_ns, uint64_t ready_ns, uint64_t running_ns)
{
	return 2 * ready_ns >= ns     ? READY
	       : 2 * running_ns >= ns ? RUNNING
	       : 2 * asleep_ns >= ns  ? ASLEEP
				      : NR_PARTS;
}

/* If a task was stopped, tells what stopped it, and not who let it go on. */
static void describe_waker(struct host_facts *host, uint32_t asleep_in, uint64_t asleep_ns,
			   const struct waker *waker)
{
	host->waker_mostly = NR_PARTS;
	if (asleep_is_stopped(asleep_in) || !waker->tid)
		return;
	host->waker_pid = waker->pid;
	host->waker_tid = waker->tid;
	snprintf(host->waker_comm, sizeof(host->waker_comm), "%.*s", COMM_SIZE, waker->comm);
	host->waker_mostly =
		mostly(asleep_ns, waker->asleep_ns, waker->ready_ns, waker->running_ns);
	if (host->waker_mostly == ASLEEP)
		asleep_by_itself_in(waker->asleep_in, host->waker_asleep_in);
}

/* The task that had the CPU instead, or softirqs, if any had. */
static void describe_other(struct host_facts *host, const struct slow_other *other)
{
	host->nobody_ran = !other->tid;
	if (host->nobody_ran)
		return;
	host->other_pid = other->pid;
	snprintf(host->other_comm, sizeof(host->other_comm), "%.*s", COMM_SIZE,
		 other->tid == IS_SOFTIRQS ? "softirqs" : other->comm);
	host->other_ran_ns = other->ran_ns;
}

/* A reader that reads no more has told nothing of the sleep that goes on. */
static bool waited_for_memory(const struct host_watch *watch, uint32_t pid)
{
	const struct wait_key key = { .pid = pid, .port = ANY_PORT };
	struct reader_wait wait;

	return wait_maps_find_read(watch->waits, &key, &wait) && wait.nr_for_memory;
}

/* The programs' record of a task that reads late. */
static void ask_reader(const struct host_watch *watch, struct finding *finding)
{
	const struct wait_key key = { .pid = finding->pid, .port = finding->place.port };
	struct host_facts *host = &finding->host;
	struct reader_wait wait;

	if (finding->class != CLASS_reader_asleep || !finding->pid)
		return;
	host->waited_for_memory = host->state == 'D' && waited_for_memory(watch, finding->pid);
	if (!wait_maps_find_read(watch->waits, &key, &wait))
		return;
	describe_stop(host, wait.asleep_in);
	host->waited_for_memory |= ASLEEP_IN_HOW(wait.asleep_in) == ASLEEP_FOR_MEMORY;
	if (wait.asleep_ns) {
		describe_sleep(host, wait.asleep_in);
		describe_waker(host, wait.asleep_in, wait.asleep_ns, &wait.waker);
	}
	if (wait.ready_ns)
		describe_other(host, &wait.other);
}

/* Takes the kernel's own counts of a CPU that receives, and the programs' record of what it did. */
static void ask_cpu(const struct host_watch *watch, struct finding *finding)
{
	struct softirq_wait wait;

	if (classes[finding->class].scope == SCOPE_CPU)
		finding->host.cpu =
			cpu_counters_since(&watch->cpus_at_end, &watch->cpus, finding->place.cpu);
	if (finding->class != CLASS_softirq ||
	    !wait_maps_find_softirq(watch->waits, finding->place.cpu, &wait))
		return;
	snprintf(finding->host.thread, sizeof(finding->host.thread), "%.*s", COMM_SIZE,
		 wait.thread);
	describe_other(&finding->host, &wait.other);
}

/* Finds what a task did in the longest time that it took to answer, or to accept. */
static bool find_wait(const struct host_watch *watch, enum class class, uint32_t pid, uint16_t port,
		      struct task_wait *wait)
{
	const struct wait_key key = { .pid = pid, .port = port };

	if (pid && class == CLASS_application)
		return wait_maps_find_answer(watch->waits, &key, wait);
	return pid && class == CLASS_accept && wait_maps_find_accept(watch->waits, &key, wait);
}

static unsigned int mostly_did(const struct task_wait *wait)
{
	return mostly(wait->ns, wait->all_asleep_ns, wait->ready_ns, wait->running_ns);
}

/* If the longest waits are not known, a short one tells nothing of them. */
static bool is_as_long(const struct task_wait *wait, const struct finding *finding)
{
	return 2 * wait->ns >= finding->lateness.max_ns;
}

/*
 * Returns whether it mostly slept until another task of this host had done something, such as one
 * that answers by a Unix socket. A task that is woken time and again may wait for anybody.
 */
static bool waited_for_task(const struct task_wait *wait)
{
	return wait->waker.tid && 32 * (wait->all_asleep_ns - wait->asleep_ns) <= wait->asleep_ns;
}

/* Returns whether it waited for somebody to send something, by itself or through that task. */
static bool waited_for_sockets(const struct task_wait *wait)
{
	const struct waker *waker = &wait->waker;

	if (!waited_for_task(wait))
		return asleep_is_for_sockets(wait->asleep_in);
	return 2 * waker->asleep_ns >= wait->asleep_ns && !waker->waker_tid &&
	       asleep_is_for_sockets(waker->asleep_in);
}

static void ask_task_wait(const struct host_watch *watch, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	struct task_wait wait;

	if (classes[finding->class].family != FAMILY_TASK)
		return;
	host->mostly = NR_PARTS;
	if (!find_wait(watch, finding->class, finding->pid, finding->place.port, &wait))
		return;
	host->nr_unasked = wait.nr_unasked;
	if (!is_as_long(&wait, finding))
		return;
	host->mostly = mostly_did(&wait);
	if (host->mostly == READY)
		describe_other(host, &wait.other);
	if (host->mostly != ASLEEP)
		return;
	describe_stop(host, wait.asleep_in);
	describe_sleep(host, wait.asleep_in);
	host->slept_often = 2 * wait.asleep_ns < wait.all_asleep_ns;
	if (!host->slept_often)
		describe_waker(host, wait.asleep_in, wait.asleep_ns, &wait.waker);
	host->waited_for_memory = ASLEEP_IN_HOW(wait.asleep_in) == ASLEEP_FOR_MEMORY;
	host->waited_for_sockets = waited_for_sockets(&wait);
}

void host_watch_ask_service(const struct host_watch *watch, struct service *service)
{
	char text[ASLEEP_IN_TEXT_SIZE];
	struct task_wait wait;
	const char *in;

	if (!find_wait(watch, CLASS_application, service->pid, service->place.port, &wait) ||
	    mostly_did(&wait) != ASLEEP)
		return;
	in = asleep_by_itself_in(wait.asleep_in, text);
	if (in)
		facts_set(&service->facts, "asleep_in", in);
}

static void describe_limit(struct host_facts *host, const struct cpu_limit *limit)
{
	host->throttled = limit->path;
	host->throttled_id = limit->id;
	host->cgroup_root = limit->root;
	host->limit_is_v1 = limit->is_v1;
	host->throttled_ns = limit->throttled_ns;
	snprintf(host->cpu_max, sizeof(host->cpu_max), "%s", limit->max);
}

/*
 * Returns the id in /proc of the task that a finding is about; 0, which no task has, if it is not
 * known.
 */
static pid_t pid_in_proc(const struct host_watch *watch, const struct finding *finding)
{
	return watch->has_own_pids ? 0 : (pid_t)finding->pid;
}

static bool is_frozen_by_v1(pid_t pid)
{
	char path[PATH_MAX];

	return task_cgroup(pid, "freezer", path) && cgroup_v1_is_frozen(path);
}

/*
 * Finds a cgroup for a controller of version 1, or, with "", of version 2: the process's or, where
 * /proc hides that, its socket's, which is of version 2.
 */
static bool find_cgroup(const struct host_watch *watch, const struct finding *finding,
			const char *controller, char path[PATH_MAX])
{
	return task_cgroup(pid_in_proc(watch, finding), controller, path) ||
	       (!*controller && finding->cgroup && cgroup_path(finding->cgroup, path));
}

static void ask_cgroup(const struct host_watch *watch, struct finding *finding)
{
	const char *controller = cpu_limits_controller(watch->cpu_limits);
	const struct cpu_limit *limit = NULL;
	char path[PATH_MAX];

	finding->host.is_frozen =
		(find_cgroup(watch, finding, "", path) && cgroup_is_frozen(path)) ||
		is_frozen_by_v1(pid_in_proc(watch, finding));
	if (find_cgroup(watch, finding, controller, path))
		limit = cpu_limits_since(watch->cpu_limits, path);
	if (limit)
		describe_limit(&finding->host, limit);
}

/* The limits are kept until the next watch. */
static void ask_memory(struct host_watch *watch, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	char root[PATH_MAX], path[PATH_MAX];
	struct memory_limit *limit = NULL;

	if (host->waited_for_page)
		host->swapped_bytes = task_swapped_bytes(pid_in_proc(watch, finding));
	if (!host->waited_for_memory && !host->swapped_bytes)
		return;
	if (find_cgroup(watch, finding, memory_limit_root(root), path))
		limit = memory_limit_find(root, path);
	host->memory_limit = limit;
	if (!limit)
		return;
	limit->next = watch->memory_limits;
	watch->memory_limits = limit;
}

/*
 * Tasks that are woken take less time than this to get a CPU, all together, unless they are kept
 * from it.
 */
#define PATIENCE_NS (20 * NS_PER_MS)

/* Adds facts of the host about the process of a finding. Paths are those of its limits. */
static void ask_task(struct host_watch *watch, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	pid_t pid = pid_in_proc(watch, finding);
	struct task_times times;

	if (!finding->pid)
		return;
	times = tasks_since(watch->tasks, pid);
	host->running_ns = times.running_ns;
	host->ready_ns = times.ready_ns;
	host->state = task_lasting_state(pid, &watch->patience_ns);
	host->policy = task_policy(pid);
	host->dumps_core = task_dumps_core(pid);
	if (finding->class == CLASS_accept)
		host->files_at_limit = task_files_at_limit(pid);
	ask_cgroup(watch, finding);
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

/* Names the process that decides on all or most of what netfilter queues. */
static void ask_decider(const struct host_watch *watch, const struct netns_facts *facts,
			struct finding *finding)
{
	const struct netlink_owner *owner = netlink_owners_find(
		&watch->netlink_owners, finding->place.netns, facts->nfqueues.portid);

	finding->host.queued_packets = facts->queued_packets;
	finding->host.nfqueue = facts->nfqueues.number;
	if (!owner)
		return;
	finding->host.decider_pid = owner->pid;
	memcpy(finding->host.decider_comm, owner->comm, sizeof(owner->comm));
}

/* Fills in what is known of its network namespace. */
static void ask_netns(const struct host_watch *watch, struct finding *finding)
{
	struct host_facts *host = &finding->host;
	struct netns_facts facts;

	if (!is_of_netns(finding))
		return;
	netns_facts_find(finding->place.netns, finding->place.ifindex, &facts);
	if (facts.has_qdisc)
		snprintf(host->qdisc_kind, sizeof(host->qdisc_kind), "%s", facts.qdisc);
	host->has_no_carrier = facts.has_no_carrier;
	snprintf(host->netns_path, sizeof(host->netns_path), "%s", facts.path);
	host->has_legacy_rules = facts.has_legacy_rules;
	host->has_ipvs = facts.has_ipvs;
	host->has_conntrack = facts.has_conntrack;
	host->conntrack_dropped = facts.conntrack_dropped;
	host->conntrack_clashed = facts.conntrack_clashed;
	host->conntrack_max = facts.conntrack_max;
	ask_decider(watch, &facts, finding);
	if (!facts.has_rules)
		return;
	host->nr_rules = facts.rules.nr;
	host->rules_by = facts.rules.by_iptables ? "iptables-nft" : "nft";
}

void host_watch_ask(struct host_watch *watch, struct finding *finding)
{
	ask_task_wait(watch, finding);
	ask_task(watch, finding);
	ask_reader(watch, finding);
	ask_memory(watch, finding);
	ask_cpu(watch, finding);
	ask_netns(watch, finding);
}

/* If /proc hides others' processes, it hides the first one. */
static void note_unseen(const struct host_watch *watch, struct verdict *verdict)
{
	struct netns_facts own;

	netns_facts_find(watch->own_netns.id, 0, &own);
	verdict->has_other_pids = watch->has_own_pids;
	verdict->unseen[UNSEEN_PROCESSES] = watch->has_own_pids || !task_state(1);
	verdict->unseen[UNSEEN_NETNS] = !own.can_enter;
	verdict->unseen[UNSEEN_NETLINK] = !own.has_netlink;
}

/*
 * Returns whether all of a namespace is measured: these facts cover it as a whole, whatever filters
 * leave out.
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

static int ask_losses(const struct filters *filters, struct verdict *verdict)
{
	struct losses losses;
	int err = 0;

	netns_facts_find_losses(&losses);
	verdict->looked_at[CLASS_card].count = losses.came_to_cards;
	verdict->looked_at[CLASS_link].count = losses.came_to_cards;
	for (uint32_t i = 0; i < losses.nr_cards && !err; i++)
		err = lost_add_card(verdict, losses.cards[i].netns, &losses.cards[i].card);
	for (enum blind_spot spot = 0; spot < NR_BLIND_SPOTS; spot++)
		verdict->blind[spot] = losses.blind[spot];
	verdict->tunnels = losses.tunnels;
	verdict->nr_mptcp += losses.nr_mptcp;
	verdict->nr_sctp = losses.nr_sctp;
	verdict->looked_at[CLASS_syn_queue].count = losses.nr_looked_at;
	for (uint32_t i = 0; i < losses.nr && !err; i++)
		if (is_measured(filters, losses.list[i].netns))
			err = lost_add_netns(verdict, &losses.list[i]);
	return err;
}

int host_watch_ask_all(struct host_watch *watch, const struct filters *filters,
		       struct verdict *verdict)
{
	cpu_counters_free(&watch->cpus_at_end);
	watch->cpus_at_end = cpu_counters_read();
	watch->patience_ns = PATIENCE_NS;
	verdict->own_netns = watch->own_netns.inode;
	verdict->steal_ns = number_since(watch->cpus.steal_ns, watch->cpus_at_end.steal_ns);
	verdict->oom_kills = number_since(watch->oom_kills, memory_oom_kills());
	note_unseen(watch, verdict);
	return ask_losses(filters, verdict);
}
