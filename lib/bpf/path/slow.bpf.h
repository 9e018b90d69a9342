/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports each slow packet to user space, for BPF programs. Only the comparison in slow_look() is
 * on the hot path: the rest is paid for slow packets alone.
 */
#ifndef NETSTACKLAT_SLOW_BPF_H
#define NETSTACKLAT_SLOW_BPF_H

#include "lib/bpf/kernel/address.bpf.h"
#include "lib/bpf/kernel/bytes.bpf.h"
#include "lib/bpf/kernel/cgroup.bpf.h"
#include "lib/bpf/path/hook.bpf.h"
#include "lib/bpf/kernel/clock.bpf.h"
#include "lib/bpf/path/journey.bpf.h"
#include "lib/bpf/path/packet.bpf.h"
#include "lib/bpf/path/startup.bpf.h"
#include "lib/bpf/path/reader_parts.bpf.h"
#include "lib/tables/slow_packet.h"

const volatile struct slow_config slow;

MAP(WITH_SLOW, netstack_slow_packets, __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, SLOW_RING_SIZE););

MAP(WITH_SLOW, netstack_slow_counts, __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NR_SLOW_COUNTS); __type(key, __u32); __type(value, __u64););

/*
 * The programs of all hooks call this, and may interrupt each other: no increment may undo another.
 */
static __always_inline int slow_count(enum slow_count what)
{
	__u32 key = what;
	__u64 *count = bpf_map_lookup_elem(&netstack_slow_counts, &key);

	if (count)
		__sync_fetch_and_add(count, 1);
	return 0;
}

/* A packet has this whose stamp is known to tell no latency. */
#define NO_LATENCY (~0ULL)

/*
 * The facts at a hook where a packet is slow. They are whole words, which the verifier keeps track
 * of.
 */
struct slow_at {
	const struct sk_buff *skb; /* NULL: there is none any more */
	const struct sock *sk;	   /* NULL: not known yet */
	const struct kept_packet *kept;
	const struct passed *passed; /* NULL: it is with the journey of the skb, if any */
	__u64 before, here; /* with stages: LAST_HOOK() of the hook before and of this, or 0 */
	__u64 latency_ns, now_ns;
	__u64 probe, has, reason;
	__u64 is_new, has_header;
};

/*
 * Packets that were reported lately, by stamp and skb. The datagrams of a batch (UDP_SEGMENT, GRO)
 * and clones share a stamp, but each has an skb of its own. TCP is known by the stamp alone, as it
 * has no skb any more where it is read, and neither batches nor clones there. Segments that count
 * from the same one (SO_RCVLOWAT) are reported as one.
 */
#define SLOW_REPORTED_BITS 11
static struct slow_reported {
	__u64 stamp_ns;
	const struct sk_buff *skb;
	__u64 latency_ns;
} slow_reported[1 << SLOW_REPORTED_BITS];

static __always_inline struct slow_reported *slow_reported_at(__u64 stamp_ns,
							      const struct sk_buff *skb)
{
	__u32 i = address_hash((const void *)stamp_ns, SLOW_REPORTED_BITS) ^
		  address_hash(skb, SLOW_REPORTED_BITS);

	return &slow_reported[i & ((1 << SLOW_REPORTED_BITS) - 1)];
}

static __always_inline void slow_remember(__u64 stamp_ns, const struct sk_buff *skb,
					  __u64 latency_ns)
{
	*slow_reported_at(stamp_ns, skb) = (struct slow_reported){ stamp_ns, skb, latency_ns };
}

/*
 * Returns whether a packet is to be reported: it was not reported yet, or is slower than it was
 * then, by least_ns or more.
 */
static __always_inline bool slow_is_unreported(const struct slow_at *at, __u64 latency_ns)
{
	__u64 stamp_ns = at->now_ns - clock_offset_ns - at->latency_ns;
	const struct slow_reported *reported = slow_reported_at(stamp_ns, at->skb);

	if (reported->stamp_ns == stamp_ns && reported->skb == at->skb &&
	    latency_ns < reported->latency_ns + slow.least_ns)
		return false;
	slow_remember(stamp_ns, at->skb, latency_ns);
	slow_remember(stamp_ns, NULL, latency_ns);
	return true;
}

