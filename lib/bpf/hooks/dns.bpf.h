/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions of this host to DNS servers by UDP, for BPF programs. A client that gets no answer asks
 * again, or another server: so it is counted how many questions are not answered.
 */
#ifndef NETSTACKLAT_DNS_BPF_H
#define NETSTACKLAT_DNS_BPF_H

#include "lib/bpf/hooks/peers.bpf.h"
#include "lib/bpf/hooks/upstreams.bpf.h"
#include "lib/bpf/kernel/clock.bpf.h"
#include "lib/bpf/kernel/stamp.bpf.h"

#define DNS_PORT 53

/* Returns whether the socket asks a DNS server. A server at that port itself answers others. */
static __always_inline bool is_dns_client(const struct sock *sk, const struct peer *peer)
{
	return with_reader_waits() && peer->port == bpf_htons(DNS_PORT) &&
	       sk->__sk_common.skc_num != DNS_PORT;
}

static __noinline int dns_note_question(const struct sock *sk, const struct peer *peer)
{
	struct packet packet = { .sk = sk, .has = probe_has(PROBE_udp_sendmsg) };
	struct peer_times *times = peer_place(sk, peer);
	struct upstream_answers *answers;

	if (!filter_passes(&packet))
		return 0;
	times->answer.pauses.written_ns = bpf_ktime_get_ns();
	times->nr_unanswered++;
	answers = upstream_find(&packet, peer, current_pid());
	if (answers)
		__sync_fetch_and_add(&answers->unanswered, 1);
	return 0;
}

/* Returns how long ago it was stamped; 0 if that is not known, or the clock was set since then. */
static __always_inline __u64 datagram_age_ns(struct sk_buff *skb, __u64 now_ns, __u64 most_ns)
{
	__u64 age_ns = now_ns - clock_offset_ns - skb->tstamp;

	return stamp_is_for_rx(skb) && age_ns <= most_ns ? age_ns : 0;
}

/* An answer may come twice. */
static __noinline int dns_count_answer(const struct sock *sk, struct sk_buff *skb,
				       const struct peer *peer, struct peer_times *times)
{
	struct packet packet = { .sk = sk, .has = probe_has(PROBE_udp_sendmsg) };
	struct upstream_answers *answers;
	__u64 now_ns = bpf_ktime_get_ns(), ns;

	if (!times->nr_unanswered)
		return 0;
	times->nr_unanswered--;
	ns = now_ns - times->answer.pauses.written_ns;
	answers = upstream_find(&packet, peer, current_pid());
	if (!answers)
		return 0;
	__sync_fetch_and_add(&answers->unanswered, -1);
	upstream_add(answers, ns - datagram_age_ns(skb, now_ns, ns), 1, 0);
	return 0;
}

#endif
