/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that TCP connections wait for the application, for BPF programs: until they are
 * accepted, and from a read to the answer. It is kept with the socket, as any thread may answer.
 * All of this runs under the socket's lock, or before others know the socket.
 */
#ifndef NETSTACKLAT_TCP_TIMES_BPF_H
#define NETSTACKLAT_TCP_TIMES_BPF_H

#include "lib/bpf/hooks/answer.bpf.h"
#include "lib/bpf/hooks/tcp_segments.bpf.h"
#include "lib/bpf/hooks/upstreams.bpf.h"
#include "lib/tables/units.h"

SEGMENT_MAP(1, tcp_times, struct tcp_times);

/* The times of a socket. Returns NULL without memory, or if it has none and need not get any. */
static __always_inline struct tcp_times *tcp_times_of(struct sock *sk, bool create)
{
	return bpf_sk_storage_get(&tcp_times, sk, 0, create ? BPF_SK_STORAGE_GET_F_CREATE : 0);
}

/* A connection's handshake is done. */
static __always_inline int tcp_waits_to_be_accepted(struct sock *sk)
{
	struct tcp_times *times = tcp_times_of(sk, true);
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	if (!times)
		return discard(PROBE_inet_csk_accept, DISCARD_NO_MEMORY);
	times->queued_ns = bpf_ktime_get_ns();
	/* Nothing is read yet. Without this, the first peek would pass for a read. */
	if (tp)
		times->copied_seq = tp->copied_seq;
	return 0;
}

/* NULL if there was none to accept. */
static __always_inline int tcp_count_accept(struct sock *sk)
{
	struct tcp_times *times;
	__u64 queued_ns;

	if (!sk)
		return 0;
	times = tcp_times_of(sk, false);
	if (!times || !times->queued_ns)
		return discard(PROBE_inet_csk_accept, DISCARD_NO_BEGIN);
	queued_ns = times->queued_ns;
	times->queued_ns = 0;
	return record_accept(PROBE_inet_csk_accept, sk, queued_ns, bpf_ktime_get_ns());
}

/*
 * A client asks for a connection, or completes its handshake. Here the kernel looks whether the
 * accept queue has room, and counts in ListenOverflows if not. Before Linux 7.2, it gives no reason
 * for that drop.
 */
static __always_inline int tcp_may_overflow(struct sock *listener)
{
	struct packet packet = {
		.sk = listener,
		.has = probe_has(PROBE_inet_csk_accept) & ~HAS_READER,
	};

	if (listener->sk_ack_backlog <= listener->sk_max_ack_backlog || !filter_passes(&packet))
		return 0;
	return discard(PROBE_inet_csk_accept, DISCARD_OVERFLOW);
}

/* Somebody has looked at data; it was read if it is gone from the queue. */
static __always_inline int tcp_note_read(struct sock *sk, const struct tcp_sock *tp,
					 const struct tcp_segments *segments)
{
	struct tcp_times *times = tcp_times_of(sk, true);

	if (!times)
		return 0;
	if (times->copied_seq == tp->copied_seq)
		return static_branch(BRANCH_READER_WAITS) ? tcp_segments_note_peek(sk) : 0;
	times->copied_seq = tp->copied_seq;
	if (with_reader_waits() && !times->answer.read_ns && tcp_is_client(sk))
		upstream_count_answer(sk, tp, times->answer.pauses.written_ns,
				      tcp_first_queued_ns(segments));
	times->answer.read_ns = bpf_ktime_get_ns();
	return 0;
}

/* There is none before the first was measured. */
static __always_inline int record_rtt(enum probe probe, const struct sock *sk, __u32 rtt_us)
{
	if (!rtt_is_known(rtt_us))
		return discard(probe, DISCARD_FILTERED);
	return record_socket_ns(probe, sk, rtt_us * (__u64)NS_PER_US);
}

#endif
