// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/packet/flow.h"

#define IPV4 "\x45\x00\x00\x80\x00\x01\x00\x00\x40"
#define IPV4_ADDRESSES "\x00\x00\xc0\x00\x02\x01\xc0\x00\x02\x02"
#define PORTS "\x4e\x29\x0f\xa0"
#define IPV6_ADDRESSES                                                     \
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" \
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02"

static struct flow flow_of_bytes(uint16_t ethertype, const char *bytes, size_t size)
{
	struct slow_packet packet = { .ethertype = htons(ethertype), .nr_bytes = size };
	struct flow flow;

	assert_true(size <= sizeof(packet.bytes));
	memcpy(packet.bytes, bytes, size);
	flow_of(&packet, &flow);
	return flow;
}

#define FLOW(ethertype, bytes) flow_of_bytes(ethertype, bytes, sizeof(bytes) - 1)

static void assert_flow(const struct flow *flow, const char *protocol, const char *saddr,
			const char *daddr, uint32_t length)
{
	assert_string_equal(flow->protocol, protocol);
	assert_string_equal(flow->saddr, saddr);
	assert_string_equal(flow->daddr, daddr);
	assert_int_equal(flow->length, length);
}

static void assert_ports(const struct flow *flow)
{
	assert_true(flow->has_sport && flow->has_dport);
	assert_int_equal(flow->sport, 20009);
	assert_int_equal(flow->dport, 4000);
}

static void test_ipv4(void **state)
{
	struct flow flow = FLOW(0x0800, IPV4 "\x11" IPV4_ADDRESSES PORTS);

	(void)state;
	assert_flow(&flow, "UDP", "192.0.2.1", "192.0.2.2", 128);
	assert_ports(&flow);
	flow = FLOW(0x0800, IPV4 "\x06" IPV4_ADDRESSES PORTS);
	assert_flow(&flow, "TCP", "192.0.2.1", "192.0.2.2", 128);
	assert_ports(&flow);
	flow = FLOW(0x0800, IPV4 "\x01" IPV4_ADDRESSES PORTS);
	assert_flow(&flow, "ICMP", "192.0.2.1", "192.0.2.2", 128);
	assert_false(flow.has_sport || flow.has_dport);
	flow = FLOW(0x0800, IPV4 "\xfd" IPV4_ADDRESSES PORTS);
	assert_flow(&flow, "ip/253", "192.0.2.1", "192.0.2.2", 128);
}

/* Ports are behind options, and only the first fragment has them. */
static void test_ipv4_with_options_and_in_fragments(void **state)
{
	struct flow flow = FLOW(0x0800, "\x46\x00\x00\x80\x00\x01\x20\x00\x40\x11" IPV4_ADDRESSES
					"\x94\x04\x00\x00" PORTS);

	(void)state;
	assert_ports(&flow);
	flow = FLOW(0x0800, "\x45\x00\x00\x80\x00\x01\x00\x08\x40\x11" IPV4_ADDRESSES PORTS);
	assert_flow(&flow, "UDP", "192.0.2.1", "192.0.2.2", 128);
	assert_false(flow.has_sport || flow.has_dport);
}

static void test_ipv6(void **state)
{
	struct flow flow = FLOW(0x86dd, "\x60\x00\x00\x00\x00\x6c\x11\x40" IPV6_ADDRESSES PORTS);

	(void)state;
	assert_flow(&flow, "UDP", "2001:db8::1", "2001:db8::2", 148);
	assert_ports(&flow);
	flow = FLOW(0x86dd, "\x60\x00\x00\x00\x00\x6c\x3a\x40" IPV6_ADDRESSES "\x80\x00\x00\x00");
	assert_flow(&flow, "ICMPv6", "2001:db8::1", "2001:db8::2", 148);
	assert_false(flow.has_sport || flow.has_dport);
}

/* Its payload is 108 bytes. */
#define IPV6(next) "\x60\x00\x00\x00\x00\x6c" next "\x40" IPV6_ADDRESSES
#define IPV6_FLOW(next, payload) FLOW(0x86dd, IPV6(next) payload)

