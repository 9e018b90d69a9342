// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/netns_counters.h"
#include "lib/host/netns_facts.h"

/* Asserts whether they are told, and how many. */
static void assert_conntrack(const char *text, bool told, uint64_t dropped, uint64_t failed)
{
	struct netns_counters counters = { .conntrack_dropped = 4711, .conntrack_failed = 4711 };
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(file);
	conntrack_parse(file, &counters);
	assert_int_equal(counters.has_conntrack, told);
	assert_int_equal(counters.conntrack_dropped, dropped);
	assert_int_equal(counters.conntrack_failed, failed);
	fclose(file);
}

/* As Linux 6.12 prints it, with fewer columns. */
static void test_drops_of_all_cpus_are_summed(void **state)
{
	(void)state;
	assert_conntrack(
		"entries  clashres found insert insert_failed drop early_drop icmp_error\n"
		"00000010  00000000 00000000 00000000 00000001 000000ff 00000003 00000000\n"
		"00000010  00000000 00000000 00000000 00000000 00000001 00000000 00000000\n",
		true, 256, 1);
}

static void assert_told_apart(uint64_t dropped, uint64_t failed, uint64_t full, uint64_t clashed)
{
	struct netns_facts facts = { 0 };

	conntrack_tell_apart(dropped, failed, &facts);
	assert_int_equal(facts.conntrack_dropped, full);
	assert_int_equal(facts.conntrack_clashed, clashed);
}

/* A connection that cannot be entered without a drop is no clash. */
static void test_a_clash_is_no_full_table(void **state)
{
	(void)state;
	assert_told_apart(3, 3, 0, 3);
	assert_told_apart(3, 2, 1, 2);
	assert_told_apart(3, 9, 0, 3);
	assert_told_apart(3, 0, 3, 0);
}

static void test_columns_may_be_anywhere(void **state)
{
	(void)state;
	assert_conntrack("drop entries\n0000000a 00000001\n", true, 10, 0);
	assert_conntrack("entries drop\n00000001 0000000a", true, 10, 0);
}

static void test_a_table_that_is_missing_is_not_told(void **state)
{
	(void)state;
	assert_conntrack("entries early_drop\n00000001 00000002\n", false, 0, 0);
	assert_conntrack("\n", false, 0, 0);
	assert_conntrack("entries drop\n", true, 0, 0);
	assert_conntrack("entries drop\n00000001\n\n", true, 0, 0);
	assert_conntrack("entries drop\n00000001 zebra\n", true, 0, 0);
}

/* As Linux 6.12 prints it, with fewer columns. */
#define COUNTERS                                                               \
	"MPTcpExt: ListenDrops\nMPTcpExt: 99\n"                                \
	"TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPReqQFullDrop\n" \
	"TcpExt: 1 20 300 40\n"                                                \
	"IpExt: ListenDrops\nIpExt: 77\n"

static struct netns_counters parse(void (*how)(FILE *file, struct netns_counters *counters),
				   const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct netns_counters counters = { 0 };

	assert_non_null(file);
	how(file, &counters);
	fclose(file);
	return counters;
}

/* Whether they are told, and how many. */
static void assert_refused(const char *text, bool told, uint64_t refused, uint64_t overflows,
			   uint64_t dropped)
{
	const struct netns_counters counters = parse(netstat_parse, text);

	assert_int_equal(counters.has_syns, told);
	assert_int_equal(counters.refused, refused);
	assert_int_equal(counters.overflows, overflows);
	assert_int_equal(counters.dropped, dropped);
}

static void test_what_listeners_drop_is_of_tcp_alone(void **state)
{
	(void)state;
	assert_refused(COUNTERS, true, 40, 20, 280);
	assert_refused("MPTcpExt: ListenOverflows\nMPTcpExt: 1\n", false, 0, 0, 0);
}

/* The kernel was adding to both when they were read. */
static void test_overflows_that_are_ahead_are_no_drops(void **state)
{
	(void)state;
	assert_refused("TcpExt: ListenOverflows ListenDrops\nTcpExt: 8 7\n", true, 0, 8, 0);
}

