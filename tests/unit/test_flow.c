// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <arpa/inet.h>
#include <string.h>

#include "lib/report/flow.h"

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
		cmocka_unit_test(test_packets_that_are_cut_off),
		cmocka_unit_test(test_what_is_not_ip),
		cmocka_unit_test(test_sockets_tell_where_there_is_no_packet),
		cmocka_unit_test(test_a_socket_that_is_not_connected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
