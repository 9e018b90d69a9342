// SPDX-License-Identifier: GPL-2.0
/* Packets are not late for having waited while we started (lib/bpf/path/startup.bpf.h). */
#include "unit.h"

#include <linux/types.h>

/* In place of libbpf's headers. */
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))

#include "lib/bpf/path/startup.bpf.h"

static const struct startup of_startup = { .began_ns = 1000, .ended_ns = 1500 };

static void test_what_came_later_waits_for_others(void **state)
{
	(void)state;
	assert_int_equal(ns_without_startup(&of_startup, 1500, 1500), 0);
	assert_int_equal(ns_without_startup(&of_startup, 1500, 1507), 7);
	assert_int_equal(ns_without_startup(&of_startup, 1600, 1607), 7);
}

static void test_what_came_meanwhile_counts_from_the_end(void **state)
{
	(void)state;
	assert_int_equal(ns_without_startup(&of_startup, 1000, 1500), 0);
	assert_int_equal(ns_without_startup(&of_startup, 1000, 1502), 2);
	assert_int_equal(ns_without_startup(&of_startup, 1499, 1502), 2);
}

static void test_what_came_before_counts_on_both_sides(void **state)
{
	(void)state;
	assert_int_equal(ns_without_startup(&of_startup, 999, 1500), 1);
	assert_int_equal(ns_without_startup(&of_startup, 900, 1507), 107);
	assert_int_equal(ns_without_startup(&of_startup, 0, 1507), 1007);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_came_later_waits_for_others),
		cmocka_unit_test(test_what_came_meanwhile_counts_from_the_end),
		cmocka_unit_test(test_what_came_before_counts_on_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
