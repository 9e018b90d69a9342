// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/netns_counters.h"
#include "lib/host/netns_facts.h"

typedef bool (*parser)(FILE *file, uint64_t *count);

/* Whether it is told, and how many. */
static void assert_counts(parser parse, const char *text, bool told, uint64_t expected)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	uint64_t count = 4711;

	assert_non_null(file);
	assert_int_equal(parse(file, &count), told);
	assert_int_equal(count, expected);
	fclose(file);
}

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

/* Whether they are told, and how many. */
static void assert_refused(const char *text, bool has_cookies, bool told, uint64_t syns,
			   uint64_t overflows)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct netns_counters counters = { 0 };

	assert_non_null(file);
	tcp_parse_refused(file, has_cookies, &counters);
	assert_int_equal(counters.has_syns, told);
	assert_int_equal(counters.syns, syns);
	assert_int_equal(counters.overflows, overflows);
	fclose(file);
}

static void test_with_cookies_only_refused_ones_are_dropped(void **state)
{
	(void)state;
	assert_refused(COUNTERS, true, true, 40, 20);
}

static void test_without_cookies_all_drops_count_but_of_full_accept_queues(void **state)
{
	(void)state;
	assert_refused(COUNTERS, false, true, 280, 20);
}

static void test_what_is_refused_is_of_tcp_alone(void **state)
{
	(void)state;
	assert_refused("MPTcpExt: ListenOverflows\nMPTcpExt: 1\n", true, false, 0, 0);
}

/* The kernel was adding to both when they were read. */
static void test_overflows_that_are_ahead_are_no_drops(void **state)
{
	(void)state;
	assert_refused("TcpExt: ListenOverflows ListenDrops\nTcpExt: 8 7\n", false, true, 0, 8);
}

static void test_what_is_missing_is_not_told(void **state)
{
	(void)state;
	assert_refused("", true, false, 0, 0);
	assert_refused("TcpExt: TCPReqQFullDrop\n", true, false, 0, 0);
	assert_refused("TcpExt: ListenDrops\nTcpExt: 7\n", true, true, 0, 0);
	assert_refused("TcpExt: TCPReqQFullDrop\nTcpExt:\n", true, true, 0, 0);
}

/* As Linux 6.12 prints it, with fewer columns. */
static void test_ipv4_counts_in_columns(void **state)
{
	(void)state;
	assert_counts(udp_parse_wrong,
		      "Tcp: InSegs InCsumErrors\nTcp: 5 6\n"
		      "Udp: InDatagrams InErrors InCsumErrors\nUdp: 1 20 300\n"
		      "UdpLite: InDatagrams InErrors InCsumErrors\nUdpLite: 7 8 9\n",
		      true, 300);
	assert_counts(udp_parse_wrong, "Udp: InDatagrams\nUdp: 1\n", true, 0);
	assert_counts(udp_parse_wrong, "Udp: InCsumErrors\n", false, 0);
	assert_counts(udp_parse_wrong, "\n", false, 0);
}

static void test_ipv6_counts_in_lines(void **state)
{
	(void)state;
	assert_counts(udp6_parse_wrong,
		      "Udp6InErrors                    \t4\n"
		      "Udp6InCsumErrors                \t30\n"
		      "UdpLite6InCsumErrors            \t5\n",
		      true, 30);
	assert_counts(udp6_parse_wrong, "Udp6InCsumErrors\n", true, 0);
	assert_counts(udp6_parse_wrong, "Udp6InErrors 4\n", false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops_of_all_cpus_are_summed),
		cmocka_unit_test(test_a_clash_is_no_full_table),
		cmocka_unit_test(test_columns_may_be_anywhere),
		cmocka_unit_test(test_a_table_that_is_missing_is_not_told),
		cmocka_unit_test(test_with_cookies_only_refused_ones_are_dropped),
		cmocka_unit_test(test_without_cookies_all_drops_count_but_of_full_accept_queues),
		cmocka_unit_test(test_what_is_refused_is_of_tcp_alone),
		cmocka_unit_test(test_overflows_that_are_ahead_are_no_drops),
		cmocka_unit_test(test_what_is_missing_is_not_told),
		cmocka_unit_test(test_ipv4_counts_in_columns),
		cmocka_unit_test(test_ipv6_counts_in_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
