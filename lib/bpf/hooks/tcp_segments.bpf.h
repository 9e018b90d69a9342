/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TCP segments from the receive queue to the reader, for BPF programs. The queue does not keep them
 * apart: it merges them, and keeps the newest stamp only. By that, the longer a reader starves, the
 * better it would look. So each segment's stamp is remembered with its socket. All of this runs
 * under the socket's lock.
 */
#ifndef NETSTACKLAT_TCP_SEGMENTS_BPF_H
#define NETSTACKLAT_TCP_SEGMENTS_BPF_H

#include "lib/bpf/path/record.bpf.h"
#include "lib/bpf/kernel/rounds.bpf.h"
#include "lib/tables/sequence.h"

/* Powers of two. Segments beyond these are not recorded, and counted as discarded. */
#define NR_SEGMENTS 128
#define NR_LATE_SEGMENTS 32

struct tcp_segments {
	__u32 first;	 /* the oldest; numbers only grow, and wrap */
	__u32 next;	 /* the one to come */
	__u32 late;	 /* which of late_*[] are in use, a bit each */
	__u32 peeked;	 /* the one behind those that somebody peeked at ... */
	__u64 peeked_ns; /* ... and when; with BRANCH_READER_WAITS */
	/* The segments in the order of the stream: where each ends, and when it was received. */
	__u32 end_seq[NR_SEGMENTS];
	__u64 stamp_ns[NR_SEGMENTS];
	/* The hooks that they passed, with stages: see journey.bpf.h. */
	__u64 last[WITH_STAGES ? NR_SEGMENTS : 0];
	__u64 late_last[WITH_STAGES ? NR_LATE_SEGMENTS : 0];
	/* The segments that came behind a lost one, in any order: only with -y. */
	__u32 late_end_seq[NR_LATE_SEGMENTS];
	__u64 late_stamp_ns[NR_LATE_SEGMENTS];
};

#define SEGMENT_MAP(feature, name, value_type)                    \
	MAP(feature, name, __uint(type, BPF_MAP_TYPE_SK_STORAGE); \
	    __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, value_type);)
SEGMENT_MAP(1, tcp_segments, struct tcp_segments);

/*
 * All hooks that each segment passed, with stages and slow packets. The map is not created without.
 * Linux 7.2 keeps no more than 8 KiB with a socket in one piece.
 */
struct tcp_segments_passed {
	struct passed of[NR_SEGMENTS];
};
_Static_assert(sizeof(struct tcp_segments_passed) < 7680, "room for the kernel's own, too");
SEGMENT_MAP(WITH_STAGES, tcp_segments_passed, struct tcp_segments_passed);

static __always_inline __u32 end_seq_of(const struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (const void *)skb->cb;

	return cb->end_seq;
}

