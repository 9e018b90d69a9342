// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/stall.h"

#include <inttypes.h>

#include "lib/base/duration.h"

static enum hook longest_hook(const struct packet_report *report)
{
	const struct packet_step *longest = packet_longest_step(report);

	return longest ? longest->hook : NR_HOOKS;
}

void stall_begin(struct stall *stall, const struct packet_report *first)
{
	const struct slow_packet *packet = first->packet;

	*stall = (struct stall){
		.has_first = true,
		.hook = first->hook,
		.longest = longest_hook(first),
		.tid = packet->tid,
		.cpu = packet->cpu,
		.slept_ns = packet->slept_ns,
		.ended_ns = packet->time_ns,
		.last_ns = packet->time_ns,
	};
}

/* A reader may change CPUs. */
static bool waits_for_same(const struct stall *stall, const struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;

	return stall->hook == report->hook && stall->longest == longest_hook(report) &&
	       stall->tid == packet->tid && (packet->tid || stall->cpu == packet->cpu) &&
	       stall->slept_ns == packet->slept_ns;
}

bool stall_goes_on(struct stall *stall, const struct packet_report *report, uint64_t slow_ns)
{
	uint64_t time_ns = report->packet->time_ns;

	if (!stall->has_first || !waits_for_same(stall, report) ||
	    time_ns - report->latency_ns > stall->ended_ns || time_ns < stall->last_ns ||
	    time_ns - stall->last_ns >= slow_ns)
		return false;
	stall->last_ns = time_ns;
	stall->nr_more++;
	if (report->latency_ns > stall->latest_ns)
		stall->latest_ns = report->latency_ns;
	return true;
}

void stall_print(FILE *out, struct stall *stall)
{
	char latest[DURATION_TEXT_SIZE];

	if (stall->nr_more)
		fprintf(out, "%15s and %" PRIu64 " more in the same stall, up to %s late\n", "",
			stall->nr_more, duration_text(stall->latest_ns, latest));
	stall->nr_more = stall->latest_ns = 0;
}
