// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/syn_drops.h"

/* Whether it is told, and how many. */
static void assert_dropped(const char *text, bool has_cookies, bool told, uint64_t expected)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	uint64_t dropped = 4711;

	assert_non_null(file);
	assert_int_equal(syn_drops_parse(file, has_cookies, &dropped), told);
	assert_int_equal(dropped, expected);
	fclose(file);
}

/* As Linux 6.12 prints it, with fewer columns. */
#define COUNTERS                                                               \
	"MPTcpExt: ListenDrops\nMPTcpExt: 99\n"                                \
	"TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPReqQFullDrop\n" \
	"TcpExt: 1 20 300 40\n"                                                \
	"IpExt: ListenDrops\nIpExt: 77\n"

static void test_with_cookies_only_refused_ones_are_dropped(void **state)
{
	(void)state;
	assert_dropped(COUNTERS, true, true, 40);
}

static void test_without_cookies_all_drops_count_but_of_full_accept_queues(void **state)
{
	(void)state;
	assert_dropped(COUNTERS, false, true, 280);
}

/* The kernel was adding to both when they were read. */
static void test_overflows_that_are_ahead_are_no_drops(void **state)
{
	(void)state;
	assert_dropped("TcpExt: ListenOverflows ListenDrops\nTcpExt: 8 7\n", false, true, 0);
}

static void test_what_is_missing_is_not_told(void **state)
{
	(void)state;
	assert_dropped("", true, false, 0);
	assert_dropped("TcpExt: TCPReqQFullDrop\n", true, false, 0);
	assert_dropped("TcpExt: ListenDrops\nTcpExt: 7\n", true, true, 0);
	assert_dropped("TcpExt: TCPReqQFullDrop\nTcpExt:\n", true, true, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with_cookies_only_refused_ones_are_dropped),
		cmocka_unit_test(test_without_cookies_all_drops_count_but_of_full_accept_queues),
		cmocka_unit_test(test_overflows_that_are_ahead_are_no_drops),
		cmocka_unit_test(test_what_is_missing_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