static void test_what_is_missing_is_not_told(void **state)
{
	(void)state;
	assert_refused("", false, 0, 0, 0);
	assert_refused("TcpExt: TCPReqQFullDrop\n", false, 0, 0, 0);
	assert_refused("TcpExt: ListenDrops\nTcpExt: 7\n", true, 0, 0, 7);
	assert_refused("TcpExt: TCPReqQFullDrop\nTcpExt:\n", true, 0, 0, 0);
}

static void test_both_ends_of_mptcp_are_counted(void **state)
{
	(void)state;
	assert_int_equal(parse(netstat_parse, COUNTERS).mptcp, 0);
	assert_int_equal(parse(netstat_parse,
			       "TcpExt: ListenDrops\nTcpExt: 7\n"
			       "MPTcpExt: MPCapableSYNRX MPCapableSYNACKRX MPCapableACKRX\n"
			       "MPTcpExt: 100 20 3\n")
				 .mptcp,
			 23);
}

static void assert_syns(const struct netns_counters *now, uint64_t queue_full, uint64_t unrouted)
{
	const struct netns_counters before = { .refused = 1, .dropped = 2, .unrouted = 3 };
	const struct dropped_syns syns = syns_dropped_since(&before, now);

	assert_int_equal(syns.queue_full, queue_full);
	assert_int_equal(syns.unrouted, unrouted);
}

static void test_with_cookies_only_refused_ones_find_a_full_queue(void **state)
{
	struct netns_counters now = {
		.has_cookies = true, .refused = 41, .dropped = 302, .unrouted = 13
	};

	(void)state;
	assert_syns(&now, 40, 10);
	/* OutNoRoutes has more than SYNs. */
	now.unrouted = 999;
	assert_syns(&now, 40, 260);
	now.dropped = 42;
	assert_syns(&now, 40, 0);
	now.dropped = 2;
	assert_syns(&now, 40, 0);
}

static void test_without_cookies_all_find_one_that_have_a_route_back(void **state)
{
	struct netns_counters now = { .refused = 41, .dropped = 302, .unrouted = 13 };

	(void)state;
	assert_syns(&now, 290, 10);
	now.unrouted = 999;
	assert_syns(&now, 0, 300);
	now = (struct netns_counters){ 0 };
	assert_syns(&now, 0, 0);
}

/* As Linux 6.12 prints it, with fewer columns. */
static void assert_snmp(const char *text, uint64_t wrong_checksums, uint64_t unrouted)
{
	const struct netns_counters counters = parse(snmp_parse, text);

	assert_int_equal(counters.wrong_checksums, wrong_checksums);
	assert_int_equal(counters.unrouted, unrouted);
}

static void test_each_protocol_counts_in_columns(void **state)
{
	(void)state;
	assert_snmp("Tcp: InSegs InCsumErrors\nTcp: 5 6\n"
		    "Udp: InDatagrams InErrors InCsumErrors\nUdp: 1 20 300\n"
		    "UdpLite: InDatagrams InErrors InCsumErrors\nUdpLite: 7 8 9\n"
		    "Ip: OutDiscards OutNoRoutes\nIp: 4 11\n",
		    300, 11);
	assert_snmp("Udp: InDatagrams\nUdp: 1\n", 0, 0);
	assert_snmp("Udp: InCsumErrors\n", 0, 0);
	assert_snmp("\n", 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops_of_all_cpus_are_summed),
		cmocka_unit_test(test_a_clash_is_no_full_table),
		cmocka_unit_test(test_columns_may_be_anywhere),
		cmocka_unit_test(test_a_table_that_is_missing_is_not_told),
		cmocka_unit_test(test_what_listeners_drop_is_of_tcp_alone),
		cmocka_unit_test(test_overflows_that_are_ahead_are_no_drops),
		cmocka_unit_test(test_what_is_missing_is_not_told),
		cmocka_unit_test(test_both_ends_of_mptcp_are_counted),
		cmocka_unit_test(test_with_cookies_only_refused_ones_find_a_full_queue),
		cmocka_unit_test(test_without_cookies_all_find_one_that_have_a_route_back),
		cmocka_unit_test(test_each_protocol_counts_in_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
