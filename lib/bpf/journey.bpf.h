/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The journey of each packet from hook to hook, for BPF programs: at which hook it was last, and
 * when. One table for all CPUs, as packets change them: by RPS, in a socket's backlog or queue.
 *
 * What is found there is never a guess. An skb's address is soon used again, so a journey begins
 * anew at netif-receive, where every packet comes by. Clones do not: these have addresses of their
 * own, and the hook before the first that they come to is unknown. So that none is taken for a
 * packet that was there before, the receive stamp must be the same, except for TCP, which is not
 * cloned on reception, and whose backlog gives a segment the stamp of the one that it merges with.
 */
#ifndef NETSTACKLAT_JOURNEY_BPF_H
#define NETSTACKLAT_JOURNEY_BPF_H

#include "lib/bpf/address.bpf.h"
#include "lib/bpf/hook.bpf.h"
#include "lib/bpf/packet.bpf.h"

#define JOURNEY_SET_BITS (WITH_SLOW ? 13 : 14)
#define NR_JOURNEY_SETS (1 << JOURNEY_SET_BITS)
/* So many of one hash are known at a time; then the one not seen for longest is forgotten. */
#define NR_JOURNEY_WAYS 4

struct journey {
	const struct sk_buff *skb; /* whose it is; not to be read from */
	__u64 stamp_ns;		   /* its receive stamp; 0 if that may change yet */
	__u64 last;		   /* LAST_HOOK() */
#if WITH_SLOW
	struct passed passed;
#endif
};

/*
 * 1.5 MiB, for 65536 packets on their way; or 2 MiB for half as many, with all hooks passed.
 * Before Linux 5.11, there may be no more than 4 MiB.
 */
static struct journey journeys[NR_JOURNEY_SETS][NR_JOURNEY_WAYS];

#if WITH_SLOW
/* NR_PASSED for those at which a packet is queued or read. */
static __always_inline int hook_place(enum hook hook)
{
	switch (hook) {
	case HOOK_netif_receive:
		return 0;
	case HOOK_ip_rcv:
		return 1;
	case HOOK_ip_forward:
	case HOOK_tcp_start:
	case HOOK_udp_start:
	case HOOK_icmp_start:
		return 2;
	case HOOK_tcp_do_rcv:
	case HOOK_udp_queue_rcv:
		return 3;
	case HOOK_tcp_data_queue:
		return 4;
	default:
		return NR_PASSED;
	}
}

static __always_inline void journey_pass(struct journey *journey, enum hook hook, __u64 last)
{
	if (hook_place(hook) < NR_PASSED)
		journey->passed.at[hook_place(hook)] = last;
}

/* To tell of it where the packet is. */
static __always_inline void journey_show(struct packet *packet, struct journey *journey)
{
	packet->passed = &journey->passed;
}

static __always_inline void journey_has_begun(struct journey *journey, __u64 first)
{
	journey->passed.at[0] = first;
	/* Not all come by here, and a TCP segment is remembered without a way to tell. */
	journey->passed.at[4] = 0;
}
#else
#define journey_pass(journey, hook, last)
#define journey_show(packet, journey)
#define journey_has_begun(journey, first)
#endif

static __always_inline struct journey *journey_set(const struct sk_buff *skb)
{
	return journeys[address_hash(skb, JOURNEY_SET_BITS)];
}

static __always_inline struct journey *journey_find(const struct sk_buff *skb)
{
	struct journey *set = journey_set(skb);

	/* One base for all ways: the compiler makes each of its own, 2 instructions more. */
	barrier_var(set);
	for (int way = 0; way < NR_JOURNEY_WAYS; way++)
		if (set[way].skb == skb)
			return &set[way];
	return NULL;
}

/* The place of the same address, or of the packet that was not seen for longest. */
static __always_inline struct journey *journey_place(const struct sk_buff *skb)
{
	struct journey *set = journey_set(skb), *journey = set;

	for (int way = 0; way < NR_JOURNEY_WAYS; way++) {
		if (set[way].skb == skb)
			return &set[way];
		if (set[way].last < journey->last)
			journey = &set[way];
	}
	return journey;
}

static __always_inline void journey_begin(struct journey *journey, const struct sk_buff *skb,
					  __u64 stamp_ns, __u64 last, __u64 first)
{
	/* Another CPU must not find the packet that was there with what is known of this one. */
	journey->skb = NULL;
	barrier();
	journey->stamp_ns = stamp_ns;
	journey->last = last;
	journey_has_begun(journey, first);
	barrier();
	journey->skb = skb;
}

/*
 * At netif-receive. Behind a bridge, a packet comes by again, from the bridge itself: what it took
 * since the first time is part of its way to IP. Returns when that was, or 0 at the first time.
 */
static __always_inline __u64 journey_begin_or_repeat(struct packet *packet, __u64 stamp_ns)
{
	struct journey *journey = journey_place(packet->skb);
	__u64 last = packet->last;

	journey_show(packet, journey);
	if (stamp_ns && journey->stamp_ns == stamp_ns && journey->skb == packet->skb &&
	    LAST_HOOK_FROM(journey->last) >> 1 == LAST_HOOK_FROM(last) >> 1)
		return journey->last;
	journey_begin(journey, packet->skb, stamp_ns, last, last);
	return 0;
}

