/* SPDX-License-Identifier: GPL-2.0 */
/* The local port in a packet's own headers, where no socket is at hand, for BPF programs. */
#ifndef NETSTACKLAT_HEADER_PORT_BPF_H
#define NETSTACKLAT_HEADER_PORT_BPF_H

#include "lib/bpf/kernel/bytes.bpf.h"
#include "lib/bpf/kernel/stamp.bpf.h"

/* RFC 791 and RFC 8200 have them there, in bytes. */
#define IPV4_FRAGMENT_OFFSET 6
#define IPV4_PROTOCOL_OFFSET 9
#define IPV6_NEXT_HEADER_OFFSET 6
#define IPV6_HEADER_SIZE 40
#define PORTS_SIZE 4 /* source and destination, of UDP and TCP alike */

/*
 * Returns how far the ports are behind the network header; 0 if there are none, or an IPv6
 * extension.
 */
static __always_inline __u32 ports_offset(__be16 ethertype, const __u8 *header)
{
	bool is_ipv4 = ethertype == bpf_htons(ETH_P_IP);
	__u8 protocol = header[is_ipv4 ? IPV4_PROTOCOL_OFFSET : IPV6_NEXT_HEADER_OFFSET];

	if ((protocol != IPPROTO_UDP && protocol != IPPROTO_TCP) ||
	    (!is_ipv4 && ethertype != bpf_htons(ETH_P_IPV6)))
		return 0;
	if (!is_ipv4)
		return IPV6_HEADER_SIZE;
	/* Only the first fragment has them. */
	if (header[IPV4_FRAGMENT_OFFSET] & 0x1f || header[IPV4_FRAGMENT_OFFSET + 1])
		return 0;
	return (header[0] & 0xf) * 4;
}

/*
 * Returns whether a packet was sent here: it is not noted as received, and belongs to a socket.
 * That is so, too, for a packet that came by veth (9c4c325252c5), until IP takes it; but that has a
 * receive stamp.
 */
static __always_inline bool header_is_of_sent(struct sk_buff *skb)
{
	return !skb->skb_iif && skb->sk && !stamp_is_for_rx(skb);
}

/* 0 where there is none, or where it is not at hand. */
static __always_inline __u16 header_port(struct sk_buff *skb)
{
	const struct sk_buff___bytes *bytes = (const void *)skb;
	const unsigned char *network = skb->head + skb->network_header;
	__u32 at_hand = bytes_at_hand(skb->network_header, bytes->tail), offset;
	__u8 header[IPV4_PROTOCOL_OFFSET + 1];
	__be16 ports[2];

	if (bpf_probe_read_kernel(header, sizeof(header), network))
		return 0;
	offset = ports_offset(skb->protocol, header);
	if (!offset || offset + PORTS_SIZE > at_hand ||
	    bpf_probe_read_kernel(ports, sizeof(ports), network + offset))
		return 0;
	return bpf_ntohs(header_is_of_sent(skb) ? ports[0] : ports[1]);
}

#endif
