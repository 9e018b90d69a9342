// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "lib/counts/clock_steps.h"
#include "lib/tables/units.h"

#define NOW 1769947205

static const struct clock_offsets start = { 1000 * NS_PER_S, 37 * NS_PER_S };

static struct clock_steps new_steps(void)
{
	struct clock_steps steps;

	clock_steps_init(&steps, &start);
	return steps;
}

/* Looks at clocks that were set by so much since the start, at a time in ns. */
static void look(struct clock_steps *steps, int64_t wall_ns, int64_t tai_ns, uint64_t now_ns)
{
	const struct clock_offsets offsets = { start.wall_ns + wall_ns, start.tai_ns + tai_ns };

	clock_steps_look(steps, &offsets, false, NOW, now_ns);
}

static void assert_spoilt(const struct clock_steps *steps, uint64_t started_ns, uint64_t from_ns,
			  bool stamps)
{
	struct clock_invalidated invalidated = clock_steps_invalidated(steps, started_ns);

	assert_int_equal(invalidated.from_ns, from_ns);
	assert_int_equal(invalidated.stamps, stamps);
}

static void test_no_step_spoils_nothing(void **state)
{
	struct clock_steps steps = new_steps();

	(void)state;
	look(&steps, 0, 0, 5 * NS_PER_S);
	assert_spoilt(&steps, 0, UINT64_MAX, false);
	assert_int_equal(clock_steps_report(&steps).time, 0);
}

/* Two readings of the clocks are never at one moment. */
static void test_less_than_a_millisecond_is_no_step_until_it_adds_up(void **state)
{
	struct clock_steps steps = new_steps();

	(void)state;
	look(&steps, NS_PER_MS - 1, 0, 1);
	look(&steps, -NS_PER_MS + 1, 0, 2);
	assert_spoilt(&steps, 0, UINT64_MAX, false);
	look(&steps, NS_PER_MS, 0, 3);
	assert_spoilt(&steps, 0, NS_PER_MS, true);
}

static void test_a_step_either_way_spoils_its_interval(void **state)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		struct clock_steps wall = new_steps(), tai = new_steps();

		look(&wall, sign * 20 * NS_PER_S, 0, 7 * NS_PER_S);
		assert_spoilt(&wall, 5 * NS_PER_S, 20 * NS_PER_S, true);
		look(&tai, 0, sign * 37 * NS_PER_S, 7 * NS_PER_S);
		assert_spoilt(&tai, 5 * NS_PER_S, 37 * NS_PER_S, true);
	}
	(void)state;
}

/* A packet that waited for 10 s across a step of 20 s seems to have waited for 30 s. */
static void test_what_waited_across_a_step_is_spoilt_later(void **state)
{
	struct clock_steps steps = new_steps();

	(void)state;
	look(&steps, 20 * NS_PER_S, 0, 7 * NS_PER_S);
	assert_spoilt(&steps, 7 * NS_PER_S, 20 * NS_PER_S, true);
	assert_spoilt(&steps, 17 * NS_PER_S, 30 * NS_PER_S, true);
	assert_spoilt(&steps, 27 * NS_PER_S, 40 * NS_PER_S, false);
}

static void test_the_step_that_spoils_most_counts(void **state)
{
	struct clock_steps steps = new_steps();

	(void)state;
	look(&steps, 20 * NS_PER_S, 0, 7 * NS_PER_S);
	look(&steps, 25 * NS_PER_S, 0, 17 * NS_PER_S);
	assert_spoilt(&steps, 17 * NS_PER_S, 5 * NS_PER_S, true);
	look(&steps, 24 * NS_PER_S, 0, 18 * NS_PER_S);
	assert_spoilt(&steps, 18 * NS_PER_S, 1 * NS_PER_S, true);
}

static void test_old_steps_make_room(void **state)
{
	struct clock_steps steps = new_steps();

	(void)state;
	for (int i = 1; i <= 2 * NR_CLOCK_STEPS; i++)
		look(&steps, i * 100 * NS_PER_S, 0, i * NS_PER_S);
	assert_spoilt(&steps, 2 * NR_CLOCK_STEPS * NS_PER_S, 100 * NS_PER_S, true);
}

/* Stopped while the clock was set forth and back: only the kernel tells that there was something.
 */
static void test_a_step_that_nobody_saw(void **state)
{
	struct clock_steps steps = new_steps();
	struct clock_change change;

	(void)state;
	clock_steps_look(&steps, &start, true, NOW, 7 * NS_PER_S);
	assert_spoilt(&steps, 5 * NS_PER_S, NS_PER_S, true);
	change = clock_steps_report(&steps);
	assert_int_equal(change.time, NOW);
	assert_int_equal(change.wall_ns, 0);
	assert_int_equal(change.tai_ns, 0);
}

/* A timer that is due at that moment sees the step before the kernel tells of it. */
static void test_a_step_that_was_seen_before_it_was_told(void **state)
{
	const struct clock_offsets later = { start.wall_ns + 9 * NS_PER_S, start.tai_ns };
	struct clock_steps steps = new_steps();

	(void)state;
	look(&steps, 9 * NS_PER_S, 0, 7 * NS_PER_S);
	assert_int_equal(clock_steps_report(&steps).wall_ns, 9 * NS_PER_S);
	look(&steps, 9 * NS_PER_S, 0, 8 * NS_PER_S);
	clock_steps_look(&steps, &later, true, NOW, 9 * NS_PER_S);
	assert_int_equal(clock_steps_report(&steps).time, 0);
	assert_spoilt(&steps, 10 * NS_PER_S, 12 * NS_PER_S, true);
	/* The next one is another one. */
	clock_steps_look(&steps, &later, true, NOW, 10 * NS_PER_S);
	assert_int_equal(clock_steps_report(&steps).time, NOW);
	/* Of a new TAI offset, the kernel does not tell. */
	steps = new_steps();
	look(&steps, 0, NS_PER_S, 7 * NS_PER_S);
	clock_steps_report(&steps);
	clock_steps_look(&steps, &(struct clock_offsets){ start.wall_ns, start.tai_ns + NS_PER_S },
			 true, NOW, 9 * NS_PER_S);
	assert_int_equal(clock_steps_report(&steps).time, NOW);
}

static void test_a_change_adds_up_and_is_told_once(void **state)
{
	struct clock_steps steps = new_steps();
	struct clock_change change;

	(void)state;
	look(&steps, 2 * NS_PER_S, 0, 1);
	look(&steps, 5 * NS_PER_S, -NS_PER_S, 2);
	change = clock_steps_report(&steps);
	assert_int_equal(change.time, NOW);
	assert_int_equal(change.wall_ns, 5 * NS_PER_S);
	assert_int_equal(change.tai_ns, -NS_PER_S);
	assert_int_equal(clock_steps_report(&steps).time, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_step_spoils_nothing),
		cmocka_unit_test(test_less_than_a_millisecond_is_no_step_until_it_adds_up),
		cmocka_unit_test(test_a_step_either_way_spoils_its_interval),
		cmocka_unit_test(test_what_waited_across_a_step_is_spoilt_later),
		cmocka_unit_test(test_the_step_that_spoils_most_counts),
		cmocka_unit_test(test_old_steps_make_room),
		cmocka_unit_test(test_a_step_that_nobody_saw),
		cmocka_unit_test(test_a_step_that_was_seen_before_it_was_told),
		cmocka_unit_test(test_a_change_adds_up_and_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
