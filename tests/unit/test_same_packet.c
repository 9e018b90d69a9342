// SPDX-License-Identifier: GPL-2.0
/* Whether two packets are one, by their bytes. */
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "lib/packet/same_packet.h"

enum { TRAVELLED, TRANSLATED };

/* Where these are in the IP header, or the first of them, and how long it is. */
struct layout {
	__be16 ethertype;
	unsigned int version, tos, length, id, ttl, protocol, saddr, daddr, payload;
};

static const struct layout layouts[] = {
	{ 0x0800, 0x40, 1, 2, 4, 8, 9, 12, 16, 20 },
	{ 0x86dd, 0x60, 0, 4, 3, 7, 6, 8, 24, 40 },
};
static const struct layout *const ipv4 = &layouts[0], *const ipv6 = &layouts[1];

/* No two bytes of it are equal. */
static struct slow_packet packet_of(const struct layout *layout, uint8_t protocol)
{
	struct slow_packet packet = {
		.ethertype = htons(layout->ethertype),
		.nr_bytes = SLOW_BYTES,
	};

	for (unsigned int i = 0; i < SLOW_BYTES; i++)
		packet.bytes[i] = i + 1;
	packet.bytes[0] = layout->version | 5;
	packet.bytes[layout->protocol] = protocol;
	/* No SYN. */
	packet.bytes[layout->payload + 13] = 0x10;
	return packet;
}

/* Whether a packet is the same after a byte of it has changed. */
static bool survives(const struct slow_packet *packet, unsigned int byte, int way)
{
	struct slow_packet changed = *packet;

	changed.bytes[byte] ^= 1;
	return is_same_packet(packet, &changed, way == TRANSLATED);
}

static void test_the_ip_header(void **state)
{
	(void)state;
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet packet = packet_of(layout, 253);

		assert_true(is_same_packet(&packet, &packet, false));
		assert_true(survives(&packet, layout->ttl, TRAVELLED));
		assert_true(survives(&packet, layout->tos, TRAVELLED));
		assert_false(survives(&packet, layout->length, TRANSLATED));
		assert_false(survives(&packet, layout->id, TRANSLATED));
		assert_false(survives(&packet, layout->protocol, TRANSLATED));
	}
}

/* ECN, and a DSCP, are in two bytes of IPv6, with the flow label. */
static void test_the_traffic_class_of_ipv6(void **state)
{
	struct slow_packet packet = packet_of(ipv6, 253), marked = packet;

	(void)state;
	marked.bytes[1] ^= 0x30;
	assert_true(is_same_packet(&packet, &marked, false));
	marked.bytes[1] ^= 0x01;
	assert_false(is_same_packet(&packet, &marked, true));
}

static void test_one_address_may_be_translated(void **state)
{
	(void)state;
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet packet = packet_of(layout, 253), other = packet;

		assert_false(survives(&packet, layout->saddr, TRAVELLED));
		assert_false(survives(&packet, layout->daddr, TRAVELLED));
		assert_true(survives(&packet, layout->saddr, TRANSLATED));
		assert_true(survives(&packet, layout->daddr, TRANSLATED));
		other.bytes[layout->saddr] ^= 1;
		other.bytes[layout->daddr] ^= 1;
		assert_false(is_same_packet(&packet, &other, true));
	}
}

static void test_the_payload_stays(void **state)
{
	(void)state;
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet packet = packet_of(layout, 253);

		for (unsigned int i = layout->payload; i < SLOW_BYTES; i++)
			assert_false(survives(&packet, i, TRANSLATED));
	}
}

/* These bytes of the transport header may change, ports with their address only. */
static void assert_transport(uint8_t protocol, bool has_ports, unsigned int from, unsigned int nr)
{
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet packet = packet_of(layout, protocol), other;

		for (unsigned int i = 0; i < 30; i++) {
			bool may_change = i >= from && i < from + nr;
			bool is_port = has_ports && i < 4;

			assert_int_equal(survives(&packet, layout->payload + i, TRAVELLED),
					 may_change);
			assert_int_equal(survives(&packet, layout->payload + i, TRANSLATED),
					 may_change || is_port);
		}
		if (!has_ports)
			continue;
		other = packet;
		other.bytes[layout->saddr] ^= 1;
		other.bytes[layout->payload] ^= 1;
		assert_true(is_same_packet(&packet, &other, true));
		other.bytes[layout->payload + 2] ^= 1;
		assert_false(is_same_packet(&packet, &other, true));
	}
}

static void test_ports_and_checksums(void **state)
{
	(void)state;
	assert_transport(IPPROTO_TCP, true, 16, 2);
	assert_transport(IPPROTO_UDP, true, 6, 2);
	assert_transport(IPPROTO_UDPLITE, true, 6, 2);
	assert_transport(IPPROTO_DCCP, true, 6, 2);
	assert_transport(IPPROTO_SCTP, true, 8, 4);
	assert_transport(IPPROTO_ICMP, false, 2, 4);
	assert_transport(IPPROTO_ICMPV6, false, 2, 4);
}

/* The reply to a ping, or of an echo server, has the same payload. */
static void test_a_reply_is_another(void **state)
{
	(void)state;
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet packet = packet_of(layout, IPPROTO_UDP), reply = packet;
		unsigned int nr = layout->daddr - layout->saddr;

		memcpy(reply.bytes + layout->saddr, packet.bytes + layout->daddr, nr);
		memcpy(reply.bytes + layout->daddr, packet.bytes + layout->saddr, nr);
		memcpy(reply.bytes + layout->payload, packet.bytes + layout->payload + 2, 2);
		memcpy(reply.bytes + layout->payload + 2, packet.bytes + layout->payload, 2);
		assert_false(is_same_packet(&packet, &reply, true));
	}
}