/*
 * When the next packet would be reported if all came evenly. It may be a second ahead of now: so
 * many may come at once.
 */
static __u64 slow_next_ns;

/* CPUs that come at once may all pass. */
static __always_inline bool slow_is_allowed(__u64 now_ns)
{
	__u64 next_ns = slow_next_ns;

	if (next_ns < now_ns)
		next_ns = now_ns;
	if (next_ns > now_ns + NS_PER_S)
		return false;
	slow_next_ns = next_ns + slow.gap_ns;
	return true;
}

/* The bytes of a packet from its network header on. There is room behind their end. */
static __always_inline void slow_copy_bytes(struct slow_packet *event, const struct slow_at *at)
{
	const struct sk_buff___bytes *bytes = (const void *)at->skb;
	const unsigned char *head = at->skb->head;
	__u32 data = bytes->data - head, offset;

	/* The verifier does not let the compiler add half of a pointer to the length. */
	barrier_var(data);
	/* The header of a new packet is not noted yet. */
	offset = at->is_new ? data : at->skb->network_header;
	event->ethertype = at->skb->protocol;
	event->length = bytes->len + data - offset;
	event->nr_bytes = bytes_at_hand(offset, bytes->tail);
	if (event->nr_bytes)
		bpf_probe_read_kernel(event->bytes, sizeof(event->bytes), head + offset);
}

/*
 * At return, a fast reader may be done with the packet, and its memory may be another packet's. It
 * is still the same one if it is on a queue, and has its stamp.
 */
static __always_inline bool slow_is_queued(const struct slow_at *at)
{
	const struct sk_buff___bytes *skb = (const void *)at->skb;

	return skb->next && (__u64)at->skb->tstamp == at->kept->stamp_ns;
}

static __always_inline void slow_learn_skb(struct slow_packet *event, const struct slow_at *at,
					   const struct packet *packet)
{
	event->skb = (__u64)at->skb;
	if (at->has_header)
		slow_copy_bytes(event, at);
	event->ifindex = packet_ifindex(packet);
	if (!at->kept || slow_is_queued(at))
		return;
	event->nr_bytes = 0;
	event->ifindex = 0;
}

static __always_inline void slow_learn_addresses(struct slow_packet *event, const struct sock *sk)
{
	const struct sock___identity *local = (const void *)sk;

	event->family = sk->__sk_common.skc_family;
	event->sport = local->__sk_common.skc_dport;
	event->dport = bpf_htons(sk->__sk_common.skc_num);
	event->protocol = sk->sk_protocol;
	if (event->family == AF_INET) {
		event->saddr[0] = sk->__sk_common.skc_daddr;
		event->daddr[0] = local->__sk_common.skc_rcv_saddr;
		return;
	}
	for (int i = 0; i < 4; i++) {
		event->saddr[i] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[i];
		event->daddr[i] = local->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[i];
	}
}

/*
 * A reader of UDP moves all queued packets at once to a queue of its own (Linux 4.13,
 * 2276f58ac589).
 */
static __always_inline __u32 slow_udp_queue_length(const struct sock *sk)
{
	const struct udp_sock *up = (const void *)sk;

	return sk->sk_receive_queue.qlen + BPF_CORE_READ(up, reader_queue.qlen);
}

static __always_inline void slow_learn_socket(struct slow_packet *event, const struct slow_at *at)
{
	slow_learn_addresses(event, at->sk);
	event->cgroup = cgroup_id_of(at->sk);
	/* At return, the packet is on the queue itself. */
	if (at->has & HAS_QUEUE)
		event->queue_length = at->sk->sk_receive_queue.qlen - !!at->kept;
	else if (event->protocol == IPPROTO_UDP)
		event->queue_length = slow_udp_queue_length(at->sk);
}

static __always_inline void slow_learn_reader(struct slow_packet *event)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	event->pid = pid_tgid >> 32;
	event->tid = pid_tgid;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
}