/* The segments of a socket, also if it had none before. NULL without memory. */
static __always_inline struct tcp_segments *segments_of(struct sock *sk)
{
	return bpf_sk_storage_get(&tcp_segments, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
}

static __always_inline bool segments_have_passed(void)
{
	return WITH_STAGES && static_branch(BRANCH_SLOW);
}

static __always_inline void tcp_segment_keep_passed(struct sock *sk, __u32 i,
						    const struct packet *packet)
{
	struct tcp_segments_passed *passed;
	const struct passed *found;
	__u64 nr = 0;

	passed = bpf_sk_storage_get(&tcp_segments_passed, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!passed)
		return;
	passed->of[i].at[0] = 0;
	found = journey_find_passed(packet->skb, packet->here, &nr);
	passed_copy(found, nr, &passed->of[i]);
}

/* NULL if they were not kept. */
static __always_inline const struct passed *tcp_segment_passed(struct sock *sk, __u32 i)
{
	struct tcp_segments_passed *passed = bpf_sk_storage_get(&tcp_segments_passed, sk, 0, 0);

	return passed ? &passed->of[i] : NULL;
}

static __always_inline enum discard why_not_remembered(const struct tcp_segments *segments)
{
	return segments ? DISCARD_NOT_REMEMBERED : DISCARD_NO_MEMORY;
}

/*
 * Counts segments that will not be recorded, in the programs of several probes. One may interrupt
 * or preempt another, and must not undo the other's increments.
 */
static __noinline int discard_segments(enum discard cause, __u32 nr)
{
	__u64 *count = store_discard_count(PROBE_tcp_cleanup_rbuf, cause);

	if (count)
		__sync_fetch_and_add(count, nr);
	return 0;
}

/* The context of the rounds below. */
struct tcp_peeked {
	struct tcp_segments *segments;
	__u64 peer_ns; /* so long, what was peeked at waited for its peer */
};

/* Leaves that time out of one segment's wait. A segment from this host has no stamp. */
static long wait_without_peer(__u32 nr, void *context)
{
	const struct tcp_peeked *peeked = context;
	struct tcp_segments *segments = peeked->segments;
	__u32 number = segments->first + nr, i = number % NR_SEGMENTS;

	if (number == segments->peeked)
		return 1;
	if (segments->stamp_ns[i])
		segments->stamp_ns[i] += peeked->peer_ns;
	if (WITH_STAGES)
		segments->last[i] += LAST_HOOK(peeked->peer_ns, 0);
	return 0;
}

/*
 * A reader that peeks has seen its data, and wants more. So the data waits for the peer from the
 * peek on, until the next segment comes, which is now.
 */
static __always_inline void tcp_segments_end_peek(struct tcp_segments *segments)
{
	struct tcp_peeked peeked = {
		.segments = segments,
		.peer_ns = bpf_ktime_get_ns() - segments->peeked_ns,
	};

	for_each_round(static_branch(BRANCH_BPF_LOOP), NR_SEGMENTS, wait_without_peer, &peeked);
}

/* Returns whether somebody has peeked at all that is in the queue. */
static __always_inline bool tcp_segments_are_peeked(const struct tcp_segments *segments)
{
	return static_branch(BRANCH_READER_WAITS) && segments->peeked == segments->next &&
	       segments->first != segments->next;
}

/* A segment is put on the receive queue. */
static __always_inline void tcp_segment_queued(struct sock *sk, const struct packet *packet)
{
	struct tcp_segments *segments = segments_of(sk);
	__u32 i;

	if (!segments || segments->next - segments->first >= NR_SEGMENTS) {
		discard_segments(why_not_remembered(segments), 1);
		return;
	}
	if (tcp_segments_are_peeked(segments))
		tcp_segments_end_peek(segments);
	i = segments->next++ % NR_SEGMENTS;
	segments->end_seq[i] = end_seq_of(packet->skb);
	segments->stamp_ns[i] = packet->stamp_ns;
	if (WITH_STAGES)
		segments->last[i] = packet->here;
	if (segments_have_passed())
		tcp_segment_keep_passed(sk, i, packet);
}

/* A bit of TCP's header. */
#define TCP_FIN 1

/* The context that the rounds below share. */
struct tcp_waiting {
	struct tcp_segments *segments;
	struct tcp_segments_passed *passed; /* NULL: that is not kept */
};

/* Has one of the waiting segments count from the newest one on, as if they had come together. */
static long count_from_newest(__u32 nr, void *context)
{
	const struct tcp_waiting *waiting = context;
	struct tcp_segments *segments = waiting->segments;
	__u32 i = (segments->first + nr) % NR_SEGMENTS, newest = (segments->next - 1) % NR_SEGMENTS;

	if (i == newest)
		return 1;
	segments->stamp_ns[i] = segments->stamp_ns[newest];
	if (WITH_STAGES)
		segments->last[i] = segments->last[newest];
	if (segments_have_passed() && waiting->passed)
		waiting->passed->of[i] = waiting->passed->of[newest];
	return 0;
}

/*
 * A reader may ask to be woken only when there are so many bytes (SO_RCVLOWAT). Until then, or
 * until the FIN, segments wait for their peer, and not for the reader. They count from the segment
 * that completes the number, which was just queued.
 */
static __noinline int tcp_segments_wait_for_peer(struct sock *sk, struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (const void *)skb->cb;
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_waiting waiting = { .segments = segments_of(sk) };
	__u32 wanted = sk->sk_rcvlowat;

	if (!tp || !waiting.segments || tp->rcv_nxt - tp->copied_seq >= wanted)
		return 0;
	if (segments_have_passed())
		waiting.passed = bpf_sk_storage_get(&tcp_segments_passed, sk, 0, 0);
	if (cb->end_seq - tp->copied_seq >= wanted || cb->tcp_flags & TCP_FIN)
		for_each_round(static_branch(BRANCH_BPF_LOOP), NR_SEGMENTS, count_from_newest,
			       &waiting);
	return 0;
}

/* A segment comes behind a lost one, and so must wait. */
static __noinline int tcp_segment_is_late(struct sock *sk, struct sk_buff *skb, __u64 last)
{
	struct tcp_segments *segments = segments_of(sk);

	for (__u32 i = 0; segments && i < NR_LATE_SEGMENTS; i++) {
		if (segments->late >> i & 1)
			continue;
		segments->late |= 1U << i;
		segments->late_end_seq[i] = end_seq_of(skb);
		segments->late_stamp_ns[i] = skb->tstamp;
		if (WITH_STAGES)
			segments->late_last[i] = last;
		return 0;
	}
	return discard_segments(why_not_remembered(segments), 1);
}

/* A segment is at tcp_data_queue(): with -y, those that must wait are remembered, too. */
static __always_inline void tcp_segment_arrived(struct sock *sk, struct sk_buff *skb, __u64 last)
{
	const struct tcp_skb_cb *cb = (const void *)skb->cb;
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	if (tp && seq_is_after(cb->seq, tp->rcv_nxt))
		tcp_segment_is_late(sk, skb, last);
}

/* The context that the rounds below share. */
struct tcp_read {
	struct sock *sk;
	struct tcp_segments *segments;
	__u32 copied_seq; /* up to where the application has read */
};

static __noinline int record_segment(struct sock *sk, __u64 stamp_ns, __u64 last,
				     const struct passed *passed)
{
	record(PROBE_tcp_cleanup_rbuf, &(struct packet){
					       .sk = sk,
					       .stamp_ns = stamp_ns,
					       .before = last,
					       .passed = passed,
					       .may_be_in_softirq = true,
				       });
	/*
	 * The compiler knows that nobody needs the result, and leaves any value in R0. The verifier
	 * of Linux 7.2 takes R0 for the result all the same. It would look at all that follows for
	 * each bucket anew, at ten times as many instructions.
	 */
	asm volatile("r0 = 0" : : : "r0");
	return 0;
}

/* Somebody has looked at all data in the queue, and left it there. */
static __noinline int tcp_segments_note_peek(struct sock *sk)
{
	struct tcp_segments *segments = bpf_sk_storage_get(&tcp_segments, sk, 0, 0);

	/* It may have known of all that already. */
	if (!segments || segments->peeked == segments->next)
		return 0;
	segments->peeked = segments->next;
	segments->peeked_ns = bpf_ktime_get_ns();
	return 0;
}

/* Records the oldest segment, if all of it was read. Returns 1 if it was not. */
static __always_inline long record_oldest(__u32 round, void *context)
{
	struct tcp_read *read = context;
	struct tcp_segments *segments = read->segments;
	const struct passed *passed = NULL;
	__u32 i = segments->first % NR_SEGMENTS;

	if (segments->first == segments->next ||
	    seq_is_after(segments->end_seq[i], read->copied_seq))
		return 1;
	segments->first++;
	if (segments_have_passed())
		passed = tcp_segment_passed(read->sk, i);
	record_segment(read->sk, segments->stamp_ns[i], WITH_STAGES ? segments->last[i] : 0,
		       passed);
	return 0;
}

/* Records one of the late segments, if it is there and all of it was read. */
static long record_late(__u32 i, void *context)
{
	struct tcp_read *read = context;
	struct tcp_segments *segments = read->segments;

	if (i >= NR_LATE_SEGMENTS || !(segments->late >> i & 1) ||
	    seq_is_after(segments->late_end_seq[i], read->copied_seq))
		return 0;
	segments->late &= ~(1U << i);
	record_segment(read->sk, segments->late_stamp_ns[i],
		       WITH_STAGES ? segments->late_last[i] : 0, NULL);
	return 0;
}

/* Somebody has read from the socket: records each segment that was read to its end. */
static __always_inline int tcp_segments_read(struct sock *sk, const struct tcp_sock *tp,
					     struct tcp_segments *segments)
{
	struct tcp_read read;

	if (!segments || (segments->first == segments->next && !segments->late))
		return 0;
	read = (struct tcp_read){ sk, segments, tp->copied_seq };
	/* Most reads take one segment, and need no bpf_loop(), which takes 55 instructions. */
	if (!record_oldest(0, &read) && segments->first != segments->next)
		for_each_round(static_branch(BRANCH_BPF_LOOP), NR_SEGMENTS - 1, record_oldest,
			       &read);
	if (static_branch(BRANCH_HOL_DELAY) && segments->late)
		for_each_round(static_branch(BRANCH_BPF_LOOP), NR_LATE_SEGMENTS, record_late,
			       &read);
	return 0;
}

/*
 * A connection ends: nobody reads the rest. It counts whatever the filters are, as the ports are
 * gone by now.
 */
static __always_inline int tcp_segments_end(struct sock *sk)
{
	struct tcp_segments *segments = bpf_sk_storage_get(&tcp_segments, sk, 0, 0);
	__u32 nr;

	if (!segments)
		return 0;
	nr = segments->next - segments->first + __builtin_popcount(segments->late);
	if (!nr)
		return 0;
	segments->first = segments->next;
	segments->late = 0;
	return discard_segments(DISCARD_UNREAD, nr);
}

#endif
