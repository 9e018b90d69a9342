// SPDX-License-Identifier: GPL-2.0
/* When the clock counts as set, and for how long that matters. */
#include "unit.h"

#include "lib/host/clock_steps.h"
#include "lib/tables/units.h"

/* Where the clocks stood at first; what is set is relative to that. */
#define WALL_NS (1769947205 * NS_PER_S)
#define TAI_NS (37 * NS_PER_S)

static struct clock_steps steps;

static int start(void **state)
{
	const struct clock_offsets offsets = { WALL_NS, TAI_NS };

	(void)state;
	clock_steps_init(&steps, &offsets);
	return 0;
}

static void look(time_t now, int64_t wall_ns, int64_t tai_ns)
{
	const struct clock_offsets offsets = { WALL_NS + wall_ns, TAI_NS + tai_ns };

	clock_steps_look(&steps, &offsets, now);
}

static void assert_report(time_t time, int64_t wall_ns, int64_t tai_ns)
{
	struct clock_change change = clock_steps_report(&steps);

	assert_int_equal(change.time, time);
	assert_int_equal(change.wall_ns, wall_ns);
	assert_int_equal(change.tai_ns, tai_ns);
}

#define ASSERT_STEP(step_ns) assert_int_equal(clock_steps_end_interval(&steps), step_ns)

static void test_clocks_that_nobody_sets(void **state)
{
	(void)state;
	look(1, 0, 0);
	look(2, 0, 0);
	ASSERT_STEP(0);
	assert_report(0, 0, 0);
}

/* Two readings may differ by less than that. */
static void test_a_step_is_a_millisecond_or_more(void **state)
{
	(void)state;
	look(1, NS_PER_MS - 1, 1 - NS_PER_MS);
	ASSERT_STEP(0);
	assert_report(0, 0, 0);
	look(2, NS_PER_MS, 0);
	ASSERT_STEP(NS_PER_MS);
	assert_report(2, NS_PER_MS, 0);
}

static void test_smaller_steps_add_up(void **state)
{
	(void)state;
	look(1, 600000, 0);
	look(2, 900000, 0);
	assert_report(0, 0, 0);
	look(3, 1200000, 0);
	assert_report(3, 1200000, 0);
	/* From there, it is a millisecond again. */
	look(4, 2100000, 0);
	assert_report(0, 0, 0);
	ASSERT_STEP(1200000);
}

static void test_either_clock_and_either_way(void **state)
{
	(void)state;
	look(1, -3600 * NS_PER_S, 0);
	ASSERT_STEP(3600 * NS_PER_S);
	assert_report(1, -3600 * NS_PER_S, 0);
	start(state);
	look(2, 0, -37 * NS_PER_S);
	ASSERT_STEP(37 * NS_PER_S);
	assert_report(2, 0, -37 * NS_PER_S);
	start(state);
	look(3, -NS_PER_S, 2 * NS_PER_S);
	ASSERT_STEP(2 * NS_PER_S);
	assert_report(3, -NS_PER_S, 2 * NS_PER_S);
}

/* A packet is spoilt by the largest; the report tells what they come to, and when it was last. */
static void test_several_steps_in_one_interval(void **state)
{
	(void)state;
	look(1, 5 * NS_PER_S, 0);
	look(2, 3 * NS_PER_S, 0);
	look(3, 3 * NS_PER_S, 0);
	ASSERT_STEP(5 * NS_PER_S);
	assert_report(2, 3 * NS_PER_S, 0);
}

static void test_steps_that_undo_each_other_are_steps(void **state)
{
	(void)state;
	look(1, NS_PER_S, 0);
	look(2, 0, 0);
	ASSERT_STEP(NS_PER_S);
	assert_report(2, 0, 0);
}

static void test_a_step_is_remembered_for_one_more_interval(void **state)
{
	(void)state;
	look(1, NS_PER_S, 0);
	ASSERT_STEP(NS_PER_S);
	ASSERT_STEP(NS_PER_S);
	ASSERT_STEP(0);
}

static void test_the_larger_one_of_two_intervals_counts(void **state)
{
	(void)state;
	look(1, 9 * NS_PER_S, 0);
	ASSERT_STEP(9 * NS_PER_S);
	look(2, 11 * NS_PER_S, 0);
	ASSERT_STEP(9 * NS_PER_S);
	ASSERT_STEP(2 * NS_PER_S);
	look(3, 18 * NS_PER_S, 0);
	ASSERT_STEP(7 * NS_PER_S);
}

static void test_a_report_is_taken_once(void **state)
{
	(void)state;
	look(1, NS_PER_S, NS_PER_S);
	assert_report(1, NS_PER_S, NS_PER_S);
	assert_report(0, 0, 0);
	look(2, 3 * NS_PER_S, NS_PER_S);
	assert_report(2, 2 * NS_PER_S, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_clocks_that_nobody_sets, start),
		cmocka_unit_test_setup(test_a_step_is_a_millisecond_or_more, start),
		cmocka_unit_test_setup(test_smaller_steps_add_up, start),
		cmocka_unit_test_setup(test_either_clock_and_either_way, start),
		cmocka_unit_test_setup(test_several_steps_in_one_interval, start),
		cmocka_unit_test_setup(test_steps_that_undo_each_other_are_steps, start),
		cmocka_unit_test_setup(test_a_step_is_remembered_for_one_more_interval, start),
		cmocka_unit_test_setup(test_the_larger_one_of_two_intervals_counts, start),
		cmocka_unit_test_setup(test_a_report_is_taken_once, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
