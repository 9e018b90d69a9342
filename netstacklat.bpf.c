// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF object: a histogram map for each hook, and programs for each probe, of the table in
 * lib/hooks.def. What the programs do is in lib/record.bpf.h.
 */
#include "vmlinux_local.h"
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "netstacklat.h"
#include "lib/record.bpf.h"
#include "lib/tcp_hol.bpf.h"

/* Without groups. The loader sets max_entries: NR_BUCKETS(resolution) for each probe. */
#define HOOK(id, ...)                                    \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1);                  \
		__type(key, __u32);                      \
		__type(value, struct bucket);            \
	} netstack_latency_##id##_seconds SEC(".maps");
#include "lib/hooks.def"

/* Whether an skb read from sk was read from a raw or ping socket; others are not ours. */
static __always_inline bool is_raw_or_ping(struct sock *sk)
{
	__u16 family = sk->__sk_common.skc_family;

	return (family == AF_INET || family == AF_INET6) &&
	       (sk->sk_type == SOCK_RAW || sk->sk_protocol == IPPROTO_ICMP ||
		sk->sk_protocol == IPPROTO_ICMPV6);
}

/*
 * The kinds of probes: macros of (program, variant, hook, function, arguments of the function). All
 * programs of a probe have the kernel function's name in their section.
 */
#define PROGRAM(section, name, ...) SEC(section) int BPF_PROG(name, __VA_ARGS__)
#define RECORD(variant, hook, function, has, ...)                                         \
	record(&netstack_latency_##hook##_seconds, PROBE_##function - FIRST_PROBE_##hook, \
	       PROBE_##function, variant, &(const struct packet){ has, __VA_ARGS__ })

#define AT_ENTRY(program, variant, hook, function, ...)                      \
	PROGRAM("fentry/" #function, program, __VA_ARGS__)                   \
	{                                                                    \
		return RECORD(variant, hook, function, HAS_SKB, .skb = skb); \
	}

/* Before the kernel has replaced transmit times. */
#define AT_ENTRY_OF_IP(program, variant, hook, function, ...)                \
	PROGRAM("fentry/" #function, program, __VA_ARGS__)                   \
	{                                                                    \
		if (stamp_is_for_tx(skb))                                    \
			return discard(PROBE_##function, DISCARD_NOT_RX);    \
		return RECORD(variant, hook, function, HAS_SKB, .skb = skb); \
	}

#define AT_SOCKET(program, variant, hook, function, ...)                                \
	PROGRAM("fentry/" #function, program, __VA_ARGS__)                              \
	{                                                                               \
		return RECORD(variant, hook, function, HAS_SKB | HAS_SOCKET | HAS_PORT, \
			      .skb = skb, .sk = sk);                                    \
	}

/* At return, of functions that return 0 if they put the skb on a queue, and for sockets of ours. */
#define IF_QUEUED_AND(ours, has_port, program, variant, hook, function, ...)             \
	PROGRAM("fentry/" #function, program##__entry, __VA_ARGS__)                      \
	{                                                                                \
		return packet_keep(skb, variant);                                        \
	}                                                                                \
	PROGRAM("fexit/" #function, program, __VA_ARGS__, int error)                     \
	{                                                                                \
		const struct kept_packet *kept;                                          \
                                                                                         \
		if (!(ours))                                                             \
			return 0;                                                        \
		if (error)                                                               \
			return discard(PROBE_##function, DISCARD_FILTERED);              \
		kept = packet_take(skb);                                                 \
		if (!kept)                                                               \
			return discard(PROBE_##function, DISCARD_RECURSION_MISS);        \
		return RECORD(variant, hook, function, HAS_KEPT | HAS_SOCKET | has_port, \
			      .kept = kept, .sk = sk);                                   \
	}
#define IF_QUEUED(...) IF_QUEUED_AND(true, HAS_PORT, __VA_ARGS__)
#define IF_RAW_QUEUED(...) IF_QUEUED_AND(is_raw_or_ping(sk), 0, __VA_ARGS__)

/* Data that may have waited behind a lost segment says nothing about this host. */
#define IF_TCP_READ(program, variant, hook, function, ...)                                 \
	PROGRAM("fentry/" #function, program, __VA_ARGS__)                                 \
	{                                                                                  \
		if (tcp_hol_delayed(sk))                                                   \
			return discard(PROBE_##function, DISCARD_FILTERED);                \
		return RECORD(variant, hook, function, HAS_SOCKET | HAS_PORT | HAS_READER, \
			      .sk = sk, .tss = tss);                                       \
	}

/* A negative length means that the packet was only peeked at. */
#define IF_UDP_READ(program, variant, hook, function, ...)                                         \
	PROGRAM("fentry/" #function, program, __VA_ARGS__)                                         \
	{                                                                                          \
		if (len < 0)                                                                       \
			return discard(PROBE_##function, DISCARD_FILTERED);                        \
		return RECORD(variant, hook, function,                                             \
			      HAS_SKB | HAS_SOCKET | HAS_PORT | HAS_READER, .skb = skb, .sk = sk); \
	}

#define IF_RAW_READ(program, variant, hook, function, ...)                                \
	PROGRAM("fentry/" #function, program, __VA_ARGS__)                                \
	{                                                                                 \
		if (!is_raw_or_ping(sk))                                                  \
			return 0;                                                         \
		return RECORD(variant, hook, function, HAS_SKB | HAS_SOCKET | HAS_READER, \
			      .skb = skb, .sk = sk);                                      \
	}

/* The program that counts has the function's name. Of its variants, the loader takes one. */
#ifdef ONLY_COUNTS /* for loaders that take all: what netstacklat loads by default */
#define PROBE(hook, kind, function, ...) kind(function, COUNTS, hook, function, __VA_ARGS__)
#else
#define PROBE(hook, kind, function, ...)                                        \
	kind(function, COUNTS, hook, function, __VA_ARGS__)                     \
		kind(function##__filters, FILTERS, hook, function, __VA_ARGS__) \
			kind(function##__groups, GROUPS, hook, function, __VA_ARGS__)
#endif
#include "lib/hooks.def"

/* The kernel lends its GPL-only helpers to GPL programs only. */
char LICENSE[] SEC("license") = "GPL";
