// SPDX-License-Identifier: GPL-2.0
/* What becomes of hooks that do not know what is asked of them, and what is said of that. */
#include "unit.h"

#include "lib/base/log.h"
#include "lib/tables/attributes.h"
#include "lib/cli/unknown.h"
#include "said.h"

#define BIT(filter) (1U << FILTER_##filter)
#define KEY_BIT(key) (1U << KEY_##key)

/* In packet order: of a packet, of a socket and what is on its queue, and of who reads. */
static const enum hook chosen[] = { HOOK_ip_rcv, HOOK_tcp_start, HOOK_udp_queue_rcv,
				    HOOK_udp_socket_read };
#define NR_CHOSEN (sizeof(chosen) / sizeof(*chosen))

/* Which of them are left, a bit each, the first the lowest. */
static unsigned int left_with(unsigned int filters, unsigned int group_by, const char *expected)
{
	struct plan plan = { .filters.active = filters, .group_by = group_by };
	unsigned int left = 0;

	for (size_t i = 0; i < NR_CHOSEN; i++)
		plan.hooks[chosen[i]] = true;
	said_begin();
	leave_out_unknown(&plan);
	tell_ungrouped(&plan);
	assert_string_equal(said_end(), expected);
	for (size_t i = 0; i < NR_CHOSEN; i++) {
		left |= plan.hooks[chosen[i]] << i;
		plan.hooks[chosen[i]] = false;
	}
	/* No other comes in. */
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		assert_false(plan.hooks[hook]);
	return left;
}

static void test_what_is_known_everywhere_is_not_reported(void **state)
{
	(void)state;
	assert_int_equal(left_with(0, 0, ""), 0xf);
	assert_int_equal(
		left_with(BIT(INTERFACE) | BIT(IP_VERSION), KEY_BIT(NETNS) | KEY_BIT(CPU), ""),
		0xf);
}

static void test_filters_leave_out_what_does_not_know(void **state)
{
	(void)state;
	assert_int_equal(left_with(BIT(CGROUP), 0,
				   "netstacklat: left out, as -c is not known there: "
				   "ip-rcv, tcp-start\n"),
			 0xc);
	/* Each is named once. */
	assert_int_equal(left_with(BIT(CGROUP) | BIT(PID), 0,
				   "netstacklat: left out, as -c is not known there: "
				   "ip-rcv, tcp-start\n"
				   "netstacklat: left out, as -p is not known there: "
				   "udp-queue-rcv\n"),
			 0x8);
}

static void test_groups_leave_nothing_out(void **state)
{
	(void)state;
	assert_int_equal(
		left_with(
			0, KEY_BIT(PORT) | KEY_BIT(PID) | KEY_BIT(CPU),
			"netstacklat: some hooks cannot be grouped by port, pid (-v names them)\n"),
		0xf);
	/* What is left out already has no groups to be reported. */
	assert_int_equal(
		left_with(BIT(CGROUP), KEY_BIT(PID),
			  "netstacklat: left out, as -c is not known there: "
			  "ip-rcv, tcp-start\n"
			  "netstacklat: some hooks cannot be grouped by pid (-v names them)\n"),
		0xc);
}

static bool counts_drops(bool stages, unsigned int filters)
{
	struct plan plan = { .stages = stages, .filters.active = filters };

	leave_out_unknown(&plan);
	tell_ungrouped(&plan);
	return plan.drops;
}

static void test_drops_are_counted_where_filters_know_them(void **state)
{
	(void)state;
	assert_true(counts_drops(true, 0));
	assert_true(counts_drops(true, BIT(INTERFACE) | BIT(REMOTE)));
	assert_false(counts_drops(true, BIT(INTERFACE) | BIT(PID)));
	assert_false(counts_drops(false, 0));
}

static void test_verbose_names_hooks_without_groups(void **state)
{
	(void)state;
	log_init(true);
	assert_int_equal(left_with(0, KEY_BIT(PORT) | KEY_BIT(PID),
				   "netstacklat: not grouped by port, which is not known there: "
				   "ip-rcv, tcp-start\n"
				   "netstacklat: not grouped by pid, which is not known there: "
				   "ip-rcv, tcp-start, udp-queue-rcv\n"
				   "netstacklat: some hooks cannot be grouped by port, pid\n"),
			 0xf);
	log_init(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_known_everywhere_is_not_reported),
		cmocka_unit_test(test_filters_leave_out_what_does_not_know),
		cmocka_unit_test(test_groups_leave_nothing_out),
		cmocka_unit_test(test_drops_are_counted_where_filters_know_them),
		cmocka_unit_test(test_verbose_names_hooks_without_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
