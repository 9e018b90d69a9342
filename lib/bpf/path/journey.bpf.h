/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The journey of each packet from hook to hook, for BPF programs: at which hook it was last, and
 * when. There is one table for all CPUs, as packets move between them: by RPS, in a socket's
 * backlog or queue. The table never guesses. An skb's address is soon used again, so a journey
 * begins anew at netif-receive, where every packet comes by. Clones do not come by there: they have
 * addresses of their own, and the hook before the first that they come to is unknown. So that no
 * clone is taken for a packet that was there before, the receive stamp must be the same. TCP is the
 * exception: it is not cloned on reception, and its backlog gives a segment the stamp of the one
 * that it merges with.
 */
#ifndef NETSTACKLAT_JOURNEY_BPF_H
#define NETSTACKLAT_JOURNEY_BPF_H

#include "lib/bpf/kernel/address.bpf.h"
#include "lib/bpf/kernel/clock.bpf.h"
#include "lib/bpf/kernel/device.bpf.h"
#include "lib/bpf/path/hook.bpf.h"
#include "lib/bpf/path/packet.bpf.h"
#include "lib/bpf/kernel/rounds.bpf.h"
#include "lib/tables/slow_packet.h"

#define JOURNEY_SET_BITS 14
#define NR_JOURNEY_SETS (1 << JOURNEY_SET_BITS)
/*
 * So many packets of one hash are known at a time; then the one not seen for longest is forgotten.
 */
#define NR_JOURNEY_WAYS 4

struct journey {
	const struct sk_buff *skb; /* whose it is; not to be read from */
	__u64 stamp_ns;		   /* its receive stamp; ARRIVED() or 0 if that may change yet */
	__u64 last;		   /* LAST_HOOK() */
	__u64 nr_passed;	   /* with slow packets: hooks, see journey_passed */
};

/*
 * A packet that came without a receive stamp has this instead, with the stamp that it would have.
 * Stamps are no negative numbers.
 */
#define ARRIVED(stamp_ns) (~(stamp_ns))
#define HAS_ARRIVED(stamp_ns) ((__s64)(stamp_ns) < 0)

/* 2 MiB, for 65536 packets on their way. Before Linux 5.11, there may be no more than 4 MiB. */
static struct journey journeys[NR_JOURNEY_SETS][NR_JOURNEY_WAYS];

/*
 * The hooks that a packet passed; entries behind these are left from others. The map is only
 * created with slow packets.
 */
MAP(WITH_STAGES, journey_passed, __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, (NR_JOURNEY_SETS * NR_JOURNEY_WAYS)); __type(key, __u32);
    __type(value, struct passed););

/* All that is not IPv4 is taken for IPv6, where nothing better is known. */
static __always_inline bool skb_is_ipv6(const struct sk_buff *skb)
{
	return skb->protocol != bpf_htons(ETH_P_IP);
}

static __always_inline struct passed *journey_passed_of(const struct journey *journey)
{
	__u32 number = ((__u64)journey - (__u64)journeys) / sizeof(*journey);

	return bpf_map_lookup_elem(&journey_passed, &number);
}

static __always_inline void journey_pass(struct journey *journey, __u64 last)
{
	struct passed *passed;

	if (!static_branch(BRANCH_SLOW))
		return;
	passed = journey_passed_of(journey);
	if (passed && journey->nr_passed < NR_PASSED)
		passed->at[journey->nr_passed++] = last;
}

static __always_inline struct journey *journey_set(const struct sk_buff *skb)
{
	return journeys[address_hash(skb, JOURNEY_SET_BITS)];
}

