/* SPDX-License-Identifier: GPL-2.0 */
/* The place of a TCP segment in its stream: whether it comes in order. */
#ifndef NETSTACKLAT_SEQUENCE_BPF_H
#define NETSTACKLAT_SEQUENCE_BPF_H

#include "lib/bpf/path/packet.bpf.h"
#include "lib/tables/sequence.h"

/* Linux's states of TCP: those before a connection. */
#define TCP_SYN_SENT 2
#define TCP_LISTEN 10

/* Before both ends have told their first numbers, there is nothing to compare with. */
static __always_inline bool knows_sequence(const struct sock *sk)
{
	return sk->__sk_common.skc_state != TCP_LISTEN && sk->__sk_common.skc_state != TCP_SYN_SENT;
}

/* TCP has not looked at it yet: on the fast path, no place behind this one sees it. */
static __always_inline enum sequence packet_sequence(const struct packet *packet)
{
	const struct tcp_skb_cb *cb = (const void *)packet->skb->cb;
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock((void *)packet->sk);

	if (!tp || cb->seq == cb->end_seq || !knows_sequence(packet->sk))
		return SEQUENCE_NO_DATA;
	if (!seq_is_after(cb->end_seq, tp->rcv_nxt))
		return SEQUENCE_RECEIVED_BEFORE;
	return seq_is_after(cb->seq, tp->rcv_nxt) ? SEQUENCE_BEHIND_GAP : SEQUENCE_IN_ORDER;
}

#endif
