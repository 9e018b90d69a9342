/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time from when a datagram is read until its sender is written to on the same socket, for BPF
 * programs. Any thread may write the answer: one thread may read and leave the answers to others,
 * and Go moves a goroutine from thread to thread.
 */
#ifndef NETSTACKLAT_PEER_TIMES_BPF_H
#define NETSTACKLAT_PEER_TIMES_BPF_H

#include "lib/bpf/hooks/answer.bpf.h"
#include "lib/bpf/hooks/dns.bpf.h"
#include "lib/bpf/hooks/peers.bpf.h"

static __always_inline int peer_is_read_from(const struct sock *sk, struct sk_buff *skb,
					     bool has_port)
{
	const struct peer peer = peer_of_skb(skb, has_port);
	struct peer_times *times = peer_place(sk, &peer);

	if (has_port && is_dns_client(sk, &peer))
		return dns_count_answer(sk, skb, &peer, times);
	times->answer.read_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int peer_is_answered(enum probe probe, struct sock *sk,
					    const struct msghdr *message)
{
	const bool has_port = probe_has(probe) & HAS_PORT;
	const struct peer peer = peer_of_message(sk, message, has_port);
	struct peer_times *times = NULL;

	if (has_port && is_dns_client(sk, &peer))
		dns_note_question(sk, &peer);
	else
		times = peer_find(sk, &peer);
	return times ? answer_is_sent(probe, sk, &times->answer, bpf_ktime_get_ns())
		     : discard(probe, DISCARD_FILTERED);
}

#endif