static __always_inline struct journey *journey_find(const struct sk_buff *skb)
{
	struct journey *set = journey_set(skb);

	/*
	 * One base serves all ways: the compiler would make one for each, with 2 more instructions.
	 */
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

/*
 * Finds the hooks that a packet passed, and their number, by the last of them, even if its journey
 * has ended. Returns NULL if they are not known.
 */
static __always_inline const struct passed *journey_find_passed(const struct sk_buff *skb,
								__u64 last, __u64 *nr)
{
	struct journey *set = journey_set(skb);

	for (int way = 0; way < NR_JOURNEY_WAYS; way++) {
		const struct passed *passed = journey_passed_of(&set[way]);
		__u64 i = set[way].nr_passed - 1;

		/* Compared as it is used: the verifier must see that it is in range. */
		barrier_var(i);
		if (!passed || i >= NR_PASSED || passed->at[i] != last)
			continue;
		*nr = i + 1;
		return passed;
	}
	return NULL;
}

/* Fills in so many hooks that a packet passed, if they are known. */
static __always_inline void passed_copy(const struct passed *passed, __u64 nr, struct passed *copy)
{
	for (__u64 hook = 0; passed && hook < NR_PASSED; hook++)
		copy->at[hook] = hook < nr ? passed->at[hook] : 0;
}

static __always_inline void journey_begin(struct journey *journey, const struct sk_buff *skb,
					  __u64 stamp_ns, __u64 last)
{
	/* Another CPU must not find the previous packet with the new one's journey. */
	journey->skb = NULL;
	barrier();
	journey->stamp_ns = stamp_ns;
	journey->last = last;
	if (static_branch(BRANCH_SLOW))
		journey->nr_passed = 0;
	barrier();
	journey->skb = skb;
}

/*
 * Returns a number that tells packets apart on their way out, where the receive stamp does not. A
 * forwarded packet has lost its stamp, but has its interface. TCP's segments have the time at which
 * their burst began; most others have nothing.
 */
static __always_inline __u64 journey_sent_stamp(const struct sk_buff *skb)
{
	return skb->skb_iif ?: (__u64)skb->tstamp;
}

/*
 * The same number for a packet that was given another time to leave by a filter at its device's
 * egress, as filters do that limit the bandwidth of a container.
 */
#define SHAPED(stamp_ns) (~(stamp_ns))

/* Returns whether the packet at this address has the stamp with which it came to a queue. */
static __always_inline bool journey_has_queued_stamp(const struct journey *journey,
						     const struct sk_buff *skb)
{
	__u64 stamp_ns = journey_sent_stamp(skb);

	return journey->stamp_ns == stamp_ns || journey->stamp_ns == SHAPED(stamp_ns);
}

/*
 * Returns whether the packet comes to its device's queue right from that device's egress. It has
 * just come by there, and nothing but its stamp may have changed.
 */
static __always_inline bool journey_is_from_egress(const struct journey *journey, enum hook hook)
{
	return hook == HOOK_tx_queue && LAST_PLACE(journey->last) == PLACE(HOOK_egress);
}

/* The socket tells packets apart, too, up to the queue, where netem makes them orphans. */
static __always_inline __u64 journey_sent_stamp_and_socket(const struct sk_buff *skb,
							   const struct sock *sk)
{
	return skb->skb_iif ?: (__u64)skb->tstamp ^ address_low(sk);
}

/*
 * Returns when a packet without a receive stamp came to this CPU's backlog, or was handed to a
 * device like veth that has a queue of its own; 0 if that is not known.
 */
static __always_inline __u64 journey_arrived_ns(const struct journey *journey,
						const struct sk_buff *skb)
{
	const __u64 places = 1ULL << PLACE(IN_BACKLOG) | places_departed;

	if (journey->skb != skb || journey->stamp_ns != (__u64)skb->tstamp ||
	    !IN_PLACES(journey->last, places))
		return 0;
	return LAST_HOOK_NS(journey->last);
}

/* Inline, the compiler would no longer know which members of a packet are left out. */
static __noinline bool is_bridge(const struct net_device *dev)
{
	return device_is_a(dev, "bridge");
}

/*
 * Returns whether a packet without a receive stamp comes by again, from a bridge. It has the
 * address of the one that came to the bridge's port, and nothing comes from a bridge but by a port.
 */
static __always_inline bool journey_comes_from_bridge(const struct journey *journey,
						      const struct packet *packet)
{
	return journey->skb == packet->skb && HAS_ARRIVED(journey->stamp_ns) &&
	       LAST_PLACE(journey->last) == PLACE(HOOK_netif_receive) && is_bridge(packet->dev);
}

/*
 * Begins a journey. Behind a bridge, a packet comes by again, from the bridge itself, and the time
 * since its first visit is part of its way to IP. Returns when the first visit was, or 0 if this is
 * the first.
 */
static __always_inline __u64 journey_begin_or_repeat(struct packet *packet)
{
	struct journey *journey = journey_place(packet->skb);
	__u64 stamp_ns = packet->stamp_ns, here = packet->here;

	if (!stamp_ns) {
		if (journey_comes_from_bridge(journey, packet))
			return journey->last;
		packet->arrived_ns = journey_arrived_ns(journey, packet->skb);
		stamp_ns = ARRIVED((packet->arrived_ns ?: packet->now_ns) - clock_offset_ns);
	}
	if (journey->stamp_ns == stamp_ns && journey->skb == packet->skb &&
	    LAST_PLACE(journey->last) == LAST_PLACE(here))
		return journey->last;
	journey_begin(journey, packet->skb, stamp_ns, here);
	journey_pass(journey, here);
	return 0;
}

/*
 * A packet that IP sends begins anew: nothing tells it from one that a socket sent at this address
 * before.
 */
static __always_inline void journey_begin_sent(struct packet *packet)
{
	struct journey *journey = journey_place(packet->skb);

	journey_begin(journey, packet->skb, journey_sent_stamp_and_socket(packet->skb, packet->sk),
		      packet->here);
	journey_pass(journey, packet->here);
}

/* One of the kernel's enum: a clone that was allocated together with its original, as TCP does. */
#define SKB_FCLONE_CLONE 2

/*
 * Returns whether a packet that is sent is the one that has come in, and not a copy of it: a bridge
 * floods copies to all ports but one. A packet of TCP that comes in by a veth is a clone anyway.
 */
static __always_inline bool sent_is_received(const struct sk_buff *skb)
{
	return skb->skb_iif && (!BPF_CORE_READ_BITFIELD(skb, cloned) ||
				BPF_CORE_READ_BITFIELD(skb, fclone) == SKB_FCLONE_CLONE);
}

/*
 * Where a journey begins, the socket tells packets apart, too. A packet that a bridge or tc passes
 * on has lost its receive stamp since it came in.
 */
static __always_inline bool journey_is_of_sent(const struct journey *journey,
					       const struct sk_buff *skb, const struct sock *sk)
{
	if (LAST_PLACE(journey->last) == PLACE(HOOK_netif_receive))
		return sent_is_received(skb);
	if (IN_PLACES(journey->last, places_begin_sent))
		return journey->stamp_ns == journey_sent_stamp_and_socket(skb, sk);
	return journey->stamp_ns == journey_sent_stamp(skb);
}

/*
 * Returns whether a packet was on its way out. It may come in next, by netif-receive; a clone that
 * was made later is another packet.
 */
static __always_inline bool journey_is_sent(const struct journey *journey)
{
	return IN_PLACES(journey->last, places_sent | 1ULL << PLACE(IS_SEGMENT));
}

/*
 * Returns whether a packet on its way out may come to this hook from where it was last: from a hook
 * before it, from a device above this one, or as a segment of one that IP segmented. Any other
 * packet did not begin where others do (AF_PACKET), and has the address of one that is gone.
 */
static __always_inline bool journey_may_lead_to(const struct journey *journey, enum hook hook,
						const struct net_device *dev)
{
	__u32 place = LAST_PLACE(journey->last);

	if (place < PLACE(hook) || place == PLACE(IS_SEGMENT))
		return true;
	return IN_PLACES(journey->last, places_departed) && sent_may_be_from_above(dev);
}

/* Returns whether the packet at this address is still the one that was there at the hook before. */
static __always_inline bool journey_is_of(struct journey *journey, enum hook hook,
					  const struct packet *packet)
{
	const struct sk_buff *skb = packet->skb;

	/* From the queue on, wherever a packet is followed to, it is known without its socket. */
	if (hook_table[hook].has & HAS_DEPARTURE)
		return journey_has_queued_stamp(journey, skb);
	if (journey_is_from_egress(journey, hook))
		return true;
	if (hook_table[hook].has & HAS_SENT)
		return journey_may_lead_to(journey, hook, packet->dev) &&
		       journey_is_of_sent(journey, skb, packet->sk);
	if (hook_table[hook].paths == PATH_TCP)
		return true;
	if (journey->stamp_ns && !HAS_ARRIVED(journey->stamp_ns))
		return journey->stamp_ns == packet->stamp_ns;
	if (journey_is_sent(journey))
		return false;
	if (packet->stamp_ns)
		journey->stamp_ns = packet->stamp_ns;
	return true;
}

/*
 * Returns whether a packet that a process reads is in a tun, and not in a socket: a packet that
 * comes in has left the devices that sent it.
 */
static __always_inline bool journey_is_in_tun(const struct sk_buff *skb)
{
	const struct journey *journey = journey_find(skb);

	return journey && IN_PLACES(journey->last, places_departed) && sent_to_process(skb->dev);
}

/*
 * Its address is new to the table: either the programs have just been attached, or it is a clone.
 */
static __noinline __u64 journey_begin_midway(struct sk_buff *skb, enum hook hook, __u64 now_ns)
{
	__u64 last = LAST_HOOK(now_ns, STAGE_FROM(hook, skb_is_ipv6(skb)));

	journey_begin(journey_place(skb), skb,
		      hook_table[hook].has & HAS_SENT ? journey_sent_stamp(skb) : skb->tstamp,
		      last);
	return last;
}

/* BIG TCP may send 512 KiB at once: as many, with 1 KiB of data each. */
#define MAX_SEGMENTS 512

/* The context of the rounds below. */
struct journey_segments {
	struct sk_buff *next;
	__u64 stamp_ns; /* as of the packet that they were */
	__u64 last;	/* where that was: of the next one */
	__u64 last_of_others;
};

/* Begins the journey of one of them. Returns 1 behind the last. */
static long journey_begin_segment(__u32 round, void *context)
{
	struct journey_segments *segments = context;
	struct sk_buff *segment = segments->next;

	/* There is none, or an error (IS_ERR()). */
	if (!segment || (__u64)segment >= -4095ULL)
		return 1;
	journey_begin(journey_place(segment), segment, segments->stamp_ns, segments->last);
	segments->next = ((const struct sk_buff___bytes *)segment)->next;
	segments->last = segments->last_of_others;
	return 0;
}

static __always_inline int journey_begin_segments(struct journey_segments segments)
{
	for_each_round(static_branch(BRANCH_BPF_LOOP), MAX_SEGMENTS, journey_begin_segment,
		       &segments);
	return 0;
}

/* Returns whether a packet that was sent here has come to a queue, where its stamp changes. */
static __always_inline bool journey_is_queued(const struct journey *journey,
					      const struct sk_buff *skb)
{
	return journey_has_queued_stamp(journey, skb) &&
	       IN_PLACES(journey->last, places_sent & ~places_departed);
}

/*
 * A packet is segmented in its queue: its first segment goes on with its journey, and the others
 * are known as segments. If it is segmented elsewhere, no segment goes on.
 */
static __always_inline int journey_go_on_with_segments(const struct sk_buff *skb,
						       struct sk_buff *first)
{
	const struct journey *journey = journey_find(skb);
	__u64 last;

	if (!journey || !journey_is_queued(journey, skb))
		return 0;
	last = journey->last;
	return journey_begin_segments((struct journey_segments){
		.next = first,
		.stamp_ns = journey_sent_stamp(skb),
		.last = last,
		.last_of_others = LAST_HOOK(LAST_HOOK_NS(last), STAGE_FROM(IS_SEGMENT, last & 1)),
	});
}

/* Finds the journey of a packet that comes to a hook on its way in; NULL if it is not known. */
static __always_inline struct journey *journey_find_received(struct sk_buff *skb, enum hook hook)
{
	const struct packet packet = { .skb = skb, .stamp_ns = skb->tstamp };
	struct journey *journey = journey_find(skb);

	return journey && journey_is_of(journey, hook, &packet) ? journey : NULL;
}

/* A packet of several datagrams comes to a socket that takes one at a time: all go on. */
static __always_inline int journey_go_on_with_datagrams(struct sk_buff *skb, struct sk_buff *first)
{
	const struct journey *journey = journey_find_received(skb, HOOK_udp_queue_rcv);

	if (!journey)
		return 0;
	return journey_begin_segments((struct journey_segments){
		.next = first,
		.stamp_ns = journey->stamp_ns,
		.last = journey->last,
		.last_of_others = journey->last,
	});
}

/*
 * Begins a journey from nowhere, for a program at a function's entry; the program at its return
 * goes on with it.
 */
static __always_inline void journey_begin_from_nowhere(struct sk_buff *skb)
{
	journey_begin(journey_place(skb), skb, skb->tstamp, LAST_HOOK(1ULL, 0));
}

/* Returns where a packet was last. If that is not known, its journey begins from nowhere. */
static __always_inline __u64 journey_last_or_begin(struct sk_buff *skb, enum hook hook)
{
	const struct journey *journey = journey_find_received(skb, hook);

	if (journey)
		return journey->last;
	journey_begin_from_nowhere(skb);
	return skb_is_ipv6(skb);
}

/*
 * Returns whether the packet that is dropped at this address is the one that was at the hook
 * before, whichever hook that was. On the way in, only a receive stamp tells.
 */
static __always_inline bool journey_is_of_dropped(const struct journey *journey,
						  const struct packet *packet)
{
	if (IN_PLACES(journey->last, places_sent | places_forwarded))
		return journey_is_of_sent(journey, packet->skb, packet->skb->sk);
	return packet->stamp_ns && journey->stamp_ns == packet->stamp_ns;
}

/* Returns where a packet that is dropped was last; 0 if that is not known. */
static __always_inline __u64 journey_end(struct packet *packet)
{
	struct journey *journey = journey_find(packet->skb);

	return journey && journey_is_of_dropped(journey, packet) ? journey->last : 0;
}

static __always_inline __u64 probe_is_ipv6(enum probe probe, __u64 before)
{
	return probe_table[probe].ip == IP_ANY ? before & 1 : probe_table[probe].ip == IP_V6;
}

/*
 * Returns the number that a packet on its way is known by behind a hook: SHAPED() if its egress
 * changed that.
 */
static __always_inline __u64 journey_next_stamp(const struct journey *journey, enum hook hook,
						const struct sk_buff *skb)
{
	__u64 stamp_ns = journey_sent_stamp(skb);

	if (journey_is_from_egress(journey, hook) && journey->stamp_ns != stamp_ns)
		return SHAPED(stamp_ns);
	return stamp_ns;
}

static __always_inline void journey_go_on(struct journey *journey, enum probe probe,
					  const struct sk_buff *skb, __u64 last)
{
	journey_pass(journey, last);
	if (probe_has(probe) & HAS_SENT ||
	    hook_table[probe_table[probe].hook].paths == PATH_FORWARD)
		journey->stamp_ns = journey_next_stamp(journey, probe_table[probe].hook, skb);
	if (probe_journey(probe) == JOURNEY_ENDS) {
		journey->skb = NULL;
		journey->last = 0;
	} else {
		journey->last = last;
	}
}

/*
 * At return, the program at entry has kept where the packet was: a fast reader may be done with the
 * packet.
 */
static __always_inline __u64 journey_step_kept(enum probe probe, struct packet *packet)
{
	struct journey *journey = journey_find(packet->skb);
	__u64 before = packet->kept->last;

	packet->here = LAST_HOOK(packet->now_ns, STAGE_FROM(probe_table[probe].hook, before & 1));
	if (journey)
		journey_go_on(journey, probe, packet->skb, packet->here);
	return before;
}

/*
 * If a packet's sender paces it, its wait in the queue counts from its time to leave on, by the
 * same clock. A packet that is shaped here waits for that time in the queue, and so does one that
 * has come in, as no sender of this host has paced it.
 */
static __always_inline __u64 journey_before_departure(const struct journey *journey,
						      const struct packet *packet)
{
	__u64 departure_ns = packet->skb->tstamp;

	if (journey->stamp_ns == departure_ns && departure_ns > LAST_HOOK_NS(journey->last) &&
	    departure_ns <= packet->now_ns)
		return LAST_HOOK(departure_ns, LAST_HOOK_FROM(journey->last));
	return journey->last;
}

/*
 * A packet comes to a program, which may be at a hook, or only serve others. Returns where the
 * packet was before, or nowhere, and leaves in packet->here where it is now.
 */
static __always_inline __u64 journey_step(enum probe probe, struct packet *packet)
{
	enum hook hook = probe_table[probe].hook;
	struct journey *journey;
	__u64 before, is_ipv6;

	/* The program of what was read from TCP knows where it was. */
	if (!(packet->has & HAS_SKB))
		return packet->before;
	if (packet->kept)
		return journey_step_kept(probe, packet);
	if (probe_journey(probe) == JOURNEY_BEGINS) {
		is_ipv6 = probe_is_ipv6(probe, skb_is_ipv6(packet->skb));
		packet->here = LAST_HOOK(packet->now_ns, STAGE_FROM(hook, is_ipv6));
		if (!(packet->has & HAS_SENT))
			return journey_begin_or_repeat(packet);
		journey_begin_sent(packet);
		return 0;
	}

	journey = journey_find(packet->skb);
	if (!journey || !journey_is_of(journey, hook, packet)) {
		packet->here = probe_is_ipv6(probe, 0);
		if (is_asked_for(probe, TASK_FOLLOW))
			packet->here = journey_begin_midway(packet->skb, hook, packet->now_ns);
		return 0;
	}
	before = probe_has(probe) & HAS_DEPARTURE ? journey_before_departure(journey, packet)
						  : journey->last;
	is_ipv6 = probe_is_ipv6(probe, before);
	before = (before & ~1ULL) | is_ipv6;
	/*
	 * TCP of this host has its time to leave as it comes, and gets a stamp only behind
	 * netfilter (skb_clear_delivery_time(), Linux 5.18).
	 */
	if (hook == HOOK_tcp_socket_enqueued && HAS_ARRIVED(journey->stamp_ns))
		packet->stamp_ns = ARRIVED(journey->stamp_ns);
	packet->here = before;
	if (is_asked_for(probe, TASK_FOLLOW))
		packet->here = LAST_HOOK(packet->now_ns, STAGE_FROM(hook, is_ipv6));
	journey_go_on(journey, probe, packet->skb, packet->here);
	return before;
}

#endif
