/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The address that a packet came from, or is sent to, as a key of the map filter_remotes, and the
 * port there; for BPF programs.
 */
#ifndef NETSTACKLAT_REMOTE_BPF_H
#define NETSTACKLAT_REMOTE_BPF_H

/* Offsets in struct iphdr and struct ipv6hdr (RFC 791, RFC 8200). */
#define IPV4_SOURCE_OFFSET 12
#define IPV4_DESTINATION_OFFSET 16
#define IPV6_SOURCE_OFFSET 8
#define IPV6_DESTINATION_OFFSET 24

/*
 * Uses the packet's own header, which stays in place until the skb is freed. Where a packet is new,
 * or was dropped as such, the header's place is not noted yet, and the data begins there.
 */
static __always_inline struct remote_key remote_of_skb(const struct sk_buff *skb, bool is_noted,
						       bool is_sent)
{
	const struct sk_buff___bytes *bytes = (const void *)skb;
	const unsigned char *header =
		is_noted && skb->network_header ? skb->head + skb->network_header : bytes->data;
	struct remote_key key = { .prefix_length = REMOTE_KEY_BITS, .protocol = skb->protocol };

	if (key.protocol == bpf_htons(ETH_P_IP))
		bpf_probe_read_kernel(
			key.address, sizeof(key.address[0]),
			header + (is_sent ? IPV4_DESTINATION_OFFSET : IPV4_SOURCE_OFFSET));
	else
		bpf_probe_read_kernel(
			key.address, sizeof(key.address),
			header + (is_sent ? IPV6_DESTINATION_OFFSET : IPV6_SOURCE_OFFSET));
	return key;
}

/* An IPv6 socket may speak IPv4, with addresses such as ::ffff:192.0.2.1. */
static __always_inline bool is_mapped_ipv4(const __be32 *address)
{
	return !address[0] && !address[1] && address[2] == bpf_htonl(0xffff);
}

static __always_inline __be16 protocol_of_connection(const struct sock *sk)
{
	const __be32 *peer = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32;

	if (sk->__sk_common.skc_family == AF_INET)
		return bpf_htons(ETH_P_IP);
	return bpf_htons(is_mapped_ipv4(peer) ? ETH_P_IP : ETH_P_IPV6);
}

static __always_inline struct remote_key remote_of_connection(const struct sock *sk)
{
	const __be32 *peer = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32;
	struct remote_key key = { .prefix_length = REMOTE_KEY_BITS,
				  .protocol = protocol_of_connection(sk) };

	/* TCP keeps it there for an IPv6 socket, too. */
	if (key.protocol == bpf_htons(ETH_P_IP)) {
		key.address[0] = sk->__sk_common.skc_daddr;
		return key;
	}
	for (int i = 0; i < 4; i++)
		key.address[i] = peer[i];
	return key;
}

struct peer {
	struct remote_key remote;
	__be16 port; /* datagrams of raw sockets have none: 0 */
};

static __always_inline struct peer peer_of_connection(const struct sock *sk)
{
	const struct sock___identity *identity = (const void *)sk;

	return (struct peer){ remote_of_connection(sk), identity->__sk_common.skc_dport };
}

#endif
