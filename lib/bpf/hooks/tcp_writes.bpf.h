/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that TCP holds back data that the application wrote, for BPF programs: for the peer's
 * window, congestion control, pacing or Nagle. All of this runs under the socket's lock.
 */
#ifndef NETSTACKLAT_TCP_WRITES_BPF_H
#define NETSTACKLAT_TCP_WRITES_BPF_H

#include "lib/bpf/hooks/tcp_retransmits.bpf.h"
#include "lib/bpf/hooks/tcp_times.bpf.h"
#include "lib/tables/tcp_limit.h"

/* One of the kernel's enum sk_pacing: TCP itself paces, not a qdisc. */
#define SK_PACING_NEEDED 1

/* One of the kernel's bits of nonagle. */
#define TCP_NAGLE_CORK 2

/* Flags of a write, the second before Linux 6.5 (MSG_SENDPAGE_NOTLAST). */
#define MSG_MORE 0x8000
#define MSG_MORE_PAGES 0x20000

static __always_inline bool is_grouped_by_limit(void)
{
	return WITH_GROUPS && static_branch(BRANCH_KEY(KEY_LIMIT));
}

/* Notes how long the peer's window has kept a socket from sending, up to now. */
static __always_inline void tcp_limited_until_now(const struct tcp_sock *tp,
						  struct tcp_limited *limited)
{
	limited->now = bpf_jiffies64();
	limited->rwnd = tp->chrono_stat[TCP_CHRONO_RWND_LIMITED - 1];
	if (BPF_CORE_READ_BITFIELD(tp, chrono_type) == TCP_CHRONO_RWND_LIMITED)
		limited->rwnd += limited->now - tp->chrono_start;
}

/*
 * Returns whether the writer sends it, and not an ACK that made room: then it waited for room in
 * the send buffer. The kernel's own count of that misses a writer that finds no room from the
 * start.
 */
static __always_inline bool tcp_waited_for_sndbuf(const struct sock *sk, const struct tcp_sock *tp,
						  const struct tcp_skb_cb *cb)
{
	return sk->sk_lock.owned && cb->end_seq == tp->write_seq &&
	       2 * sk->sk_wmem_queued >= sk->sk_sndbuf;
}

/* While a short segment is in flight, tcp_nagle_check() holds back another one (Minshall). */
static __always_inline bool tcp_has_short_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out && seq_is_after(tp->snd_sml, tp->snd_una);
}

/* Returns whether Nagle alone holds it back: no cork, congestion control or pacing does. */
static __always_inline bool tcp_is_nagled(const struct sock *sk, const struct tcp_sock *tp,
					  __u64 now_ns)
{
	return tcp_has_short_in_flight(tp) && !BPF_CORE_READ_BITFIELD(tp, nonagle) &&
	       tp->packets_out < tp->snd_cwnd &&
	       (sk->sk_pacing_status != SK_PACING_NEEDED || tp->tcp_wstamp_ns <= now_ns);
}

/* Returns whether the byte is of the newest write for which tcp_written_ns() was called last. */
static __always_inline bool tcp_newest_wrote_it(const struct tcp_writes *writes)
{
	return writes->first == writes->next - 1;
}

/*
 * Returns whether a segment, of which this is the first byte, begins with less than a full segment
 * that was there before the newest write. Only such a rest is held back by Nagle, and it may leave
 * before the ACK comes: once the newest write has made it a full segment.
 */
static __always_inline bool tcp_has_older_rest(const struct tcp_writes *writes,
					       const struct tcp_sock *tp, __u32 seq)
{
	return !tcp_newest_wrote_it(writes) &&
	       writes->seq[(writes->next - 1) % NR_WRITES] - seq < tp->mss_cache;
}

static __always_inline void tcp_writer_now(struct tcp_writer *writer)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	writer->tid = task->pid;
	writer->sleeps = task->nvcsw;
	writer->page_waits = task->maj_flt;
}

/*
 * Returns whether the socket's owner handles what came while it had the lock, such as an ACK that
 * makes room to send: __release_sock() has taken all from the backlog, which still has its length.
 */
static __always_inline bool tcp_handles_backlog(const struct sock *sk)
{
	return sk->sk_backlog.len && !sk->sk_backlog.head;
}

static __always_inline bool tcp_is_corked(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, nonagle) & TCP_NAGLE_CORK;
}

/*
 * Returns whether what the owner sends, which is of the newest write or of one before, has waited
 * until another write filled the segment, or the socket was uncorked.
 */
