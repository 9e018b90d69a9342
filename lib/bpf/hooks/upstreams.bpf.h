/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that others take to answer what processes of this host ask by TCP or DNS, for BPF
 * programs. It is counted by process and peer, and at no hook, for verdicts: an application that
 * takes long may wait for one of these.
 */
#ifndef NETSTACKLAT_UPSTREAMS_BPF_H
#define NETSTACKLAT_UPSTREAMS_BPF_H

#include "lib/bpf/hooks/tcp_segments.bpf.h"
#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/kernel/remote.bpf.h"
#include "lib/bpf/kernel/sock.bpf.h"
#include "lib/bpf/path/filter.bpf.h"
#include "lib/bpf/path/sample.bpf.h"
#include "lib/tables/upstream.h"

/* User space adds the key of zeros, which counts answers without room. */
MAP(WITH_STAGES, netstack_upstreams, __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NR_UPSTREAMS); __type(key, struct upstream_key);
    __type(value, struct upstream_answers););

/* Returns when the first segment was queued of those that are read now; 0 if that is not known. */
static __always_inline __u64 tcp_first_queued_ns(const struct tcp_segments *segments)
{
	if (!WITH_STAGES || !segments || segments->first == segments->next)
		return 0;
	return LAST_HOOK_NS(segments->last[segments->first % NR_SEGMENTS]);
}

/* The answers of a peer to a process. NULL only before the first watch. */
static __always_inline struct upstream_answers *upstream_find(const struct packet *packet,
							      const struct peer *peer, __u32 pid)
{
	static const struct upstream_key no_room;
	struct upstream_key key = {
		.netns = packet_netns(packet),
		.pid = pid,
		.port = bpf_ntohs(peer->port),
		.protocol = packet->sk->sk_protocol,
		.is_ipv6 = peer->remote.protocol == bpf_htons(ETH_P_IPV6),
	};
	struct upstream_answers first = { 0 }, *answers;

	for (int i = 0; i < 4; i++)
		key.address[i] = peer->remote.address[i];
	answers = bpf_map_lookup_elem(&netstack_upstreams, &key);
	if (answers)
		return answers;
	if (pid)
		bpf_get_current_comm(first.comm, sizeof(first.comm));
	/* Another CPU may be faster. */
	bpf_map_update_elem(&netstack_upstreams, &key, &first, BPF_NOEXIST);
	answers = bpf_map_lookup_elem(&netstack_upstreams, &key);
	return answers ?: bpf_map_lookup_elem(&netstack_upstreams, &no_room);
}

/*
 * Adds so many answers that took as long. Several threads may ask the same, each by a connection of
 * its own.
 */
static __always_inline void upstream_add(struct upstream_answers *answers, __u64 ns, __u32 weight,
					 __u32 rtt_us)
{
	__sync_fetch_and_add(&answers->count, weight);
	__sync_fetch_and_add(&answers->ns, weight * ns);
	if (ns > answers->longest_ns)
		answers->longest_ns = ns;
	if (rtt_is_known(rtt_us) && (!answers->min_rtt_us || rtt_us < answers->min_rtt_us))
		answers->min_rtt_us = rtt_us;
}

/*
 * A client reads, for the first time since it wrote: counts how long the answer took to come. What
 * had come before answers something else. Without the lock, a softirq reads, for no process.
 */
static __noinline int upstream_count_answer(const struct sock *sk, const struct tcp_sock *tp,
					    __u64 asked_ns, __u64 queued_ns)
{
	struct packet packet = { .sk = sk, .has = probe_has(PROBE_tcp_cleanup_rbuf) };
	const struct peer peer = peer_of_connection(sk);
	const __u64 ns = queued_ns - asked_ns;
	struct upstream_answers *answers;

	if (!asked_ns || queued_ns < asked_ns || !sk->sk_lock.owned || !filter_passes(&packet) ||
	    !sample_takes(SAMPLED_UPSTREAMS, ns, queued_ns))
		return 0;
	answers = upstream_find(&packet, &peer, current_pid());
	if (answers)
		upstream_add(answers, ns, sample_weight(SAMPLED_UPSTREAMS, ns), tp->rtt_min.s[0].v);
	return 0;
}

/* A client sends its SYN again. A timer does so: nobody knows for which process. */
static __noinline int upstream_count_syn(const struct sock *sk)
{
	struct packet packet = { .sk = sk, .has = probe_has(PROBE_tcp_retransmit) };
	const struct peer peer = peer_of_connection(sk);
	struct upstream_answers *answers;

	if (!filter_passes(&packet))
		return 0;
	answers = upstream_find(&packet, &peer, 0);
	if (answers)
		__sync_fetch_and_add(&answers->unanswered, 1);
	return 0;
}

#endif
