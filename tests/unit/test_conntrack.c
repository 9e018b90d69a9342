// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/conntrack.h"

/* Whether it is told, and how many. */
static void assert_dropped(const char *text, bool told, uint64_t expected)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	uint64_t dropped = 4711;

	assert_non_null(file);
	assert_int_equal(conntrack_parse_dropped(file, &dropped), told);
	assert_int_equal(dropped, expected);
	fclose(file);
}

/* As Linux 6.12 prints it, with fewer columns. */
static void test_drops_of_all_cpus_are_summed(void **state)
{
	(void)state;
	assert_dropped("entries  clashres found insert insert_failed drop early_drop icmp_error\n"
		       "00000010  00000000 00000000 00000000 00000001 000000ff 00000003 00000000\n"
		       "00000010  00000000 00000000 00000000 00000000 00000001 00000000 00000000\n",
		       true, 256);
}

static void test_columns_may_be_anywhere(void **state)
{
	(void)state;
	assert_dropped("drop entries\n0000000a 00000001\n", true, 10);
	assert_dropped("entries drop\n00000001 0000000a", true, 10);
}

static void test_what_is_missing_is_not_told(void **state)
{
	(void)state;
	assert_dropped("entries early_drop\n00000001 00000002\n", false, 0);
	assert_dropped("\n", false, 0);
	assert_dropped("entries drop\n", true, 0);
	assert_dropped("entries drop\n00000001\n\n", true, 0);
	assert_dropped("entries drop\n00000001 zebra\n", true, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops_of_all_cpus_are_summed),
		cmocka_unit_test(test_columns_may_be_anywhere),
		cmocka_unit_test(test_what_is_missing_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
