/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of sockets, for BPF programs: raw ones and ping's, and clients' from services'. */
#ifndef NETSTACKLAT_SOCK_BPF_H
#define NETSTACKLAT_SOCK_BPF_H

/* Linux's states of TCP; sockets in the last two are no full ones. */
#define TCP_ESTABLISHED 1
#define TCP_TIME_WAIT 6
#define TCP_NEW_SYN_RECV 12

/* One of the kernel's enum tcp_chrono, each of which it counts the jiffies of. */
#define TCP_CHRONO_RWND_LIMITED 2

#define SOCK_BINDPORT_LOCK 8

/*
 * The functions of the two raw-* hooks serve sockets of other kinds, too, which do not count. Most
 * have none of these types: their family is not looked at.
 */
static __always_inline bool is_raw_or_ping(const struct sock *sk)
{
	__u16 family;

	if (sk->sk_type != SOCK_RAW && sk->sk_protocol != IPPROTO_ICMP &&
	    sk->sk_protocol != IPPROTO_ICMPV6)
		return false;
	family = sk->__sk_common.skc_family;
	return family == AF_INET || family == AF_INET6;
}

/*
 * What a service accepts begins as a copy of the socket that listens (sk_clone_lock()), and keeps
 * how many connections may wait there. So one that listens with room for none, which still gets
 * one, is taken for a client.
 */
static __always_inline bool tcp_is_client(const struct sock *sk)
{
	return !sk->sk_max_ack_backlog;
}

/* The same of a socket of which only a helper may read. */
static __always_inline bool tcp_is_client_untyped(const struct sock *sk)
{
	return !BPF_CORE_READ(sk, sk_max_ack_backlog);
}

/* A client of UDP connects its socket, or binds it to no port. */
static __always_inline bool udp_is_client(__u8 state, __u8 userlocks)
{
	return state == TCP_ESTABLISHED || !(userlocks & SOCK_BINDPORT_LOCK);
}

static __always_inline bool socket_is_client(const struct sock *sk)
{
	__u8 state = sk->__sk_common.skc_state;

	/* A request for a connection is smaller than a socket, and has its listener's port. */
	if (state == TCP_NEW_SYN_RECV)
		return false;
	if (sk->sk_protocol == IPPROTO_TCP)
		return tcp_is_client(sk);
	return udp_is_client(state, BPF_CORE_READ_BITFIELD(sk, sk_userlocks));
}

#endif