static __always_inline void slow_learn(struct slow_packet *event, const struct slow_at *at)
{
	struct packet packet = {
		.skb = (void *)at->skb,
		.sk = at->sk,
		.has = at->has,
		.is_new = at->is_new,
	};

	packet_load_pointers(&packet);
	event->time_ns = at->now_ns - clock_offset_ns;
	event->netns = packet_netns(&packet);
	event->probe = at->probe;
	event->cpu = bpf_get_smp_processor_id();
	event->queue_length = -1;
	event->reason = at->reason;
	if (at->has & HAS_SKB)
		slow_learn_skb(event, at, &packet);
	if (at->has & HAS_SOCKET && !(at->has & HAS_SENT))
		slow_learn_socket(event, at);
	if (at->has & HAS_READER)
		slow_learn_reader(event);
}

static __always_inline void slow_learn_wakeup(struct slow_packet *event, const struct slow_at *at)
{
	__u64 queued_ns = LAST_HOOK_NS(at->before);
	const struct reader_parts *parts;

	if (!static_branch(BRANCH_WAKEUPS) || !(at->has & HAS_READER) || !queued_ns)
		return;
	parts = reader_parts(queued_ns, at->now_ns, NULL, 0, ANY_PORT);
	if (!parts)
		return;
	event->has_reader = true;
	event->slept_ns = parts->slept_ns;
	event->asleep_ns = parts->ns[READER_SLEEPS];
	event->ready_ns = parts->ns[READER_WAITS_FOR_CPU];
	event->asleep_in = parts->asleep_in;
	event->other = parts->other;
}

/*
 * Finds the hooks that a packet passed, and their number. Returns NULL if they are not known. The
 * skb is not compared with NULL: the verifier of Ubuntu's 6.8 takes arguments of tracepoints for
 * pointers that may be NULL, and wrongly applies what the comparison tells to the caller's copy,
 * too.
 */
static __always_inline const struct passed *slow_passed(const struct slow_at *at, __u64 *nr)
{
	*nr = NR_PASSED;
	if (at->passed)
		return at->passed;
	return at->has & HAS_SKB ? journey_find_passed(at->skb, at->here ?: at->before, nr) : NULL;
}

/* The first hook that a packet came by, as LAST_HOOK(); 0 if it is not known. */
static __always_inline __u64 slow_first_hook(const struct slow_at *at)
{
	__u64 nr;
	const struct passed *passed = slow_passed(at, &nr);

	return passed ? passed->at[0] : 0;
}

/*
 * Returns how long ago a packet was at the first hook of its journey that is known; 0 if none is.
 */
static __always_inline __u64 slow_travelled_ns(const struct slow_at *at)
{
	/*
	 * Compares in ns. If a word were compared with one that is 0, the verifier of Linux 6.1
	 * would draw wrong conclusions, also for the caller.
	 */
	__u64 began_ns = LAST_HOOK_NS(at->before), first_ns = LAST_HOOK_NS(slow_first_hook(at));

	if (!began_ns)
		return 0;
	if (first_ns && first_ns < began_ns)
		began_ns = first_ns;
	return at->now_ns - began_ns;
}

static __always_inline void slow_learn_journey(struct slow_packet *event, const struct slow_at *at)
{
	const struct passed *passed;
	__u64 nr;

	slow_learn_wakeup(event, at);
	event->before = LAST_HOOK_NS(at->before) ? at->before : 0;
	event->now_ns = at->now_ns;
	/* Looks for the hooks once more, as Linux 6.1 has no room on the stack for a copy. */
	passed = slow_passed(at, &nr);
	passed_copy(passed, nr, &event->passed);
}

/*
 * Returns whether a packet is slow by more than our own start, which had the CPUs wait while
 * programs were attached. With --slow=0, user space looks at all steps of a packet together.
 */
static __always_inline bool slow_is_late(__u64 since_ns, __u64 now_ns)
{
	if (static_branch(BRANCH_TRACE))
		return true;
	return startup.ended_ns && now_ns >= startup.ended_ns &&
	       ns_without_startup(&startup, since_ns, now_ns) >= slow.least_ns;
}

