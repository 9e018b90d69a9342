// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/steal.h"

static void assert_steal(const char *text, uint64_t expected_ns)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(file);
	assert_int_equal(steal_parse(file, 100), expected_ns);
	fclose(file);
}

static void test_steal_of_all_cpus_is_read(void **state)
{
	(void)state;
	assert_steal("cpu  10132153 290696 3084719 46828483 16683 0 25195 175628 0 0\n"
		     "cpu0 1393280 32966 572056 13343292 6130 0 17875 23 0 0\n",
		     1756280000000);
}

static void test_what_is_not_told_is_none(void **state)
{
	(void)state;
	assert_steal("cpu  1 2 3 4 5 6 7\n", 0);
	assert_steal("intr 1 2 3 4 5 6 7 8\n", 0);
	assert_steal("\n", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steal_of_all_cpus_is_read),
		cmocka_unit_test(test_what_is_not_told_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
