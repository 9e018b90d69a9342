// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/flow.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <stdio.h>
#include <string.h>

#include "lib/packet/ipv6.h"
#include "lib/report/socket_addresses.h"

#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_IPV6 0x86dd

static void name_protocol(struct flow *flow, uint8_t protocol)
{
	static const char *const names[] = {
		[IPPROTO_ICMP] = "ICMP",     [IPPROTO_TCP] = "TCP",   [IPPROTO_UDP] = "UDP",
		[IPPROTO_ICMPV6] = "ICMPv6", [IPPROTO_SCTP] = "SCTP",
	};

	if (protocol < sizeof(names) / sizeof(*names) && names[protocol])
		snprintf(flow->protocol, sizeof(flow->protocol), "%s", names[protocol]);
	else
		snprintf(flow->protocol, sizeof(flow->protocol), "ip/%u", protocol);
}

static bool speaks_ports(uint8_t protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_SCTP;
}

/* These begin with the ports of sender and receiver. */
static void find_ports(struct flow *flow, uint8_t protocol, const struct slow_packet *packet,
		       uint32_t offset)
{
	uint16_t ports[2];

	if (!speaks_ports(protocol) || offset + sizeof(ports) > packet->nr_bytes)
		return;
	memcpy(ports, packet->bytes + offset, sizeof(ports));
	flow->has_sport = flow->has_dport = true;
	flow->sport = ntohs(ports[0]);
	flow->dport = ntohs(ports[1]);
}

/*
 * Takes the length from the header, which counts from nr_before bytes on. The header has 16 bits
 * for that, and 0 for a larger packet (BIG TCP). Then the skb tells; a jumbo payload option may be
 * there, or not, in recent kernels.
 */
static uint32_t length_of(const struct slow_packet *packet, uint32_t nr_before, uint16_t nr)
{
	return nr || packet->length <= UINT16_MAX ? nr_before + nr : packet->length;
}

static bool read_ipv4(struct flow *flow, const struct slow_packet *packet)
{
	struct iphdr header;

	if (packet->nr_bytes < sizeof(header))
		return false;
	memcpy(&header, packet->bytes, sizeof(header));
	flow->is_ip = true;
	inet_ntop(AF_INET, &header.saddr, flow->saddr, sizeof(flow->saddr));
	inet_ntop(AF_INET, &header.daddr, flow->daddr, sizeof(flow->daddr));
	flow->length = length_of(packet, 0, ntohs(header.tot_len));
	name_protocol(flow, header.protocol);
	/* Only the first fragment has them. */
	if (!(ntohs(header.frag_off) & IP_OFFMASK))
		find_ports(flow, header.protocol, packet, header.ihl * 4U);
	return true;
}

static bool read_ipv6(struct flow *flow, const struct slow_packet *packet)
{
	struct ipv6_payload payload;
	struct ip6_hdr header;

	if (packet->nr_bytes < sizeof(header))
		return false;
	memcpy(&header, packet->bytes, sizeof(header));
	flow->is_ip = true;
	inet_ntop(AF_INET6, &header.ip6_src, flow->saddr, sizeof(flow->saddr));
	inet_ntop(AF_INET6, &header.ip6_dst, flow->daddr, sizeof(flow->daddr));
	flow->length = length_of(packet, sizeof(header), ntohs(header.ip6_plen));
	payload = ipv6_find_payload(packet->bytes, packet->nr_bytes);
	name_protocol(flow, payload.protocol);
	if (!payload.is_rest)
		find_ports(flow, payload.protocol, packet, payload.offset);
	return true;
}

static bool read_bytes(struct flow *flow, const struct slow_packet *packet)
{
	switch (packet->nr_bytes ? packet->bytes[0] >> 4 : 0) {
	case 4:
		return ntohs(packet->ethertype) == ETHERTYPE_IP && read_ipv4(flow, packet);
	case 6:
		return ntohs(packet->ethertype) == ETHERTYPE_IPV6 && read_ipv6(flow, packet);
	default:
		return false;
	}
}

static void ask_socket(struct flow *flow, const struct slow_packet *packet)
{
	flow->is_ip = true;
	name_protocol(flow, packet->protocol);
	socket_address_print(packet->saddr, packet->family, flow->saddr);
	socket_address_print(packet->daddr, packet->family, flow->daddr);
	flow->has_sport = packet->sport && speaks_ports(packet->protocol);
	flow->has_dport = packet->dport && speaks_ports(packet->protocol);
	flow->sport = ntohs(packet->sport);
	flow->dport = ntohs(packet->dport);
}

void flow_of(const struct slow_packet *packet, struct flow *flow)
{
	*flow = (struct flow){ 0 };
	if (read_bytes(flow, packet))
		return;
	if (packet->family == AF_INET || packet->family == AF_INET6)
		ask_socket(flow, packet);
	else
		snprintf(flow->protocol, sizeof(flow->protocol), "ethertype/0x%04x",
			 ntohs(packet->ethertype));
}