/* Whether the packet at this address is still the one that was there at the hook before. */
static __always_inline bool journey_is_of(struct journey *journey, enum hook hook, __u64 stamp_ns)
{
	if (hook_paths(hook) == PATH_TCP || journey->stamp_ns == stamp_ns)
		return true;
	if (journey->stamp_ns)
		return false;
	journey->stamp_ns = stamp_ns;
	return true;
}

/* Its address is new to the table, as we have just been attached, or it is a clone. */
static __noinline __u64 journey_begin_midway(struct sk_buff *skb, enum hook hook, __u64 now_ns)
{
	__u64 last = LAST_HOOK(now_ns, STAGE_FROM(hook, skb->protocol != bpf_htons(ETH_P_IP)));

	journey_begin(journey_place(skb), skb, skb->tstamp, last, 0);
	return last;
}

/* For a program at entry: begins a journey from nowhere, which the one at return goes on with. */
static __always_inline __u64 journey_last_or_begin(struct sk_buff *skb)
{
	struct journey *journey = journey_find(skb);

	if (journey && journey_is_of(journey, HOOK_raw_socket_enqueued, skb->tstamp))
		return journey->last;
	journey_begin(journey_place(skb), skb, skb->tstamp, LAST_HOOK(1ULL, 0), 0);
	return skb->protocol != bpf_htons(ETH_P_IP);
}

/* Where a packet that is dropped was last, with its own stamp; 0 if that is not known. */
static __always_inline __u64 journey_end(struct packet *packet)
{
	struct journey *journey = journey_find(packet->skb);
	__u64 stamp_ns = packet_stamp_ns(packet);

	if (!journey || !stamp_ns || journey->stamp_ns != stamp_ns)
		return 0;
	journey_show(packet, journey);
	return journey->last;
}

/*
 * Functions for packets of one IP version: in front of them, there may be a VLAN's header, and
 * skb->protocol tells nothing of IP. (tcp_v6_do_rcv() takes IPv4 for sockets that speak both.) A
 * switch, as in probe_may_be_off().
 */
static __always_inline __u64 probe_is_ipv6(enum probe probe, __u64 before)
{
	switch (probe) {
	case PROBE_ip_rcv_core:
	case PROBE_ip_forward:
	case PROBE_tcp_v4_rcv:
	case PROBE_udp_rcv:
	case PROBE_icmp_rcv:
	case PROBE_udp_queue_rcv_one_skb:
		return 0;
	case PROBE_ip6_rcv_core:
	case PROBE_ip6_forward:
	case PROBE_tcp_v6_rcv:
	case PROBE_udpv6_rcv:
	case PROBE_icmpv6_rcv:
	case PROBE_udpv6_queue_rcv_one_skb:
		return 1;
	default:
		return before & 1;
	}
}

/* TCP may merge what it queues; of what was read, nothing is left. */
static __always_inline bool journey_ends_at(enum probe probe)
{
	return hook_has(probe_hook(probe)) & HAS_READER || probe == PROBE_tcp_queue_rcv;
}

static __always_inline void journey_go_on(struct journey *journey, enum probe probe, __u64 last)
{
	journey_pass(journey, probe_hook(probe), last);
	if (journey_ends_at(probe)) {
		journey->skb = NULL;
		journey->last = 0;
	} else {
		journey->last = last;
	}
}

/* At return, what is known comes from the program before, as a fast reader may be done with it. */
static __always_inline __u64 journey_step_kept(enum probe probe, struct packet *packet,
					       __u64 now_ns)
{
	struct journey *journey = journey_find(packet->skb);
	__u64 before = packet->kept->last;

	packet->last = LAST_HOOK(now_ns, STAGE_FROM(probe_hook(probe), before & 1));
	if (journey) {
		journey_go_on(journey, probe, packet->last);
		journey_show(packet, journey);
	}
	return before;
}

/*
 * A packet comes to a program, which is at a hook or only there for what others need. Returns where
 * it was before, or nowhere, and leaves in packet->last where it is now.
 */
static __always_inline __u64 journey_step(enum probe probe, struct packet *packet, __u64 now_ns,
					  bool is_hook)
{
	struct journey *journey;
	__u64 before, is_ipv6;

	/* Of what was read from TCP, its program knows where it was. */
	if (!(packet->has & HAS_SKB))
		return packet->last;
	if (packet->kept)
		return journey_step_kept(probe, packet, now_ns);
	if (probe == PROBE_netif_receive_skb) {
		packet->last = LAST_HOOK(
			now_ns, STAGE_FROM(HOOK_netif_receive, packet_ip_version(packet) == 6));
		return journey_begin_or_repeat(packet, packet->stamp_ns);
	}

	journey = journey_find(packet->skb);
	if (!journey || !journey_is_of(journey, probe_hook(probe), packet->stamp_ns)) {
		packet->last =
			is_hook ? journey_begin_midway(packet->skb, probe_hook(probe), now_ns)
				: probe_is_ipv6(probe, 0);
		return 0;
	}
	before = journey->last;
	is_ipv6 = probe_is_ipv6(probe, before);
	before = (before & ~1ULL) | is_ipv6;
	packet->last = before;
	if (is_hook)
		packet->last = LAST_HOOK(now_ns, STAGE_FROM(probe_hook(probe), is_ipv6));
	journey_go_on(journey, probe, packet->last);
	journey_show(packet, journey);
	return before;
}

#endif
