/* SPDX-License-Identifier: GPL-2.0 */
/* Clients' sockets are told from services', for BPF programs. */
#ifndef NETSTACKLAT_CLIENT_BPF_H
#define NETSTACKLAT_CLIENT_BPF_H

#include "lib/bpf/sent.bpf.h"

#define TCP_ESTABLISHED 1
#define SOCK_BINDPORT_LOCK 8

/* Returns whether the kernel chose the port when TCP connected: no other socket may have that. */
static __always_inline bool tcp_chose_port(const struct sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock((void *)sk);
	const struct inet_bind_bucket *bound = tp ? tp->inet_conn.icsk_bind_hash : NULL;

	return bound && bound->fastreuse < 0;
}

/* The same of a socket that the verifier gives to no helper. */
static __always_inline bool tcp_chose_port_of_untyped(const struct sock *sk)
{
	const struct inet_connection_sock *connection = (const void *)sk;

	return BPF_CORE_READ(connection, icsk_bind_hash, fastreuse) < 0;
}

/* A client of UDP connects its socket, or binds it to no port. */
static __always_inline bool udp_is_client(__u8 state, __u8 userlocks)
{
	return state == TCP_ESTABLISHED || !(userlocks & SOCK_BINDPORT_LOCK);
}

static __always_inline bool socket_is_client(const struct sock *sk, bool is_untyped)
{
	__u8 state = sk->__sk_common.skc_state;

	/* A request for a connection is smaller than a socket, and has its listener's port. */
	if (state == TCP_NEW_SYN_RECV)
		return false;
	if (sk->sk_protocol == IPPROTO_TCP)
		return is_untyped ? tcp_chose_port_of_untyped(sk) : tcp_chose_port(sk);
	return udp_is_client(state, BPF_CORE_READ_BITFIELD(sk, sk_userlocks));
}

#endif
