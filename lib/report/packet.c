// SPDX-License-Identifier: GPL-2.0
#include "lib/report/packet.h"

#include <string.h>

#include "lib/base/duration.h"
#include "lib/tables/units.h"

/* The programs' words for a hook and when a packet was there, in ns since boot. */
static uint64_t word_ns(uint64_t word)
{
	return word >> STAGE_FROM_BITS;
}

static enum hook word_hook(uint64_t word)
{
	return ((word & ((1 << STAGE_FROM_BITS) - 1)) >> 1) - 1;
}

/* The first step is what is left of the latency: the time from the stamp. */
static void add_step(struct packet_report *report, enum hook hook, uint64_t ns, uint64_t *before_ns)
{
	const struct slow_packet *packet = report->packet;
	uint64_t since_ns = report->nr_steps ? *before_ns : packet->now_ns - packet->latency_ns;

	if (hook >= NR_HOOKS)
		return;
	report->steps[report->nr_steps++] = (struct packet_step){ hook, ns - since_ns };
	*before_ns = ns;
}

/*
 * Places of hooks that this packet did not pass have what is older than its journey. Without one,
 * the hook before is all that is known.
 */
static void make_steps(struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;
	uint64_t before_ns = 0;

	for (int i = 0; i < NR_PASSED && packet->began; i++) {
		uint64_t word = packet->passed[i];

		if (word >= packet->began && word_ns(word) > before_ns &&
		    word_ns(word) < packet->now_ns)
			add_step(report, word_hook(word), word_ns(word), &before_ns);
	}
	if (!report->nr_steps && packet->before)
		add_step(report, word_hook(packet->before), word_ns(packet->before), &before_ns);
	add_step(report, report->hook, packet->now_ns, &before_ns);
}

void packet_report_make(struct packet_report *report, const struct slow_packet *packet,
			struct label_names *names, bool stages)
{
	*report = (struct packet_report){
		.packet = packet,
		.hook = probes[packet->probe].hook,
		.names = names,
	};
	flow_of(packet, &report->flow);
	if (stages)
		make_steps(report);
}

void packet_labels(const struct packet_report *report, unsigned int facts, struct labels *labels)
{
	const struct slow_packet *packet = report->packet;
	struct group group = {
		.hook = report->hook,
		.key = {
			.netns = packet->netns,
			.cgroup = packet->cgroup,
			.ifindex = packet->ifindex,
			.pid = packet->pid,
			.cpu = packet->cpu,
		},
	};

	memcpy(group.comm, packet->comm, sizeof(group.comm));
	label_names_meet(report->names, &group);
	labels_of(report->names, &group, facts, labels);
}

const struct packet_step *packet_longest_step(const struct packet_report *report)
{
	const struct packet_step *longest = report->steps;

	for (unsigned int i = 1; i < report->nr_steps; i++)
		if (report->steps[i].ns > longest->ns)
			longest = &report->steps[i];
	return report->nr_steps > 1 ? longest : NULL;
}
