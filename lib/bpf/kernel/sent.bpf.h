/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about an skb on its way out, for BPF programs. */
#ifndef NETSTACKLAT_SENT_BPF_H
#define NETSTACKLAT_SENT_BPF_H

#include <bpf/bpf_endian.h>
#include "lib/bpf/kernel/cgroup.bpf.h"
#include "lib/bpf/kernel/device.bpf.h"
#include "lib/bpf/kernel/sock.bpf.h"

/* Linux's states of neighbours in which an address is known, be it old. */
#define NUD_VALID 0xde

/* Returns whether it is from a socket: resets, and what is sent in TIME-WAIT, are from none. */
static __always_inline bool sent_by_socket(const struct sock *sk)
{
	return sk && sk->__sk_common.skc_state != TCP_TIME_WAIT;
}

/*
 * The namespace of its device. Where IP sends it and has not noted a device, that of its socket; or
 * NULL.
 */
static __always_inline const struct net *sent_net(const struct net_device *dev,
						  const struct sock *sk)
{
	if (dev)
		return dev->nd_net.net;
	return sk ? sk->__sk_common.skc_net.net : NULL;
}

/*
 * Its cgroup; for a SYN-ACK, that of the listening socket. A helper reads it, as the verifier takes
 * its address for a number.
 */
static __always_inline const struct cgroup *sent_cgroup(const struct sock *sk)
{
	if (!sent_by_socket(sk))
		return NULL;
	if (sk->__sk_common.skc_state == TCP_NEW_SYN_RECV)
		sk = sk->__sk_common.skc_listener;
	return cgroup_of_untyped(sk);
}

/* A request for a connection is smaller than a socket, but has its port at the same place. */
static __always_inline bool sent_from_port(const struct sock *sk)
{
	return sent_by_socket(sk) &&
	       (sk->__sk_common.skc_state == TCP_NEW_SYN_RECV || !is_raw_or_ping(sk));
}

/* ARP and the like are not IP, but a packet behind one of these headers may be. */
static __always_inline bool sent_may_be_ip(const struct sk_buff *skb)
{
	switch (skb->protocol) {
	case bpf_htons(ETH_P_IP):
	case bpf_htons(ETH_P_IPV6):
	case bpf_htons(ETH_P_8021Q):
	case bpf_htons(ETH_P_8021AD):
	case bpf_htons(ETH_P_MPLS_UC):
	case bpf_htons(ETH_P_PPP_SES):
	case bpf_htons(ETH_P_MACSEC):
		return true;
	default:
		return false;
	}
}

/* Returns whether a device above this one, such as a bond or a VLAN, may send by it. */
static __always_inline bool sent_may_be_from_above(const struct net_device *dev)
{
	__u64 list = (__u64)dev + bpf_core_field_offset(struct net_device, adj_list.upper);

	return dev && (__u64)BPF_CORE_READ(dev, adj_list.upper.next) != list;
}

/* Returns whether it is a tun or tap, behind which a process reads. Takes any address. */
static __always_inline bool sent_to_process(const struct net_device *dev)
{
	return device_is_a(dev, "tun");
}

#endif