/* As their name says, they are in front of the ports. */
static void test_ipv6_extension_headers(void **state)
{
	static const char *const all = IPV6("\x00") /* hop-by-hop, of 16 bytes */
		"\x3c\x01\x01\x0c\0\0\0\0\0\0\0\0\0\0\0\0"
		"\x2b\x00\x01\x04\0\0\0\0"	   /* destination options */
		"\x33\x00\x00\x00\0\0\0\0"	   /* routing */
		"\x2c\x01\x00\x00\0\0\0\1\0\0\0\1" /* authentication, in words */
		"\x11\x00\x00\x01\0\0\0\1"	   /* the first fragment */
		PORTS;
	const size_t size = 40 + 16 + 8 + 8 + 12 + 8 + 4;
	struct flow flow = flow_of_bytes(0x86dd, all, size);

	(void)state;
	assert_flow(&flow, "UDP", "2001:db8::1", "2001:db8::2", 148);
	assert_ports(&flow);
	/* Cut off within one, it is what is known. */
	flow = flow_of_bytes(0x86dd, all, size - 4 - 1);
	assert_flow(&flow, "ip/44", "2001:db8::1", "2001:db8::2", 148);
	flow = flow_of_bytes(0x86dd, all, 40);
	assert_flow(&flow, "ip/0", "2001:db8::1", "2001:db8::2", 148);
	for (size_t nr = 0; nr < size; nr++) {
		flow = flow_of_bytes(0x86dd, all, nr);
		assert_false(flow.has_sport || flow.has_dport);
	}
	/* One that is longer than what is at hand, and one that hides what is behind it. */
	flow = IPV6_FLOW("\x00", "\x06\xff\x01\x04\0\0\0\0" PORTS);
	assert_flow(&flow, "TCP", "2001:db8::1", "2001:db8::2", 148);
	assert_false(flow.has_sport || flow.has_dport);
	flow = IPV6_FLOW("\x32", "\x11\x00\x00\x01\0\0\0\1" PORTS);
	assert_flow(&flow, "ip/50", "2001:db8::1", "2001:db8::2", 148);
}

/* As in IPv4, only the first fragment has ports; and more extension headers. */
static void test_ipv6_in_fragments(void **state)
{
	struct flow flow = IPV6_FLOW("\x2c", "\x11\x00\x00\x08\0\0\0\1" PORTS);

	(void)state;
	assert_flow(&flow, "UDP", "2001:db8::1", "2001:db8::2", 148);
	assert_false(flow.has_sport || flow.has_dport);
	flow = IPV6_FLOW("\x2c", "\x3c\x00\x00\x08\0\0\0\1\x11\0\0\0\0\0\0\0" PORTS);
	assert_flow(&flow, "ip/60", "2001:db8::1", "2001:db8::2", 148);
	/* A fragment that is a whole packet. */
	flow = IPV6_FLOW("\x2c", "\x11\x00\x00\x00\0\0\0\1" PORTS);
	assert_ports(&flow);
}

static struct flow flow_of_length(uint16_t ethertype, const char *bytes, size_t size,
				  uint32_t length)
{
	struct slow_packet packet = {
		.ethertype = htons(ethertype),
		.nr_bytes = size,
		.length = length,
	};
	struct flow flow;

	memcpy(packet.bytes, bytes, size);
	flow_of(&packet, &flow);
	return flow;
}

#define FLOW_OF_LENGTH(ethertype, bytes, length) \
	flow_of_length(ethertype, bytes, sizeof(bytes) - 1, length)

/* BIG TCP: its header has no room for the length. */
static void test_packets_of_more_than_64_kib(void **state)
{
	static const char jumbo[] = "\x60\x00\x00\x00\x00\x00\x00\x40" IPV6_ADDRESSES
				    "\x06\x00\xc2\x04\x00\x02\x00\x00" PORTS;
	struct flow flow = FLOW_OF_LENGTH(0x86dd, jumbo, 40 + 0x20000);

	(void)state;
	assert_flow(&flow, "TCP", "2001:db8::1", "2001:db8::2", 40 + 0x20000);
	assert_ports(&flow);
	/* Newer kernels leave the option out, and have none for IPv4. */
	flow = FLOW_OF_LENGTH(0x86dd, "\x60\0\0\0\0\0\x06\x40" IPV6_ADDRESSES PORTS, 100000);
	assert_flow(&flow, "TCP", "2001:db8::1", "2001:db8::2", 100000);
	flow = FLOW_OF_LENGTH(0x0800, "\x45\0\0\0\0\1\0\0\x40\x06" IPV4_ADDRESSES PORTS, 100000);
	assert_flow(&flow, "TCP", "192.0.2.1", "192.0.2.2", 100000);
}

