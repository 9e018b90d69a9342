// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/packet.h"

#include <string.h>

#include "lib/counts/stages.h"
#include "lib/tables/units.h"

/* The first step is what is left of the latency: the time from the stamp. */
static void add_step(struct packet_report *report, enum hook hook, uint64_t ns, uint64_t *before_ns)
{
	const struct slow_packet *packet = report->packet;
	uint64_t since_ns = report->nr_steps ? *before_ns : packet->now_ns - packet->latency_ns;

	if (hook >= NR_HOOKS)
		return;
	report->steps[report->nr_steps++] = (struct packet_step){ hook, ns - since_ns, NULL };
	*before_ns = ns;
}

/* A word that is not behind those before it is another packet's, or is there twice. */
static void add_word(struct packet_report *report, uint64_t word, uint64_t *before_ns)
{
	uint64_t ns = LAST_HOOK_NS(word);

	if (ns > *before_ns && ns < report->packet->now_ns)
		add_step(report, stage_from_hook(LAST_HOOK_FROM(word)), ns, before_ns);
}

/*
 * Returns whether the hooks passed are this packet's. While the programs looked, its place may have
 * been taken by another packet, which was nowhere before this one was at the hook before.
 */
static bool is_own_journey(const struct slow_packet *packet)
{
	for (unsigned int i = 0; i < NR_PASSED && packet->passed.at[i]; i++) {
		uint64_t word = packet->passed.at[i];

		if (word > packet->before && LAST_HOOK_NS(word) < packet->now_ns)
			return false;
	}
	return true;
}

/* Goes from hook to hook, to where the packet is now. */
static void make_steps(struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;
	uint64_t before_ns = 0;

	if (is_own_journey(packet))
		for (unsigned int i = 0; i < NR_PASSED && packet->passed.at[i]; i++)
			add_word(report, packet->passed.at[i], &before_ns);
	add_word(report, packet->before, &before_ns);
	add_step(report, report->hook, packet->now_ns, &before_ns);
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static struct packet_reader reader_of(const struct slow_packet *packet)
{
	struct packet_reader reader = { .state = READER_UNKNOWN };

	if (!packet->has_reader)
		return reader;
	reader.asleep_ns = packet->asleep_ns;
	reader.ready_ns = packet->ready_ns;
	reader.asleep_in = packet->asleep_in;
	reader.running_ns = packet->now_ns - LAST_HOOK_NS(packet->before) - packet->asleep_ns -
			    packet->ready_ns;
	reader.state = READER_RUNNING;
	if (reader.asleep_ns >= later(reader.ready_ns, reader.running_ns))
		reader.state = READER_ASLEEP;
	else if (reader.ready_ns >= reader.running_ns)
		reader.state = READER_READY;
	return reader;
}

static void begin(struct packet_report *report, const struct slow_packet *packet,
		  const struct slow_packet *bytes, struct label_names *names)
{
	*report = (struct packet_report){
		.packet = packet,
		.bytes = bytes,
		.hook = probes[packet->probe].hook,
		.latency_ns = packet->latency_ns,
		.names = names,
	};
	flow_of(bytes, &report->flow);
}

void packet_report_make(struct packet_report *report, const struct slow_packet *packet,
			struct label_names *names, bool stages)
{
	begin(report, packet, packet, names);
	/* A packet that was on its way before we were has hooks that are not known. */
	if (!stages || !packet->now_ns)
		return;
	make_steps(report);
	report->reader = reader_of(packet);
}

/* The first has all bytes, and the addresses that the packet came with. */
static const struct slow_packet *find_bytes(const struct traced_packet *traced)
{
	for (unsigned int i = 0; i < traced->nr; i++)
		if (traced->steps[i].nr_bytes)
			return &traced->steps[i];
	return &traced->steps[traced->nr - 1];
}

/*
 * Returns since when a packet that was read late has waited. If it was queued before the watch,
 * that is its stamp, or else the hook before.
 */
static uint64_t began_ns(const struct traced_packet *traced)
{
	const struct slow_packet *first = &traced->steps[0];

	if (!(hooks[probes[first->probe].hook].has & HAS_READER))
		return first->now_ns;
	if (first->before && LAST_HOOK_NS(first->before) < first->now_ns)
		return LAST_HOOK_NS(first->before);
	return first->now_ns - first->latency_ns;
}

void packet_report_make_traced(struct packet_report *report, const struct traced_packet *traced,
			       struct label_names *names)
{
	const struct slow_packet *last = &traced->steps[traced->nr - 1];
	uint64_t before_ns = began_ns(traced);

	begin(report, last, find_bytes(traced), names);
	report->latency_ns = last->now_ns - before_ns;
	for (unsigned int i = 0; i < traced->nr; i++) {
		const struct slow_packet *seen = &traced->steps[i];

		report->steps[report->nr_steps++] = (struct packet_step){
			probes[seen->probe].hook,
			seen->now_ns - before_ns,
			seen,
		};
		before_ns = seen->now_ns;
	}
	report->reader = reader_of(last);
}

const char *packet_place(const struct slow_packet *packet)
{
	return probes[packet->probe].is_helper ? probe_target(packet->probe)
					       : hooks[probes[packet->probe].hook].name;
}

const char *packet_step_name(const struct packet_step *step)
{
	return step->seen ? packet_place(step->seen) : hooks[step->hook].name;
}

void packet_labels(const struct packet_report *report, unsigned int keys, struct labels *labels)
{
	const struct slow_packet *packet = report->packet;
	struct group group = {
		.hook = report->hook,
		.key = {
			.netns = packet->netns,
			.cgroup = packet->cgroup,
			.ifindex = packet->ifindex,
			.pid = packet->pid,
			/* A process of one thread has its number. */
			.tid = packet->tid == packet->pid ? 0 : packet->tid,
			.cpu = packet->cpu,
			.reason = packet->reason,
		},
	};

	memcpy(group.comm, packet->comm, sizeof(group.comm));
	label_names_add(report->names, &group);
	label_names_look_up(report->names);
	labels_of(report->names, &group, keys, labels);
}

const struct packet_step *packet_longest_step(const struct packet_report *report)
{
	const struct packet_step *longest = report->steps;

	for (unsigned int i = 1; i < report->nr_steps; i++)
		if (report->steps[i].ns > longest->ns)
			longest = &report->steps[i];
	return report->nr_steps > 1 ? longest : NULL;
}

void packet_step_labels(const struct packet_report *report, const struct packet_step *step,
			unsigned int keys, struct labels *labels)
{
	const struct packet_report there = {
		.packet = step->seen,
		.hook = step->hook,
		.names = report->names,
	};

	packet_labels(&there, keys, labels);
}
