// SPDX-License-Identifier: GPL-2.0
/* Which slow packets are reported as one stall. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/packet/stall.h"
#include "lib/tables/units.h"

#define MS 1000000ULL
#define SLOW_NS (20 * MS)

/* Of a reader that read it at so many ms, so many ms after it came. */
static struct slow_packet make_packet(uint64_t read_ms, uint64_t latency_ms)
{
	return (struct slow_packet){
		.time_ns = 1769947205 * NS_PER_S + read_ms * MS,
		.latency_ns = latency_ms * MS,
		.probe = PROBE_skb_consume_udp,
		.is_stamped = true,
		.tid = 4712,
		.cpu = 3,
	};
}

static struct stall stall;

static struct packet_report report_of(const struct slow_packet *packet)
{
	return (struct packet_report){
		.packet = packet,
		.hook = probes[packet->probe].hook,
		.latency_ns = packet->latency_ns,
	};
}

/* Whether it is in the stall of a packet that was read at 1000 ms, and came 50 ms before. */
static bool is_folded(const struct slow_packet *next)
{
	struct slow_packet packet = make_packet(1000, 50);
	struct packet_report first = report_of(&packet), report = report_of(next);

	stall_begin(&stall, &first);
	return stall_goes_on(&stall, &report, SLOW_NS);
}

static void assert_said(const char *expected)
{
	char *text = PRINTED(stall_print, &stall);

	assert_string_equal(text, expected);
	free(text);
}

static void test_a_first_packet_is_in_no_stall(void **state)
{
	struct slow_packet packet = make_packet(1000, 50);
	struct packet_report report = report_of(&packet);

	(void)state;
	memset(&stall, 0, sizeof(stall));
	assert_false(stall_goes_on(&stall, &report, SLOW_NS));
	assert_said("");
}

static void test_what_waited_is_read_in_one_go(void **state)
{
	struct slow_packet next = make_packet(1001, 45), last = make_packet(1002, 46);
	struct packet_report report;

	(void)state;
	assert_true(is_folded(&next));
	report = report_of(&last);
	assert_true(stall_goes_on(&stall, &report, SLOW_NS));
	assert_said("                and 2 more in the same stall, up to 46ms late\n");
	/* Not again. */
	assert_said("");
	report = report_of(&next);
	assert_false(stall_goes_on(&stall, &report, SLOW_NS));
}

static void test_what_came_later_waited_for_something_else(void **state)
{
	struct slow_packet next = make_packet(1050, 49);

	(void)state;
	assert_false(is_folded(&next));
}

static void test_a_reader_that_stalls_again(void **state)
{
	struct slow_packet next = make_packet(1020, 60);

	(void)state;
	assert_false(is_folded(&next));
	next = make_packet(1019, 60);
	assert_true(is_folded(&next));
	/* With --wakeups, it is known. */
	next.slept_ns = 1;
	assert_false(is_folded(&next));
}

static void test_others_are_not_folded(void **state)
{
	struct slow_packet next = make_packet(1001, 45);

	(void)state;
	next.cpu = 1;
	assert_true(is_folded(&next));
	next.tid = 1;
	assert_false(is_folded(&next));
	next = make_packet(1001, 45);
	next.probe = PROBE_udp_rcv;
	assert_false(is_folded(&next));
}

static void test_without_a_reader_packets_wait_for_a_cpu(void **state)
{
	struct slow_packet packet = make_packet(1000, 50), next = make_packet(1001, 45);
	struct packet_report first, report = report_of(&next);

	(void)state;
	packet.tid = next.tid = 0;
	first = report_of(&packet);
	stall_begin(&stall, &first);
	assert_true(stall_goes_on(&stall, &report, SLOW_NS));
	next.cpu = 1;
	assert_false(stall_goes_on(&stall, &report, SLOW_NS));
}

/* At the same hook, but for the longest time in other stages. */
static void test_stages_tell_stalls_apart(void **state)
{
	struct slow_packet packet = make_packet(1000, 50), next = make_packet(1001, 45);
	struct packet_report first = report_of(&packet), report = report_of(&next);

	(void)state;
	first.steps[0] = report.steps[0] = (struct packet_step){ HOOK_udp_start, 2 * MS, NULL };
	first.steps[1] = (struct packet_step){ HOOK_udp_socket_read, 48 * MS, NULL };
	report.steps[1] = (struct packet_step){ HOOK_udp_socket_read, 43 * MS, NULL };
	first.nr_steps = report.nr_steps = 2;
	stall_begin(&stall, &first);
	assert_true(stall_goes_on(&stall, &report, SLOW_NS));
	report.steps[0].ns = 44 * MS;
	assert_false(stall_goes_on(&stall, &report, SLOW_NS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_first_packet_is_in_no_stall),
		cmocka_unit_test(test_what_waited_is_read_in_one_go),
		cmocka_unit_test(test_what_came_later_waited_for_something_else),
		cmocka_unit_test(test_a_reader_that_stalls_again),
		cmocka_unit_test(test_others_are_not_folded),
		cmocka_unit_test(test_without_a_reader_packets_wait_for_a_cpu),
		cmocka_unit_test(test_stages_tell_stalls_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
