// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/cause.h"

#include <string.h>

/* It would have read, but could not run. */
static bool is_held_up(enum class class)
{
	return class == CLASS_reader_stopped || class == CLASS_reader_no_cpu ||
	       class == CLASS_reader_throttled;
}

static bool is_reader(enum class class)
{
	return class == CLASS_reader_asleep || class == CLASS_reader_busy || is_held_up(class);
}

/* What a task does itself, or what is done to it. */
static bool is_of_task(enum class class)
{
	return is_reader(class) || class == CLASS_accept || class == CLASS_application;
}

static bool is_of_stack(enum class class)
{
	return class == CLASS_backlog || class == CLASS_ingress || class == CLASS_netfilter_in ||
	       class == CLASS_netfilter_forward || class == CLASS_netfilter_out ||
	       class == CLASS_qdisc;
}

/* For packets whose parts are not known, what its threads did in all of the watch has to do. */
static void add_unknown_parts(const struct verdict *verdict, struct finding *finding,
			      uint64_t parts_ns[NR_PARTS])
{
	const struct host_facts *host = &finding->host;
	uint64_t known_ns = 0, unknown_ns, share_ns = verdict->duration_ns;

	memcpy(parts_ns, finding->part_ns, sizeof(finding->part_ns));
	for (unsigned int part = 0; part < NR_PARTS; part++)
		if (parts_ns[part] > known_ns)
			known_ns = parts_ns[part];
	unknown_ns = finding->lateness.late_ns - known_ns;
	if (2 * host->running_ns > share_ns)
		parts_ns[RUNNING] += unknown_ns;
	else if (4 * host->ready_ns > share_ns)
		parts_ns[READY] += unknown_ns;
	else
		parts_ns[ASLEEP] += unknown_ns;
}

void cause_of_reader(const struct verdict *verdict, struct finding *finding)
{
	uint64_t parts_ns[NR_PARTS];

	if (!is_reader(finding->class))
		return;
	add_unknown_parts(verdict, finding, parts_ns);
	/* More than a tenth of the watch: a cgroup that is at its limit now and then is none. */
	if (finding->host.state == 'T' || finding->host.state == 't')
		finding->class = CLASS_reader_stopped;
	else if (finding->host.throttled && 10 * finding->host.throttled_ns > verdict->duration_ns)
		finding->class = CLASS_reader_throttled;
	else if (parts_ns[READY] > parts_ns[ASLEEP] && parts_ns[READY] > parts_ns[RUNNING])
		finding->class = CLASS_reader_no_cpu;
	else if (parts_ns[RUNNING] > parts_ns[ASLEEP])
		finding->class = CLASS_reader_busy;
	else if (finding->host.was_stopped)
		finding->class = CLASS_reader_stopped;
	else
		finding->class = CLASS_reader_asleep;
}

static bool is_same_task(const struct finding *finding, const struct finding *other)
{
	const char *pid = facts_text(&finding->facts, "pid");

	return *pid && !strcmp(pid, facts_text(&other->facts, "pid"));
}

/*
 * Of one task: who cannot run does nothing else in time; who comes late to accept a connection
 * reads late what came by it; and who takes long for an answer reads the next request late.
 */
static bool task_explains(const struct finding *finding, const struct finding *other)
{
	uint64_t ns = finding->lateness.late_ns, other_ns = other->lateness.late_ns;

	if (is_held_up(finding->class) != is_held_up(other->class))
		return is_held_up(finding->class);
	if (finding->class == CLASS_accept && is_reader(other->class))
		return 2 * ns >= other_ns;
	if (is_reader(finding->class) && other->class == CLASS_accept)
		return ns > 2 * other_ns;
	if (finding->class == CLASS_application && is_reader(other->class))
		return 20 * ns >= other_ns;
	if (is_reader(finding->class) && other->class == CLASS_application)
		return ns > 20 * other_ns;
	return ns > other_ns;
}

static bool is_same_interface(const struct finding *finding, const struct finding *other)
{
	return !strcmp(facts_text(&finding->facts, "netns"), facts_text(&other->facts, "netns")) &&
	       !strcmp(facts_text(&finding->facts, "interface"),
		       facts_text(&other->facts, "interface"));
}

/* What it drops of TCP, or before it looks at the protocol, may be what TCP misses. */
static bool may_lose_segments(const struct finding *drop)
{
	const char *from = facts_text(&drop->facts, "from");

	return strncmp(from, "udp-", 4) && strncmp(from, "icmp-", 5) && strncmp(from, "raw-", 4);
}

static bool explains(const struct finding *finding, const struct finding *other)
{
	if (is_of_task(finding->class) && is_of_task(other->class))
		return is_same_task(finding, other) && task_explains(finding, other);
	/* It does what holds the lock instead of anything else. */
	if (finding->class == CLASS_socket_lock && is_of_task(other->class))
		return is_same_task(finding, other);
	/* Whoever receives does so before any task runs. */
	if (finding->class == CLASS_backlog && other->class == CLASS_reader_no_cpu)
		return finding->lateness.late_ns > other->lateness.late_ns;
	/* What takes long on a CPU makes all others wait for it. */
	if (other->class == CLASS_backlog &&
	    (finding->class == CLASS_ingress || finding->class == CLASS_netfilter_in ||
	     finding->class == CLASS_netfilter_forward))
		return true;
	if (finding->class == CLASS_backlog && other->class == CLASS_backlog)
		return is_same_interface(finding, other) &&
		       finding->lateness.late_ns > other->lateness.late_ns;
	if (finding->class == CLASS_drop && other->class == CLASS_loss)
		return may_lose_segments(finding);
	/* A round trip has this host's own queues in it. */
	return other->class == CLASS_network && is_of_stack(finding->class);
}

void causes_absorb(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr; i++)
		for (size_t j = 0; j < verdict->nr; j++)
			if (i != j && !verdict->findings[i].is_absorbed &&
			    !verdict->findings[j].is_absorbed &&
			    explains(&verdict->findings[i], &verdict->findings[j]))
				verdict->findings[j].is_absorbed = true;
}
