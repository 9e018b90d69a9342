/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of sockets, for BPF programs: raw ones and ping's, and clients' from services'. */
#ifndef NETSTACKLAT_SOCK_BPF_H
#define NETSTACKLAT_SOCK_BPF_H

/* Linux's states of TCP; sockets in the last two are no full ones. */
#define TCP_ESTABLISHED 1
#define TCP_TIME_WAIT 6
#define TCP_NEW_SYN_RECV 12

#define SOCK_BINDPORT_LOCK 8

/* The functions of the two raw-* hooks serve sockets of other kinds, too, which do not count. */
static __always_inline bool is_raw_or_ping(const struct sock *sk)
{
	__u16 family = sk->__sk_common.skc_family;

	return (family == AF_INET || family == AF_INET6) &&
	       (sk->sk_type == SOCK_RAW || sk->sk_protocol == IPPROTO_ICMP ||
		sk->sk_protocol == IPPROTO_ICMPV6);
}

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
