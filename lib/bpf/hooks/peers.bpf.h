/* SPDX-License-Identifier: GPL-2.0 */
/* The peers of sockets of datagrams, and when each was read from, for BPF programs. */
#ifndef NETSTACKLAT_PEERS_BPF_H
#define NETSTACKLAT_PEERS_BPF_H

#include "lib/bpf/kernel/address.bpf.h"
#include "lib/bpf/kernel/remote.bpf.h"
#include "lib/bpf/path/socket.bpf.h"
#include "lib/bpf/hooks/answer.bpf.h"

#define PEER_SET_BITS 10
#define NR_PEER_WAYS 4

struct peer_times {
	const struct sock *sk; /* not to be read from */
	__u64 number;	       /* peer_number() */
	__u64 nr_unanswered;   /* questions, see dns.bpf.h */
	struct answer answer;
};

/* 256 KiB, for 4096 peers; one that uses several sockets has one for each. */
static struct peer_times peer_times[1 << PEER_SET_BITS][NR_PEER_WAYS];

/* The address that sendto(2) and the like get: struct sockaddr_in, or struct sockaddr_in6. */
struct socket_name {
	__u16 family;
	__be16 port;
	__be32 ipv4;
	__be32 ipv6[4];
};

/*
 * The peer and the socket's own port as one number, which tells the socket from one that had its
 * place in memory before. Two peers share a number by chance only.
 */
static __always_inline __u64 peer_number(const struct sock *sk, const struct peer *peer)
{
	const __u32 *address = peer->remote.address;
	__u64 own = (__u64)sk->__sk_common.skc_num << 48;
	__u64 number = address[0] | (__u64)peer->port << 32;

	if (peer->remote.protocol == bpf_htons(ETH_P_IP))
		return number ^ own;
	for (int i = 1; i < 4; i++)
		number = number * 0x9e3779b97f4a7c15ULL + address[i];
	return number ^ own;
}

static __always_inline struct peer peer_of_skb(const struct sk_buff *skb, bool has_port)
{
	const struct sk_buff___bytes *bytes = (const void *)skb;
	struct peer peer = { .remote = remote_of_skb(skb, true, false) };

	if (has_port)
		bpf_probe_read_kernel(&peer.port, sizeof(peer.port),
				      skb->head + bytes->transport_header);
	return peer;
}

static __always_inline struct remote_key remote_of_name(const struct socket_name *name)
{
	struct remote_key key = { .protocol = bpf_htons(ETH_P_IP) };

	if (name->family == AF_INET) {
		key.address[0] = name->ipv4;
		return key;
	}
	if (is_mapped_ipv4(name->ipv6)) {
		key.address[0] = name->ipv6[3];
		return key;
	}
	key.protocol = bpf_htons(ETH_P_IPV6);
	for (int i = 0; i < 4; i++)
		key.address[i] = name->ipv6[i];
	return key;
}

/* A message without an address goes to the peer that the socket is connected to. */
static __always_inline struct peer peer_of_message(const struct sock *sk,
						   const struct msghdr *message, bool has_port)
{
	struct peer peer = peer_of_connection(sk);
	struct socket_name name;

	if (message->msg_name) {
		bpf_probe_read_kernel(&name, sizeof(name), message->msg_name);
		peer = (struct peer){ remote_of_name(&name), name.port };
	}
	if (!has_port)
		peer.port = 0;
	return peer;
}

static __always_inline struct peer_times *peer_set(const struct sock *sk, __u64 number)
{
	__u32 low = address_low(sk) ^ number ^ number >> 32;

	return peer_times[low * 0x9e3779b1U >> (32 - PEER_SET_BITS)];
}

/* NULL if nothing is known. */
static __always_inline struct peer_times *peer_find(const struct sock *sk, const struct peer *peer)
{
	const __u64 number = peer_number(sk, peer);
	struct peer_times *set = peer_set(sk, number);

	barrier_var(set);
	for (int way = 0; way < NR_PEER_WAYS; way++)
		if (set[way].number == number && set[way].sk == sk)
			return &set[way];
	return NULL;
}

static __always_inline __u64 peer_last_ns(const struct peer_times *times)
{
	const struct answer *answer = &times->answer;

	return answer->read_ns > answer->pauses.written_ns ? answer->read_ns
							   : answer->pauses.written_ns;
}

/* The same, or in place of the one that was heard of longest ago. */
static __always_inline struct peer_times *peer_place(const struct sock *sk, const struct peer *peer)
{
	const __u64 number = peer_number(sk, peer);
	struct peer_times *set = peer_set(sk, number), *times = set;

	for (int way = 0; way < NR_PEER_WAYS; way++) {
		if (set[way].number == number && set[way].sk == sk)
			return &set[way];
		if (peer_last_ns(&set[way]) < peer_last_ns(times))
			times = &set[way];
	}
	/* Another CPU must not take the previous peer's times for this one's. */
	times->sk = NULL;
	barrier();
	times->number = number;
	times->nr_unanswered = 0;
	times->answer = (struct answer){ 0 };
	barrier();
	times->sk = sk;
	return times;
}

#endif
