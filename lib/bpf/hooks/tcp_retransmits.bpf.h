/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that TCP waited for an acknowledgment before it sent a segment again, for BPF programs.
 */
#ifndef NETSTACKLAT_TCP_RETRANSMITS_BPF_H
#define NETSTACKLAT_TCP_RETRANSMITS_BPF_H

#include "lib/bpf/path/record.bpf.h"
#include "lib/bpf/hooks/tcp_segments.bpf.h"
#include "lib/bpf/hooks/upstreams.bpf.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/units.h"

/* Two of the kernel's enum tcp_ca_state, and two of its states of TCP. */
#define TCP_CA_RECOVERY 3
#define TCP_CA_LOSS 4
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3

/* In none of the first two states, only tcp_send_loss_probe() sends again. */
static __always_inline enum retransmit retransmit_of(const struct sock *sk,
						     const struct tcp_sock *tp)
{
	__u8 state = sk->__sk_common.skc_state;

	if (state == TCP_SYN_SENT || state == TCP_SYN_RECV)
		return RETRANSMIT_SYN;
	switch (BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state)) {
	case TCP_CA_LOSS:
		return RETRANSMIT_TIMEOUT;
	case TCP_CA_RECOVERY:
		return RETRANSMIT_FAST;
	default:
		return RETRANSMIT_PROBE;
	}
}

/* A paced segment may still be about to leave for the first time. */
static __always_inline int record_retransmit(enum probe probe, struct packet *packet, __u64 sent_ns)
{
	__u64 now_ns = bpf_ktime_get_ns();

	packet->has = probe_has(probe);
	return record_ns(probe, packet, now_ns > sent_ns ? now_ns - sent_ns : 0);
}

/*
 * Returns whether it begins before snd_nxt did. ACKs and the like carry no data, and end where they
 * begin.
 */
static __always_inline bool tcp_was_sent_before(const struct tcp_sock *tp,
						const struct tcp_skb_cb *cb)
{
	return cb->seq != cb->end_seq && seq_is_after(tp->snd_nxt, cb->seq);
}

/* The skb has the time when it was last sent until it is sent. */
static __always_inline int tcp_count_retransmit(const struct sock *sk, const struct tcp_sock *tp,
						const struct sk_buff *skb)
{
	const enum retransmit why = retransmit_of(sk, tp);

	if (with_reader_waits() && why == RETRANSMIT_SYN && tcp_is_client(sk))
		upstream_count_syn(sk);
	return record_retransmit(PROBE_tcp_retransmit,
				 &(struct packet){ .sk = sk, .retransmit = why }, skb->tstamp);
}

static __always_inline int tcp_sends_again(struct sock *sk, const struct sk_buff *skb)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	if (!tp || !tcp_was_sent_before(tp, (const void *)skb->cb))
		return 0;
	return tcp_count_retransmit(sk, tp, skb);
}

/* The listener has no peer, but its request for a connection has. */
static __always_inline int tcp_sends_syn_ack_again(const struct sock *listener,
						   const struct request_sock *request)
{
	__u64 first_us = BPF_CORE_READ((const struct tcp_request_sock *)request, snt_synack);

	if (!first_us)
		return discard(PROBE_tcp_rtx_synack, DISCARD_NO_BEGIN);
	return record_retransmit(PROBE_tcp_rtx_synack,
				 &(struct packet){ .sk = listener,
						   .connection = (const struct sock *)request,
						   .retransmit = RETRANSMIT_SYN_ACK },
				 first_us * NS_PER_US);
}

#endif
