// SPDX-License-Identifier: GPL-2.0
/* Messages that are held while something else is on the terminal. */
#include "unit.h"

#include "lib/base/log.h"
#include "said.h"

static void test_messages_are_printed_at_once(void **state)
{
	(void)state;
	said_begin();
	log_error("one");
	log_failure(-2, "two");
	assert_null(log_held());
	assert_string_equal(said_end(),
			    "netstacklat: one\nnetstacklat: two: No such file or directory\n");
}

static void test_held_ones_come_in_the_end(void **state)
{
	(void)state;
	said_begin();
	log_hold();
	assert_null(log_held());
	log_error("one");
	assert_string_equal(log_held(), "netstacklat: one");
	log_error("two");
	assert_string_equal(log_held(), "netstacklat: two");
	assert_string_equal(said_end(), "");
	said_begin();
	log_release();
	assert_null(log_held());
	log_error("three");
	assert_string_equal(said_end(), "netstacklat: one\nnetstacklat: two\nnetstacklat: three\n");
}

static void test_nothing_was_held(void **state)
{
	(void)state;
	said_begin();
	log_release();
	log_hold();
	log_release();
	assert_string_equal(said_end(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_are_printed_at_once),
		cmocka_unit_test(test_held_ones_come_in_the_end),
		cmocka_unit_test(test_nothing_was_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
