/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of a process to send or connect that fail, for BPF programs: there is no packet to follow,
 * and none is dropped.
 */
#ifndef NETSTACKLAT_FAILURES_BPF_H
#define NETSTACKLAT_FAILURES_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/hooks/peer_times.bpf.h"
#include "lib/bpf/path/filter.bpf.h"
#include "lib/tables/failure.h"

MAP(WITH_STAGES, netstack_failures, __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NR_FAILURES); __type(key, struct failure_key);
    __type(value, struct failure););

static __always_inline int count_failure(enum probe probe, const struct sock *sk,
					 struct failure_key key)
{
	struct packet packet = { .sk = sk, .has = probe_has(probe) };
	struct failure first = { .count = 1 }, *failure;

	if (!filter_passes(&packet))
		return 0;
	key.netns = packet_netns(&packet);
	key.pid = current_pid();
	failure = bpf_map_lookup_elem(&netstack_failures, &key);
	if (failure) {
		__sync_fetch_and_add(&failure->count, 1);
		return 0;
	}
	bpf_get_current_comm(first.comm, sizeof(first.comm));
	bpf_map_update_elem(&netstack_failures, &key, &first, BPF_NOEXIST);
	return 0;
}

/* Errors of errno.h, which are the same on all machines. */
#define EACCES 13
#define EINVAL 22
#define EADDRNOTAVAIL 99
#define ENETDOWN 100
#define ENETUNREACH 101
#define EHOSTUNREACH 113

/*
 * Returns whether nothing else tells of this failure. A packet that a rule or a queue refuses is
 * dropped; one that found no room is sent again; one that a peer refused is not this host's fault;
 * and one that is too large may probe how large a packet may be (QUIC).
 */
static __always_inline bool is_failure_to_send(int result)
{
	return result == -EACCES || result == -EINVAL || result == -ENETDOWN ||
	       result == -ENETUNREACH || result == -EHOSTUNREACH;
}

/* A process has sent a datagram, or failed to. The datagram need not be an answer. */
static __always_inline int datagram_is_sent(enum probe probe, const struct sock *sk,
					    const struct msghdr *message, int result)
{
	struct peer peer;

	if (!WITH_STAGES || !is_failure_to_send(result))
		return 0;
	peer = peer_of_message(sk, message, true);
	if (is_dns_client(sk, &peer) || !peer_find(sk, &peer))
		return 0;
	return count_failure(probe, sk,
			     (struct failure_key){ .failed = FAILED_ANSWER,
						   .port = sk->__sk_common.skc_num,
						   .err = -result });
}

/*
 * A TCP socket has been bound to this port, or that failed; 0 asks for any free port. It is not
 * known yet where it will connect to.
 */
static __always_inline int any_port_is_bound(enum probe probe, const struct sock *sk, __u16 port,
					     int result)
{
	if (!WITH_STAGES || port || !result)
		return 0;
	return count_failure(probe, sk, (struct failure_key){ .failed = FAILED_CONNECT });
}

/* A connection has been given a port, or failed to get one. */
static __always_inline int port_is_taken(enum probe probe, const struct sock *sk, int result)
{
	const struct sock___identity *identity = (const void *)sk;

	if (!WITH_STAGES || result != -EADDRNOTAVAIL)
		return 0;
	return count_failure(probe, sk,
			     (struct failure_key){
				     .failed = FAILED_CONNECT,
				     .port = bpf_ntohs(identity->__sk_common.skc_dport),
			     });
}

#endif