static __always_inline bool tcp_was_corked(const struct tcp_writes *writes,
					   const struct tcp_sock *tp)
{
	return tcp_newest_wrote_it(writes) ? writes->is_corked && !tcp_is_corked(tp)
					   : writes->holds_corked;
}

/* Returns whether a timer sends this, as the socket is corked for long (200 ms). */
static __always_inline bool tcp_is_corked_for_long(const struct tcp_sock *tp,
						   const struct tcp_skb_cb *cb)
{
	return tcp_is_corked(tp) && !tp->packets_out && cb->end_seq - cb->seq < tp->mss_cache;
}

/* More than that in one write is copied, and sent, bit by bit, which may take long. */
#define MAX_SHORT_WRITE 65536

/*
 * Returns why a write that TCP does not hold back takes as long as it does, when it has written so
 * many bytes. If it slept, and for no page, it may have waited for the send buffer.
 */
static __always_inline enum tcp_limit tcp_limit_of_write(const struct tcp_writer *before,
							 __u32 written)
{
	struct tcp_writer writer;

	tcp_writer_now(&writer);
	if (writer.tid != before->tid)
		return TCP_LIMIT_NONE;
	if (writer.page_waits != before->page_waits)
		return TCP_LIMIT_PAGE;
	return writer.sleeps == before->sleeps && written < MAX_SHORT_WRITE ? TCP_LIMIT_WRITE
									    : TCP_LIMIT_NONE;
}

/*
 * Looks at what the newest write found: whether the peer's window kept the socket from sending
 * since then, and whether Nagle held something back. tcp_written_ns() has been called.
 */
static __always_inline enum tcp_limit tcp_limit(const struct tcp_writes *writes,
						const struct sock *sk, const struct tcp_sock *tp,
						const struct tcp_skb_cb *cb, __u64 now_ns)
{
	const struct tcp_limited *before = &writes->limited;
	struct tcp_limited limited;

	tcp_limited_until_now(tp, &limited);
	if (2 * (limited.rwnd - before->rwnd) > limited.now - before->now)
		return TCP_LIMIT_RWND;
	if (tcp_waited_for_sndbuf(sk, tp, cb))
		return TCP_LIMIT_SNDBUF;
	if (writes->is_nagled &&
	    (!tcp_has_short_in_flight(tp) || tcp_has_older_rest(writes, tp, cb->seq)))
		return TCP_LIMIT_NAGLE;
	if (!sk->sk_lock.owned)
		return tcp_is_corked_for_long(tp, cb) ? TCP_LIMIT_CORK : TCP_LIMIT_NONE;
	/* TCP sends, and not its owner, or paces it. */
	if (tcp_handles_backlog(sk) || tp->tcp_wstamp_ns > now_ns)
		return TCP_LIMIT_NONE;
	if (tcp_was_corked(writes, tp))
		return TCP_LIMIT_CORK;
	return tcp_newest_wrote_it(writes)
		       ? tcp_limit_of_write(&writes->writer,
					    cb->seq - writes->seq[writes->first % NR_WRITES])
		       : TCP_LIMIT_NONE;
}

/*
 * Keeps every other write. Bytes that were written in between then count from the write before.
 * That is too early, by no more than a 32nd of the oldest wait if writes came at even times.
 */
static __always_inline void tcp_writes_thin_out(struct tcp_writes *writes)
{
	__u32 first = writes->first;

	for (__u32 i = 0; i < NR_WRITES / 2; i++) {
		__u32 from = (first + 2 * i) % NR_WRITES, to = (first + i) % NR_WRITES;

		writes->seq[to] = writes->seq[from];
		writes->began_ns[to] = writes->began_ns[from];
	}
	writes->next = first + NR_WRITES / 2;
}

/* Notes what may hold back the bytes of a write that begins, and those that are there already. */
static __always_inline void tcp_note_limits(struct tcp_writes *writes, const struct sock *sk,
					    const struct tcp_sock *tp, __u32 flags, __u64 now_ns)
{
	tcp_limited_until_now(tp, &writes->limited);
	writes->is_nagled = tcp_is_nagled(sk, tp, now_ns);
	writes->holds_corked = tp->snd_nxt != tp->write_seq &&
			       (writes->holds_corked | writes->is_corked | writes->has_more);
	writes->is_corked = tcp_is_corked(tp);
	writes->has_more = flags & (MSG_MORE | MSG_MORE_PAGES) ? 1 : 0;
	tcp_writer_now(&writes->writer);
}

