/* SPDX-License-Identifier: GPL-2.0 */
/* The identity of a socket, for BPF programs. */
#ifndef NETSTACKLAT_SOCKET_BPF_H
#define NETSTACKLAT_SOCKET_BPF_H

#include "lib/bpf/path/packet.bpf.h"
#include "lib/tables/group_row.h"

/* Linux 5.12 has it (c5dbb89fc2ac), which also brought the other helper. */
static __always_inline bool sockets_tell_cookies(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_check_mtu);
}

/*
 * Returns the cookie as ss -e shows it, which is never used again; 0 if it is not known. A socket
 * has none until somebody asks the kernel for it. tx-ip does so for the hooks behind it, where
 * tracepoints may not (seen on 7.2).
 */
static __always_inline __u64 socket_cookie(const struct packet *packet, const struct sock *sk)
{
	const struct sock___identity *identity = (const void *)sk;

	if (!sk || !sockets_tell_cookies())
		return 0;
	if (packet->has & HAS_SENT && IS_LEFT_OUT(packet->sk))
		return BPF_CORE_READ(identity, __sk_common.skc_cookie.counter);
	return bpf_get_socket_cookie((void *)sk);
}

/*
 * A helper reads these, as the sender may be a request for a connection, which is smaller than a
 * socket.
 */
static __always_inline void socket_learn_addresses(const struct sock *sk,
						   struct socket_addresses *of)
{
	const struct sock___identity *local = (const void *)sk;

	of->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	of->local_port = bpf_htons(BPF_CORE_READ(sk, __sk_common.skc_num));
	of->remote_port = BPF_CORE_READ(local, __sk_common.skc_dport);
	if (of->family == AF_INET) {
		of->local[0] = BPF_CORE_READ(local, __sk_common.skc_rcv_saddr);
		of->remote[0] = BPF_CORE_READ(sk, __sk_common.skc_daddr);
		return;
	}
	BPF_CORE_READ_INTO(&of->local, local, __sk_common.skc_v6_rcv_saddr);
	BPF_CORE_READ_INTO(&of->remote, sk, __sk_common.skc_v6_daddr);
}

#endif