static void test_a_syn_may_get_other_options(void **state)
{
	(void)state;
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet syn = packet_of(layout, IPPROTO_TCP);

		syn.bytes[layout->payload + 13] = 0x02;
		assert_true(survives(&syn, layout->payload + 20, TRAVELLED));
		assert_true(survives(&syn, SLOW_BYTES - 1, TRAVELLED));
		assert_false(survives(&syn, layout->payload + 4, TRANSLATED));
		assert_false(survives(&syn, layout->payload + 19, TRANSLATED));
	}
}

/* IPv4's options are in front of the ports. */
static void test_ip_options(void **state)
{
	struct slow_packet packet = packet_of(ipv4, IPPROTO_UDP);

	(void)state;
	packet.bytes[0] = 0x46;
	assert_true(survives(&packet, 24 + 7, TRAVELLED));
	assert_false(survives(&packet, 20 + 7, TRAVELLED));
	assert_true(survives(&packet, 20, TRAVELLED));
	/* Not all of them are at hand. */
	packet.bytes[0] = 0x4f;
	packet.nr_bytes = 20;
	assert_true(survives(&packet, 20, TRAVELLED));
	assert_false(survives(&packet, 19, TRAVELLED));
}

/* They are in front of IPv6's ports and checksum, and are the same everywhere themselves. */
static void test_ipv6_extension_headers(void **state)
{
	struct slow_packet packet = packet_of(ipv6, IPPROTO_DSTOPTS);

	(void)state;
	packet.bytes[40] = IPPROTO_TCP;
	packet.bytes[41] = 0;
	packet.bytes[48 + 13] = 0x10;
	assert_true(survives(&packet, 48 + 16, TRAVELLED));
	assert_false(survives(&packet, 40 + 16, TRAVELLED));
	assert_false(survives(&packet, 48, TRAVELLED));
	assert_true(survives(&packet, 48, TRANSLATED));
	assert_false(survives(&packet, 45, TRANSLATED));
	packet.bytes[48 + 13] = 0x02;
	assert_true(survives(&packet, SLOW_BYTES - 1, TRAVELLED));
	/* The headers go on to the end of what is at hand, or beyond. */
	for (packet.nr_bytes = 40; packet.nr_bytes <= 48; packet.nr_bytes++)
		assert_true(is_same_packet(&packet, &packet, false));
	packet.bytes[41] = 255;
	packet.nr_bytes = SLOW_BYTES;
	assert_false(survives(&packet, 48 + 16, TRANSLATED));
}

/* A fragment is known by its id and offset, and has neither ports nor checksum but in the first. */
static void test_ipv6_fragments(void **state)
{
	struct slow_packet packet = packet_of(ipv6, IPPROTO_FRAGMENT);

	(void)state;
	packet.bytes[40] = IPPROTO_UDP;
	packet.bytes[42] = packet.bytes[43] = 0;
	assert_true(survives(&packet, 48 + 7, TRAVELLED));
	assert_false(survives(&packet, 47, TRANSLATED));
	packet.bytes[42] = 1;
	for (unsigned int i = 40; i < SLOW_BYTES; i++)
		assert_false(survives(&packet, i, TRANSLATED));
}

/* Not all bytes are at hand everywhere: what is not counts for nothing. */
static void test_as_many_bytes_as_both_have(void **state)
{
	(void)state;
	for (const struct layout *layout = ipv4; layout <= ipv6; layout++) {
		struct slow_packet packet = packet_of(layout, IPPROTO_UDP), less = packet;

		less.nr_bytes = layout->payload;
		memset(less.bytes + less.nr_bytes, 0, SLOW_BYTES - less.nr_bytes);
		assert_true(is_same_packet(&packet, &less, false));
		assert_true(is_same_packet(&less, &packet, false));
		less.bytes[layout->saddr] ^= 1;
		assert_false(is_same_packet(&packet, &less, false));
		/* Not even a whole header: then they are compared as they are. */
		less.bytes[layout->saddr] ^= 1;
		less.nr_bytes = layout->payload - 1;
		assert_true(is_same_packet(&packet, &less, false));
		less.bytes[layout->ttl] ^= 1;
		assert_false(is_same_packet(&packet, &less, false));
	}
}

static void test_other_protocols(void **state)
{
	struct slow_packet arp = packet_of(ipv4, 0), other;

	(void)state;
	arp.ethertype = htons(0x0806);
	arp.bytes[0] = 0;
	arp.nr_bytes = 28;
	assert_false(survives(&arp, 0, TRANSLATED));
	assert_false(survives(&arp, 27, TRANSLATED));
	assert_true(survives(&arp, 28, TRAVELLED));
	other = arp;
	other.ethertype = htons(0x0800);
	assert_false(is_same_packet(&arp, &other, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_ip_header),
		cmocka_unit_test(test_the_traffic_class_of_ipv6),
		cmocka_unit_test(test_one_address_may_be_translated),
		cmocka_unit_test(test_the_payload_stays),
		cmocka_unit_test(test_ports_and_checksums),
		cmocka_unit_test(test_a_reply_is_another),
		cmocka_unit_test(test_a_syn_may_get_other_options),
		cmocka_unit_test(test_ip_options),
		cmocka_unit_test(test_ipv6_extension_headers),
		cmocka_unit_test(test_ipv6_fragments),
		cmocka_unit_test(test_as_many_bytes_as_both_have),
		cmocka_unit_test(test_other_protocols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
