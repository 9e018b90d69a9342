// SPDX-License-Identifier: GPL-2.0
/*
 * The least that it takes to measure a request with the defaults: at each function that a segment
 * comes by, a program that reads stamp and clock, and does nothing with them.
 */
/* For the clock, as the variant that only counts reads it. */
#define WITH_FILTERS 0
#define WITH_GROUPS 0
#define WITH_STAGES 0
#define WITH_SLOW 0

#include "vmlinux_local.h"
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "netstacklat.h"
#include "lib/bpf/kernel/clock.bpf.h"

__u64 last_latency_ns;

static __always_inline int measure(__u64 stamp_ns)
{
	last_latency_ns = clock_ns() - stamp_ns;
	return 0;
}

SEC("fentry/ip_rcv_core") int BPF_PROG(ip_rcv_core, struct sk_buff *skb)
{
	return measure(skb->tstamp);
}

SEC("fentry/tcp_v4_rcv") int BPF_PROG(tcp_v4_rcv, struct sk_buff *skb)
{
	return measure(skb->tstamp);
}

SEC("fentry/tcp_v4_do_rcv") int BPF_PROG(tcp_v4_do_rcv, struct sock *sk, struct sk_buff *skb)
{
	return measure(skb->tstamp);
}

SEC("fentry/tcp_queue_rcv") int BPF_PROG(tcp_queue_rcv, struct sock *sk, struct sk_buff *skb)
{
	return measure(skb->tstamp);
}

/* The skb is gone. */
SEC("fentry/tcp_cleanup_rbuf") int BPF_PROG(tcp_cleanup_rbuf, struct sock *sk)
{
	return measure(0);
}

char LICENSE[] SEC("license") = "GPL";
