/* SPDX-License-Identifier: GPL-2.0 */
/* The time that CPUs take for work on any number of packets, or on none, for BPF programs. */
#ifndef NETSTACKLAT_SPAN_BPF_H
#define NETSTACKLAT_SPAN_BPF_H

#include "lib/bpf/kernel/per_cpu.bpf.h"
#include "lib/bpf/path/record.bpf.h"

/* When each span began, of which a CPU has at most one at a time; 0 if it has none. */
struct spans {
	__u64 softirq_net_rx_ns;
	__u64 napi_poll_ns;
};

PER_CPU_VALUE(1, spans_of_cpus, struct spans);

/* Counts what took so long. Of packets, nothing is known but how many. */
static __always_inline int record_wait(enum probe probe, struct packet *none, __u64 ns)
{
	packet_begin(none, probe);
	return record_ns(probe, none, ns);
}

/* Counts what began then and ends now, and forgets it. */
static __always_inline int record_span(enum probe probe, struct packet *none, __u64 *since_ns,
				       __u64 now_ns)
{
	__u64 began_ns = *since_ns;

	*since_ns = 0;
	if (!began_ns)
		return discard(probe, DISCARD_NO_STAMP);
	if (!sample_takes(probe, now_ns - began_ns, now_ns))
		return 0;
	return record_wait(probe, none, now_ns - began_ns);
}

#endif
