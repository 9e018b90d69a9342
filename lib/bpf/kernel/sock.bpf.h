/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of sockets, for BPF programs: raw and ping sockets, and clients and services. */
#ifndef NETSTACKLAT_SOCK_BPF_H
#define NETSTACKLAT_SOCK_BPF_H

/* Linux's states of TCP; sockets in the last two are no full ones. */
#define TCP_ESTABLISHED 1
#define TCP_TIME_WAIT 6
#define TCP_NEW_SYN_RECV 12

/* One of the kernel's enum tcp_chrono. The kernel counts the jiffies of each. */
#define TCP_CHRONO_RWND_LIMITED 2

#define SOCK_BINDPORT_LOCK 8

/*
 * The functions of the two raw-* hooks also serve sockets of other kinds, which do not count. Most
 * of those have neither of these types, so their family need not be looked at.
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
 * A socket that a service accepts begins as a copy of the listening one (sk_clone_lock()), and
 * keeps how many connections may wait there. So if the service listens with room for none, and
 * still gets one, that is taken for a client's.
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

/* Returns whether an ACK has told a round-trip time, in us. */
static __always_inline bool rtt_is_known(__u32 rtt_us)
{
	return rtt_us && rtt_us != ~0U;
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
