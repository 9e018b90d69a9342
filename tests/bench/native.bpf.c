// SPDX-License-Identifier: GPL-2.0
/*
 * netstacklat's way of a packet, in tc programs: many kernels that refuse tracing programs run
 * these, and any may be run on demand.
 */
/* The variant that only counts. */
#define WITH_FILTERS 0
#define WITH_GROUPS 0
#define WITH_STAGES 0
#define WITH_SLOW 0

#include "vmlinux_local.h"
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "netstacklat.h"
#include "lib/bpf/path/record.bpf.h"

/* What a tc program sees of a packet. */
struct __sk_buff {
	__u64 tstamp;
} __attribute__((preserve_access_index));

__u64 last_latency_ns;

SEC("tc") int empty(struct __sk_buff *skb)
{
	return 0;
}

/* The floor of the job: stamp and clock. */
SEC("tc") int stamp_and_clock(struct __sk_buff *skb)
{
	last_latency_ns = clock_ns() - clock_offset_ns - skb->tstamp;
	return 0;
}

/* All that a program does at a hook, but for where it finds the stamp. */
SEC("tc") int record_default(struct __sk_buff *skb)
{
	const struct kept_packet kept = { .stamp_ns = skb->tstamp };

	return record(PROBE_udp_rcv, &(struct packet){ .skb = (void *)skb, .kept = &kept });
}

char LICENSE[] SEC("license") = "GPL";
