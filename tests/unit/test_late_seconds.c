// SPDX-License-Identifier: GPL-2.0
/* In how many seconds something was late. */
#include "unit.h"

#include "lib/diagnose/late_seconds.h"
#include "lib/tables/units.h"

static struct late_seconds seconds;

/* A second in which so many of 100 packets to a port were late; without any packets, for -1. */
static void pass(int late, uint16_t port)
{
	struct tally tally = {
		.class = CLASS_reader_asleep,
		.place = { .port = port },
		.lateness = { .count = late < 0 ? 0 : 100, .late = late < 0 ? 0 : late },
	};
	const struct tallies tallies = { .tallies = &tally, .nr = 1 };

	assert_int_equal(late_seconds_add(&seconds, &tallies), 0);
}

static const struct late_seconds_entry *of_port(uint16_t port)
{
	const struct place place = { .port = port };

	return late_seconds_find(&seconds, CLASS_reader_asleep, &place);
}

static int forget(void **state)
{
	(void)state;
	late_seconds_clear(&seconds);
	return 0;
}

static void test_seconds_are_counted_by_place(void **state)
{
	(void)state;
	pass(1, 5001);
	pass(100, 5002);
	pass(0, 5001);
	pass(-1, 5001);
	pass(2, 5001);
	assert_int_equal(seconds.watched, 5);
	assert_int_equal(of_port(5001)->active, 3);
	assert_int_equal(of_port(5001)->late, 2);
	assert_int_equal(of_port(5001)->last_late, 4);
	assert_int_equal(of_port(5002)->active, 1);
	assert_int_equal(of_port(5002)->late, 1);
	assert_int_equal(of_port(5002)->last_late, 1);
	assert_null(of_port(5003));
}

static void test_there_is_room_for_many(void **state)
{
	(void)state;
	for (uint16_t port = 1; port <= 1000; port++)
		pass(1, port);
	for (uint16_t port = 1; port <= 1000; port++)
		assert_int_equal(of_port(port)->last_late, port - 1);
}

static void test_another_watch_begins_anew(void **state)
{
	(void)state;
	pass(1, 5001);
	late_seconds_clear(&seconds);
	assert_null(of_port(5001));
	pass(0, 5001);
	assert_int_equal(seconds.watched, 1);
	assert_int_equal(of_port(5001)->late, 0);
}

static void assert_apart(unsigned int one, unsigned int other, uint64_t s)
{
	for (unsigned int second = 0; second <= one || second <= other; second++) {
		pass(second == one ? 1 : -1, 5001);
		seconds.watched--;
		pass(second == other ? 1 : -1, 5002);
	}
	assert_true(late_seconds_meet(of_port(5001), of_port(5002), s * NS_PER_S));
	assert_true(late_seconds_meet(of_port(5002), of_port(5001), s * NS_PER_S));
	assert_false(s && late_seconds_meet(of_port(5001), of_port(5002), s * NS_PER_S - 1));
	assert_false(s && late_seconds_meet(of_port(5002), of_port(5001), s * NS_PER_S - 1));
	forget(NULL);
}

/* A wait that begins in one second may end in the next one. */
static void test_seconds_meet_if_they_are_near(void **state)
{
	(void)state;
	assert_apart(3, 3, 0);
	assert_apart(3, 4, 0);
	assert_apart(3, 5, 1);
	assert_apart(8, 3, 4);
	/* A long watch has bits for 64 seconds. */
	assert_apart(63, 64, 0);
	assert_apart(3, 67, 0);
	assert_apart(62, 66, 3);
}

static void test_seconds_that_are_not_known_may_meet(void **state)
{
	(void)state;
	pass(1, 5001);
	pass(0, 5002);
	assert_true(late_seconds_meet(of_port(5001), of_port(5002), 0));
	assert_true(late_seconds_meet(of_port(5002), of_port(5001), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_seconds_are_counted_by_place, forget),
		cmocka_unit_test_teardown(test_there_is_room_for_many, forget),
		cmocka_unit_test_teardown(test_another_watch_begins_anew, forget),
		cmocka_unit_test_teardown(test_seconds_meet_if_they_are_near, forget),
		cmocka_unit_test_teardown(test_seconds_that_are_not_known_may_meet, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
