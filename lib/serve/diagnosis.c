// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/diagnosis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/diagnose/verdict.h"
#include "lib/host/cpu_limit.h"
#include "lib/host/netns.h"
#include "lib/host/netns_facts.h"
#include "lib/host/task.h"
#include "lib/serve/output.h"

/* Quantiles within a quarter of an octave. */
#define RESOLUTION 2

struct diagnosis {
	struct diagnosis_config config;
	struct meter *meter;
	struct intervals intervals;
	uint64_t own_netns;
	/* When the watch began. */
	struct tasks *tasks;
	struct cpu_limits *cpu_limits;
	bool has_findings;
};

/* Whoever pings waits between reading and sending: what raw sockets take for that is left out. */
static bool is_watched(enum hook hook)
{
	switch (hook) {
	case HOOK_tcp_accept:
	case HOOK_tcp_min_rtt:
	case HOOK_tcp_send:
	case HOOK_udp_send:
	case HOOK_drop:
		return true;
	default:
		return hooks[hook].paths != PATH_NONE;
	}
}

void diagnosis_select(struct loader_config *programs)
{
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		programs->hooks[hook] = is_watched(hook);
	programs->stages = programs->wakeups = true;
	programs->resolution = RESOLUTION;
	programs->group_by = 1U << KEY_NETNS | 1U << KEY_INTERFACE | 1U << KEY_PORT |
			     1U << KEY_PID | 1U << KEY_CGROUP | 1U << KEY_CPU | 1U << KEY_REASON;
}

static int look_at_host(struct diagnosis *diagnosis)
{
	tasks_free(diagnosis->tasks);
	cpu_limits_free(diagnosis->cpu_limits);
	diagnosis->tasks = tasks_new();
	diagnosis->cpu_limits = cpu_limits_new();
	return diagnosis->tasks && diagnosis->cpu_limits ? 0 : -ENOMEM;
}

struct diagnosis *diagnosis_new(const struct diagnosis_config *config, struct meter *meter)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));
	struct netns own;
	int err;

	if (!diagnosis)
		return NULL;
	diagnosis->config = *config;
	diagnosis->meter = meter;
	if (!netns_find("self", &own))
		diagnosis->own_netns = own.inode;
	err = meter_begin(meter, &diagnosis->intervals);
	if (!err)
		err = look_at_host(diagnosis);
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
	tasks_free(diagnosis->tasks);
	cpu_limits_free(diagnosis->cpu_limits);
	free(diagnosis);
}

bool diagnosis_found(const struct diagnosis *diagnosis)
{
	return diagnosis->has_findings;
}

/* What the host tells of the process of a finding. Paths are those of the limits. */
static void ask_task(struct diagnosis *diagnosis, struct finding *finding)
{
	pid_t pid = atoi(facts_text(&finding->facts, "pid"));
	struct host_facts *host = &finding->host;
	const struct cpu_limit *limit;
	struct task_times times;
	char cgroup[PATH_MAX];

	if (!pid)
		return;
	times = tasks_since(diagnosis->tasks, pid);
	host->running_ns = times.running_ns;
	host->ready_ns = times.ready_ns;
	host->state = task_state(pid);
	limit = task_cgroup(pid, cgroup) ? cpu_limits_since(diagnosis->cpu_limits, cgroup) : NULL;
	if (!limit)
		return;
	host->throttled = limit->path;
	host->throttled_ns = limit->throttled_ns;
	snprintf(host->cpu_max, sizeof(host->cpu_max), "%s", limit->max);
}

/* Likewise of its network namespace. */
static void ask_netns(struct finding *finding)
{
	struct host_facts *host = &finding->host;
	struct netns_facts facts;

	if (classes[finding->class].scope != SCOPE_INTERFACE &&
	    classes[finding->class].scope != SCOPE_NETNS)
		return;
	netns_facts_find(finding->place.netns, finding->place.ifindex, &facts);
	if (facts.has_qdisc)
		snprintf(host->qdisc_kind, sizeof(host->qdisc_kind), "%s", facts.qdisc);
	if (!facts.has_rules)
		return;
	host->nr_rules = facts.rules.nr;
	host->rules_by = facts.rules.by_iptables ? "iptables-nft" : "nft";
}

static void ask_host(struct diagnosis *diagnosis, struct finding *finding)
{
	ask_task(diagnosis, finding);
	ask_netns(finding);
}

static int print(const struct diagnosis *diagnosis, const struct verdict *verdict)
{
	if (diagnosis->config.json)
		verdict_print_json(stdout, verdict);
	else
		verdict_print_text(stdout, verdict);
	return output_flush();
}

static int judge(struct diagnosis *diagnosis, const struct report *report)
{
	struct verdict *verdict = verdict_new(report, diagnosis->config.late_ns);
	int err;

	if (!verdict)
		return log_failure(-errno, "cannot judge what was measured");
	verdict->own_netns = diagnosis->own_netns;
	for (size_t i = 0; i < verdict->nr; i++)
		ask_host(diagnosis, &verdict->findings[i]);
	verdict_explain(verdict);
	diagnosis->has_findings |= verdict->nr > 0;
	err = print(diagnosis, verdict);
	verdict_free(verdict);
	return err;
}

int diagnosis_tell(struct diagnosis *diagnosis)
{
	struct report report = { .kind = REPORT_INTERVAL };
	int err = meter_advance(diagnosis->meter, &diagnosis->intervals, 0);

	if (err)
		return err;
	report.duration_ns = diagnosis->intervals.duration_ns;
	err = meter_report(diagnosis->meter, &group_orders[0], &diagnosis->intervals.interval,
			   &report);
	if (!err)
		err = judge(diagnosis, &report);
	meter_free_report(&report);
	if (!err && look_at_host(diagnosis))
		err = log_failure(-ENOMEM, "cannot look at this host");
	return err;
}