/* Returns whether all programs were there when the packet came by, so that its journey is whole. */
static __always_inline bool slow_was_followed(__u64 since_ns)
{
	return static_branch(BRANCH_TRACE) || since_ns >= startup.ended_ns;
}

static __always_inline int slow_report(const struct slow_at *at)
{
	/* The latency of a packet without a receive stamp is longer than the machine is up. */
	bool is_stamped = at->latency_ns <= bpf_ktime_get_boot_ns();
	__u64 latency_ns = is_stamped ? at->latency_ns : 0, travelled_ns;
	__u64 now_ns = bpf_ktime_get_ns(), since_ns;
	struct slow_packet *event;

	if (WITH_STAGES) {
		/* Local packets may have been on their way before they were stamped. */
		travelled_ns = slow_travelled_ns(at);
		latency_ns = latency_ns > travelled_ns ? latency_ns : travelled_ns;
	}
	since_ns = latency_ns < now_ns ? now_ns - latency_ns : 0;
	if (!slow_is_late(since_ns, now_ns) ||
	    (!static_branch(BRANCH_TRACE) && is_stamped && !slow_is_unreported(at, latency_ns)))
		return 0;
	if (!slow_is_allowed(now_ns))
		return slow_count(SLOW_LIMITED);
	event = bpf_ringbuf_reserve(&netstack_slow_packets, sizeof(*event), 0);
	if (!event)
		return slow_count(SLOW_NO_ROOM);
	__builtin_memset(event, 0, sizeof(*event));
	event->latency_ns = latency_ns;
	event->is_stamped = is_stamped;
	slow_learn(event, at);
	if (WITH_STAGES && slow_was_followed(since_ns))
		slow_learn_journey(event, at);
	bpf_ringbuf_submit(event, 0);
	return slow_count(SLOW_REPORTED);
}

static __noinline int slow_report_noinline(const struct slow_at *at)
{
	int result = slow_report(at);

	barrier_var(result);
	return result;
}

static __always_inline void slow_report_packet(enum probe probe, const struct packet *packet,
					       __u64 latency_ns)
{
	/*
	 * The register must have a known value. Else, the program would return whatever is in it,
	 * such as an address on the stack, which the verifier refuses.
	 */
	int result;
	__u64 before = packet->before;

	/*
	 * To the verifier, this is another number. Otherwise, Linux 6.1 applies to packet->before
	 * what it finds out in slow_report_noinline(), on ways that no packet goes, and refuses
	 * that as an index.
	 */
	asm volatile("%0 += 0" : "+r"(before));
	const struct slow_at at = {
		.skb = packet->skb,
		.sk = packet->sk,
		.kept = packet->kept,
		.passed = packet->passed,
		.before = before,
		.here = packet->here,
		.latency_ns = latency_ns,
		.now_ns = packet->now_ns,
		.probe = probe,
		.has = packet_has_reader(packet) ? packet->has : packet->has & ~HAS_READER,
		.reason = packet->reason,
		.is_new = packet->is_new,
		/* The header of a packet is not complete where IP sends it. */
		.has_header = !(packet->has & HAS_SENT) || probe_journey(probe) != JOURNEY_BEGINS,
	};

	result = slow_report_noinline(&at);
	barrier_var(result);
}

/* If the hook before is not known, the stage is as long as the machine is up. */
static __always_inline bool slow_is_stage(enum probe probe, const struct packet *packet)
{
	return WITH_STAGES && probe_journey(probe) != JOURNEY_BEGINS &&
	       packet->now_ns - LAST_HOOK_NS(packet->before) >= slow.least_ns;
}

/*
 * Looks whether a packet is slow: since its stamp, if it has one, or with stages, since the hook
 * before.
 */
static __always_inline void slow_look(enum probe probe, const struct packet *packet,
				      __u64 latency_ns)
{
	if (static_branch(BRANCH_TRACE) ||
	    (latency_ns != NO_LATENCY && latency_ns >= slow.least_ns) ||
	    slow_is_stage(probe, packet))
		slow_report_packet(probe, packet, latency_ns);
}

#endif
