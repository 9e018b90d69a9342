// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/same_packet.h"

#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>

#include "lib/packet/ipv6.h"

#define MAX_ADDRESS sizeof(struct in6_addr)
#define PORT_SIZE 2

/* Fields that are not known are zero. */
struct identity {
	uint8_t protocol;
	uint16_t length;
	uint32_t id; /* or flow label */
	/* Address and port. */
	uint8_t source[MAX_ADDRESS + PORT_SIZE];
	uint8_t destination[MAX_ADDRESS + PORT_SIZE];
	/* Compares what is behind IP's own header, without ports and what may change. */
	uint8_t payload[SLOW_BYTES];
};

static void move_ports(struct identity *identity, uint8_t *ports)
{
	memcpy(identity->source + MAX_ADDRESS, ports, PORT_SIZE);
	memcpy(identity->destination + MAX_ADDRESS, ports + PORT_SIZE, PORT_SIZE);
	memset(ports, 0, 2 * PORT_SIZE);
}

/* Routers lower the segment size in a SYN's options. Its sequence number is random. */
static void clear_options_of_syn(uint8_t *transport, const uint8_t *end)
{
	struct tcphdr header;

	memcpy(&header, transport, sizeof(header));
	if (header.syn)
		memset(transport + sizeof(header), 0, end - transport - sizeof(header));
}

/*
 * The transport header is at this offset of the payload, which has room for one behind the bytes at
 * hand. Checksums may be left to network cards, and NAT changes them.
 */
static void normalize_transport(struct identity *identity, unsigned int offset)
{
	uint8_t *transport = identity->payload + offset;

	switch (identity->protocol) {
	case IPPROTO_TCP:
		move_ports(identity, transport);
		memset(transport + 16, 0, 2);
		clear_options_of_syn(transport, identity->payload + SLOW_BYTES);
		break;
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_DCCP:
		move_ports(identity, transport);
		memset(transport + 6, 0, 2);
		break;
	case IPPROTO_SCTP:
		move_ports(identity, transport);
		memset(transport + 8, 0, 4);
		break;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		/* Takes a ping's id, too, which NAT changes like a port. */
		memset(transport + 2, 0, 4);
		break;
	}
}

static void learn_payload(struct identity *identity, const uint8_t *bytes, unsigned int nr,
			  unsigned int nr_header)
{
	if (nr > nr_header)
		memcpy(identity->payload, bytes + nr_header, nr - nr_header);
}

static bool learn_ipv4(struct identity *identity, const uint8_t *bytes, unsigned int nr)
{
	struct iphdr header;

	if (nr < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	identity->protocol = header.protocol;
	identity->length = header.tot_len;
	identity->id = header.id;
	memcpy(identity->source, &header.saddr, sizeof(header.saddr));
	memcpy(identity->destination, &header.daddr, sizeof(header.daddr));
	learn_payload(identity, bytes, nr, header.ihl * 4U);
	normalize_transport(identity, 0);
	return true;
}

static bool learn_ipv6(struct identity *identity, const uint8_t *bytes, unsigned int nr)
{
	struct ipv6_payload payload;
	struct ip6_hdr header;

	if (nr < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	payload = ipv6_find_payload(bytes, nr);
	identity->protocol = payload.protocol;
	identity->length = header.ip6_plen;
	identity->id = header.ip6_flow & htonl(0xfffff);
	memcpy(identity->source, &header.ip6_src, sizeof(header.ip6_src));
	memcpy(identity->destination, &header.ip6_dst, sizeof(header.ip6_dst));
	/* Compares extension headers, too, which tell fragments apart. */
	learn_payload(identity, bytes, nr, sizeof(header));
	if (!payload.is_rest && payload.offset < nr)
		normalize_transport(identity, payload.offset - sizeof(header));
	return true;
}

/* Learns from the first nr bytes. Returns false if these have no IP header. */
static bool learn(struct identity *identity, const uint8_t *bytes, unsigned int nr)
{
	*identity = (struct identity){ 0 };
	switch (bytes[0] >> 4) {
	case 4:
		return learn_ipv4(identity, bytes, nr);
	case 6:
		return learn_ipv6(identity, bytes, nr);
	default:
		return false;
	}
}

static bool has_same_ends(const struct identity *a, const struct identity *b,
			  bool may_be_translated)
{
	bool from_same = !memcmp(a->source, b->source, sizeof(a->source));
	bool to_same = !memcmp(a->destination, b->destination, sizeof(a->destination));

	return may_be_translated ? from_same || to_same : from_same && to_same;
}

bool is_same_packet(const struct slow_packet *a, const struct slow_packet *b,
		    bool may_be_translated)
{
	/* The further a packet is, the more of it may be in one piece. */
	unsigned int nr = a->nr_bytes < b->nr_bytes ? a->nr_bytes : b->nr_bytes;
	struct identity one, other;

	if (a->ethertype != b->ethertype)
		return false;
	if (!learn(&one, a->bytes, nr) || !learn(&other, b->bytes, nr))
		return !memcmp(a->bytes, b->bytes, nr);
	return one.protocol == other.protocol && one.length == other.length && one.id == other.id &&
	       has_same_ends(&one, &other, may_be_translated) &&
	       !memcmp(one.payload, other.payload, sizeof(one.payload));
}