static __always_inline int tcp_write_begins(struct sock *sk, struct tcp_writes *writes, __u32 flags,
					    __u64 now_ns)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	__u32 last;

	if (!tp)
		return 0;
	if (is_grouped_by_limit())
		tcp_note_limits(writes, sk, tp, flags, now_ns);
	last = (writes->next - 1) % NR_WRITES;
	/* The one before has written nothing. */
	if (writes->next != writes->first && writes->seq[last] == tp->write_seq) {
		writes->began_ns[last] = now_ns;
		return 0;
	}
	if (writes->next - writes->first >= NR_WRITES)
		tcp_writes_thin_out(writes);
	last = writes->next++ % NR_WRITES;
	writes->seq[last] = tp->write_seq;
	writes->began_ns[last] = now_ns;
	return 0;
}

/* Returns whether this byte is of the newest write, as most are; then the other writes are over. */
static __always_inline bool tcp_is_of_newest_write(struct tcp_writes *writes, __u32 seq)
{
	__u32 newest = writes->next - 1;

	if (writes->next == writes->first || seq_is_after(writes->seq[newest % NR_WRITES], seq))
		return false;
	writes->first = newest;
	return true;
}

/* Returns when this byte was written; 0 if that is not known. */
static __always_inline __u64 tcp_written_ns(struct tcp_writes *writes, __u32 seq)
{
	if (tcp_is_of_newest_write(writes, seq))
		return writes->began_ns[writes->first % NR_WRITES];
	for (int i = 0; i < NR_WRITES; i++) {
		__u32 second = writes->first + 1;

		if (second == writes->next || writes->first == writes->next ||
		    seq_is_after(writes->seq[second % NR_WRITES], seq))
			break;
		writes->first = second;
	}
	if (writes->first == writes->next ||
	    seq_is_after(writes->seq[writes->first % NR_WRITES], seq))
		return 0;
	return writes->began_ns[writes->first % NR_WRITES];
}

/* Counts as the kernel's RetransSegs does: a large segment is cut later on. */
static __always_inline int tcp_discard_retransmit(const struct tcp_skb_cb *cb)
{
	__u64 *count = store_discard_count(PROBE___tcp_transmit_skb, DISCARD_RETRANSMISSION);

	if (count)
		*count += cb->tcp_gso_segs;
	return 0;
}

/*
 * When a segment that TCP sends now may leave. Where a qdisc like fq paces for TCP, the qdisc waits
 * until then (Linux 4.20, ab408b6dc744).
 */
static __always_inline __u64 tcp_departure_ns(const struct tcp_sock *tp, __u64 now_ns)
{
	__u64 paced_ns = tp->tcp_wstamp_ns;

	return paced_ns > now_ns ? paced_ns : now_ns;
}

static __always_inline int tcp_transmits(struct sock *sk, const struct sk_buff *skb)
{
	const struct tcp_skb_cb *cb = (const void *)skb->cb;
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct tcp_times *times;
	__u64 written_ns, departure_ns, now_ns;

	if (!tp || cb->seq == cb->end_seq)
		return 0;
	if (tcp_was_sent_before(tp, cb)) {
		/* It has no program of its own then. */
		if (is_asked_for(PROBE_tcp_retransmit, TASK_COUNT))
			tcp_count_retransmit(sk, tp, skb);
		return tcp_discard_retransmit(cb);
	}
	/* A SYN or FIN alone. */
	if (!((const struct sk_buff___bytes *)skb)->len)
		return 0;
	times = tcp_times_of(sk, false);
	written_ns = times ? tcp_written_ns(&times->writes, cb->seq) : 0;
	if (!written_ns)
		return discard(PROBE___tcp_transmit_skb, DISCARD_NO_BEGIN);
	now_ns = bpf_ktime_get_ns();
	departure_ns = tcp_departure_ns(tp, now_ns);
	if (!sample_takes(PROBE___tcp_transmit_skb, departure_ns - written_ns, departure_ns))
		return 0;
	return record_ns(PROBE___tcp_transmit_skb,
			 &(struct packet){
				 .sk = sk,
				 .has = probe_has(PROBE___tcp_transmit_skb),
				 .limit = is_grouped_by_limit()
						  ? tcp_limit(&times->writes, sk, tp, cb, now_ns)
						  : 0,
			 },
			 departure_ns - written_ns);
}

#endif
