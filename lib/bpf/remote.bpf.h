/* SPDX-License-Identifier: GPL-2.0 */
/* Where a packet came from, for BPF programs: as the keys of the map filter_remotes. */
#ifndef NETSTACKLAT_REMOTE_BPF_H
#define NETSTACKLAT_REMOTE_BPF_H

/* Of struct iphdr and struct ipv6hdr (RFC 791, RFC 8200). */
#define IPV4_SOURCE_OFFSET 12
#define IPV6_SOURCE_OFFSET 8

static __always_inline struct remote_key remote_ipv4(__be32 address)
{
	return (struct remote_key){ 128, { 0, 0, bpf_htonl(0xffff), address } };
}

/* By the packet's own header, which stays where it is until the skb is freed. */
static __always_inline struct remote_key remote_of_skb(const struct sk_buff *skb)
{
	const unsigned char *header = skb->head + skb->network_header;
	struct remote_key key = { .prefix_length = 128 };

	if (skb->protocol == bpf_htons(ETH_P_IP)) {
		key = remote_ipv4(0);
		bpf_probe_read_kernel(&key.address[3], sizeof(key.address[3]),
				      header + IPV4_SOURCE_OFFSET);
	} else {
		bpf_probe_read_kernel(key.address, sizeof(key.address),
				      header + IPV6_SOURCE_OFFSET);
	}
	return key;
}

static __always_inline struct remote_key remote_of_connection(const struct sock *sk)
{
	const __be32 *peer = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32;

	if (sk->__sk_common.skc_family == AF_INET)
		return remote_ipv4(sk->__sk_common.skc_daddr);
	return (struct remote_key){ 128, { peer[0], peer[1], peer[2], peer[3] } };
}

#endif
