// SPDX-License-Identifier: GPL-2.0
/* --check says what it found, in lines that fit. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/cli/finding.h"
#include "lib/tables/hooks.h"

static char *text;
static size_t size;
static FILE *out;

static int open_text(void **state)
{
	(void)state;
	out = open_memstream(&text, &size);
	return !out;
}

static int free_text(void **state)
{
	(void)state;
	free(text);
	return 0;
}

static void assert_printed(const char *expected)
{
	fclose(out);
	assert_string_equal(text, expected);
}

static void test_text_takes_as_many_lines_as_it_needs(void **state)
{
	(void)state;
	finding_print(out, "ok", "name", "short");
	finding_print(out, "NO", "name",
		      "the first line ends where 52 columns are full of it. And more");
	finding_print(out, "", "",
		      "0123456789012345678901234567890123456789012345678901word-of-56");
	assert_printed(
		"ok    name                  short\n"
		"NO    name                  the first line ends where 52 columns are full of it.\n"
		"                            And more\n"
		"                            0123456789012345678901234567890123456789012345678901\n"
		"                            word-of-56\n");
}

static void test_a_right_is_there_or_says_what_is_done_instead(void **state)
{
	(void)state;
	finding_print_right(out, RIGHT_TO_COUNT, true);
	finding_print_right(out, RIGHT_TO_TIME_PROGRAMS, false);
	finding_print_right(out, RIGHT_TO_FIND_SYMBOLS, false);
	assert_printed(
		"ok    to count              CAP_PERFMON, CAP_BPF\n"
		"NO    --overhead            CAP_SYS_ADMIN: not here, so this fails\n"
		"part  names of drops        CAP_SYSLOG: not here, so they are called unknown\n");
}

static void test_clocks(void **state)
{
	const char *tai;

	(void)state;
	finding_print_clock(out, CLOCK_TAI);
	finding_print_clock(out, CLOCK_MONOTONIC);
	fclose(out);
	assert_non_null(strstr(text, "ok    TAI offset            +"));
	tai = strstr(text, "\nok    clock of the programs TAI\n");
	assert_non_null(tai);
	assert_non_null(strstr(tai, "\nok    clock of the programs monotonic, as with"));
}

static void test_stamps_are_on_off_or_unknown(void **state)
{
	struct snapshot counts;

	(void)state;
	snapshot_init(&counts, 0);
	finding_print_stamps(out, &counts);
	/* No packet's: that of a span. */
	counts.hooks[HOOK_tcp_rtt].latency.buckets[1].count = 1;
	finding_print_stamps(out, &counts);
	counts.hooks[HOOK_udp_start].discarded[DISCARD_NO_STAMP] = 1;
	finding_print_stamps(out, &counts);
	counts.hooks[HOOK_udp_start].latency.buckets[1].count = 1;
	finding_print_stamps(out, &counts);
	snapshot_free(&counts);
	assert_printed(
		"ok    receive time stamps   on while netstacklat runs; no packet showed whether\n"
		"                            they are already\n"
		"ok    receive time stamps   on while netstacklat runs; no packet showed whether\n"
		"                            they are already\n"
		"ok    receive time stamps   off; netstacklat turns them on while it runs\n"
		"ok    receive time stamps   on already, for another program\n");
}

static void write_prequeue(const char *path, const char *value)
{
	FILE *file = fopen(path, "we");

	fputs(value, file);
	fclose(file);
}

static void test_stamps_are_taken_before_or_after_rps(void **state)
{
	char path[] = "/tmp/netstacklat-prequeue.XXXXXX";

	(void)state;
	close(mkstemp(path));
	finding_print_prequeue(out, "/nonexistent");
	write_prequeue(path, "0\n");
	finding_print_prequeue(out, path);
	write_prequeue(path, "1\n");
	finding_print_prequeue(out, path);
	remove(path);
	assert_printed(
		"ok    stamps are taken      after RPS (net.core.netdev_tstamp_prequeue is 0):\n"
		"                            the wait for another CPU is not measured\n"
		"ok    stamps are taken      before RPS (net.core.netdev_tstamp_prequeue is 1)\n");
}

static void test_a_hook_is_there_in_part_or_not(void **state)
{
	struct left_out left_out = { 0 };

	(void)state;
	finding_print_hook(out, HOOK_udp_start, &left_out);
	left_out.why[PROBE_udpv6_rcv] = "no reason";
	finding_print_hook(out, HOOK_udp_start, &left_out);
	left_out.why[PROBE_udp_rcv] = "no reason";
	finding_print_hook(out, HOOK_udp_start, &left_out);
	assert_printed("ok    udp-start             udp_rcv, udpv6_rcv\n"
		       "part  udp-start             udp_rcv\n"
		       "                            udpv6_rcv: no reason\n"
		       "NO    udp-start             udp_rcv: no reason, udpv6_rcv: no reason\n");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, open_text, free_text)
	const struct CMUnitTest tests[] = {
		TEST(test_text_takes_as_many_lines_as_it_needs),
		TEST(test_a_right_is_there_or_says_what_is_done_instead),
		TEST(test_clocks),
		TEST(test_stamps_are_on_off_or_unknown),
		TEST(test_stamps_are_taken_before_or_after_rps),
		TEST(test_a_hook_is_there_in_part_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