/* Ethernet pads what is short, which is none of the packet's. */
static void test_padding_is_no_length(void **state)
{
	struct flow flow = FLOW_OF_LENGTH(0x86dd, "\x60\0\0\0\0\0\x3b\x40" IPV6_ADDRESSES, 46);

	(void)state;
	assert_flow(&flow, "ip/59", "2001:db8::1", "2001:db8::2", 40);
	flow = FLOW_OF_LENGTH(0x0800, IPV4 "\x11" IPV4_ADDRESSES PORTS, 130);
	assert_flow(&flow, "UDP", "192.0.2.1", "192.0.2.2", 128);
}

/* What is behind the end is somebody else's. */
static void test_packets_that_are_cut_off(void **state)
{
	static const char bytes[] = IPV4 "\x11" IPV4_ADDRESSES PORTS;

	(void)state;
	for (size_t size = 0; size < sizeof(bytes) - 1; size++) {
		struct flow flow = flow_of_bytes(0x0800, bytes, size);

		assert_false(flow.has_sport || flow.has_dport);
		assert_int_equal(!!*flow.saddr, size >= 20);
	}
}

static void test_what_is_not_ip(void **state)
{
	/* An ARP request, and one that looks like IPv4. */
	struct flow flow = FLOW(0x0806, "\x00\x01\x08\x00\x06\x04\x00\x01");

	(void)state;
	assert_flow(&flow, "ethertype/0x0806", "", "", 0);
	flow = FLOW(0x0806, IPV4 "\x11" IPV4_ADDRESSES PORTS);
	assert_flow(&flow, "ethertype/0x0806", "", "", 0);
}

static void test_sockets_tell_where_there_is_no_packet(void **state)
{
	struct slow_packet packet = {
		.family = AF_INET,
		.protocol = IPPROTO_TCP,
		.saddr = { htonl(0xc0000201) },
		.daddr = { htonl(0xc0000202) },
		.sport = htons(20009),
		.dport = htons(4000),
	};
	struct flow flow;

	(void)state;
	flow_of(&packet, &flow);
	assert_flow(&flow, "TCP", "192.0.2.1", "192.0.2.2", 0);
	assert_ports(&flow);
	packet.family = AF_INET6;
	memcpy(packet.saddr, IPV6_ADDRESSES, 16);
	memcpy(packet.daddr, &IPV6_ADDRESSES[16], 16);
	flow_of(&packet, &flow);
	assert_flow(&flow, "TCP", "2001:db8::1", "2001:db8::2", 0);
	/* An IPv6 socket that speaks IPv4. */
	memcpy(packet.saddr, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\x00\x02\x01", 16);
	memcpy(packet.daddr, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\x00\x02\x02", 16);
	flow_of(&packet, &flow);
	assert_flow(&flow, "TCP", "192.0.2.1", "192.0.2.2", 0);
}

/* Such a socket does not know who sent to it, nor to which of the host's addresses. */
static void test_a_socket_that_is_not_connected(void **state)
{
	struct slow_packet packet = {
		.family = AF_INET,
		.protocol = IPPROTO_UDP,
		.dport = htons(4000),
	};
	struct flow flow;

	(void)state;
	for (int i = 0; i < 2; i++) {
		flow_of(&packet, &flow);
		assert_flow(&flow, "UDP", "", "", 0);
		assert_true(flow.is_ip && flow.has_dport && !flow.has_sport);
		packet.family = AF_INET6;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),
		cmocka_unit_test(test_ipv4_with_options_and_in_fragments),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_ipv6_extension_headers),
		cmocka_unit_test(test_ipv6_in_fragments),
		cmocka_unit_test(test_packets_of_more_than_64_kib),
		cmocka_unit_test(test_padding_is_no_length),
		cmocka_unit_test(test_packets_that_are_cut_off),
		cmocka_unit_test(test_what_is_not_ip),
		cmocka_unit_test(test_sockets_tell_where_there_is_no_packet),
		cmocka_unit_test(test_a_socket_that_is_not_connected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
