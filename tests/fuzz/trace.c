// SPDX-License-Identifier: GPL-2.0
/* Traced packets: names, a line each, then where packets were seen. */
#include "tests/fuzz/names.h"
#include "tests/fuzz/printed.h"

#include <arpa/inet.h>

#include "lib/packet/trace.h"

/* Short, so that packets have many steps. */
struct seen {
	uint8_t probe, skb, ms, ifindex;
	uint8_t before; /* how long ago it was at the hook before; 0: it was nowhere */
	uint8_t latency, ethertype, nr_bytes;
	uint8_t bytes[40];
};

static void fill_in(struct slow_packet *step, const struct seen *seen, uint64_t *now_ns)
{
	const uint64_t before_ns = *now_ns;

	*now_ns += (uint64_t)seen->ms << 20;
	*step = (struct slow_packet){
		.time_ns = *now_ns,
		.now_ns = *now_ns,
		.latency_ns = seen->latency,
		.before = seen->before ? LAST_HOOK(before_ns, seen->before % 64) : 0,
		.probe = seen->probe % NR_PROBES,
		.skb = seen->skb % 8,
		.ifindex = seen->ifindex,
		.netns = seen->ifindex & NAMED_NETNS,
		.reason = seen->latency & NAMED_REASON,
		.cgroup = seen->ifindex & NAMED_CGROUP,
		.ethertype = htons(seen->ethertype & 1 ? 0x0800 : 0x86dd),
		.nr_bytes = seen->nr_bytes % (sizeof(seen->bytes) + 1),
	};
	memcpy(step->bytes, seen->bytes, sizeof(seen->bytes));
}

/* Returns how many steps they had. */
static unsigned int print_gone(struct trace *trace, uint64_t now_ns, struct label_names *names)
{
	struct traced_packet *packet;
	unsigned int nr = 0;

	while ((packet = trace_next(trace, now_ns))) {
		struct packet_report report;

		require(packet->nr && packet->nr <= MAX_TRACE_STEPS);
		for (unsigned int i = 1; i < packet->nr; i++)
			require(packet->steps[i - 1].now_ns <= packet->steps[i].now_ns);
		packet_report_make_traced(&report, packet, names);
		print_packet(&report);
		nr += packet->nr;
		free(packet);
	}
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct reason_names *reasons;
	struct label_names *names = read_names(&input, &reasons);
	struct trace *trace = trace_new();
	unsigned int added = 0, printed = 0;
	uint64_t now_ns = 1ULL << 32;

	require(trace);
	for (; input.size && added < 1000; added++) {
		struct slow_packet step;
		struct seen seen;

		input_fill(&input, &seen, sizeof(seen));
		fill_in(&step, &seen, &now_ns);
		require(!trace_add(trace, &step));
		if (seen.probe & 0x80)
			printed += print_gone(trace, now_ns, names);
	}
	printed += print_gone(trace, UINT64_MAX, names);
	require(printed == added);
	trace_free(trace);
	label_names_free(names);
	reason_names_free(reasons);
	return 0;
}
