// SPDX-License-Identifier: GPL-2.0
/* What is said besides the reports. */
#include "unit.h"

#include <string.h>

#include "lib/base/log.h"
#include "lib/serve/hints.h"
#include "real_netns.h"
#include "said.h"

static bool said_of_local(uint64_t local, uint64_t received, const char *expected)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };
	bool said;

	counts[HOOK_ip_rcv].discarded[DISCARD_NOT_RX] = local;
	counts[HOOK_ip_rcv].latency.buckets[10].count = received;
	said_begin();
	said = hint_local_packets(counts);
	assert_string_equal(said_end(), expected);
	return said;
}

static void test_most_packets_are_local(void **state)
{
	(void)state;
	assert_true(said_of_local(
		7, 6,
		"netstacklat: 7 of 13 packets come from this very host: in TCP, their clock starts "
		"behind RPS and netfilter; --stages shows these, too\n"));
	assert_false(said_of_local(6, 6, ""));
	assert_false(said_of_local(0, 9, ""));
	assert_false(said_of_local(0, 0, ""));
}

static void assert_said_of_hardware(uint64_t stamped, uint64_t not_stamped, const char *expected)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };

	counts[HOOK_hardware].latency.buckets[10].count = stamped;
	counts[HOOK_hardware].discarded[DISCARD_NO_STAMP] = not_stamped;
	said_begin();
	hint_no_hardware(counts);
	assert_string_equal(said_end(), expected);
}

static void test_no_card_stamps_packets(void **state)
{
	(void)state;
	assert_said_of_hardware(
		0, 7,
		"netstacklat: no network card stamped a packet: see with ethtool -T "
		"which can, and let it with hwstamp_ctl -r 1 -i INTERFACE\n");
	assert_said_of_hardware(1, 7, "");
	assert_said_of_hardware(0, 0, "");
}

static void test_several_namespaces_are_mixed(void **state)
{
	struct real_netns netns = make_netns();

	(void)state;
	said_begin();
	hint_mixed_netns();
	assert_non_null(strstr(said_end(), "network namespaces are counted as one: -g netns"));
	end_netns(&netns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most_packets_are_local),
		cmocka_unit_test(test_no_card_stamps_packets),
		cmocka_unit_test(test_several_namespaces_are_mixed),
	};

	log_init(true);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
