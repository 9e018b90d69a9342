// SPDX-License-Identifier: GPL-2.0
/* What is asked of this host. Whether it has it differs from host to host. */
#include "unit.h"

#include <stdio.h>

#include "lib/kernel/preflight.h"
#include "said.h"

static void test_each_requirement_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < NR_REQUIREMENTS; i++) {
		assert_non_null(requirements[i].name);
		assert_non_null(requirements[i].is_met);
		assert_non_null(requirements[i].finding);
		assert_non_null(requirements[i].remedy);
	}
}

/* Only the first thing that is missing is told. */
static void test_the_first_requirement_that_is_not_met_is_told(void **state)
{
	char expected[256] = "";
	int missing = 0;

	(void)state;
	while (missing < NR_REQUIREMENTS && requirements[missing].is_met(NULL))
		missing++;
	if (missing < NR_REQUIREMENTS)
		snprintf(expected, sizeof(expected), "netstacklat: %s\n",
			 requirements[missing].remedy);
	said_begin();
	assert_int_equal(preflight(NULL), missing == NR_REQUIREMENTS);
	assert_string_equal(said_end(), expected);
}

static void test_a_file_of_types_that_was_named_has_been_read(void **state)
{
	(void)state;
	assert_true(requirements[1].is_met("/named"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_requirement_is_complete),
		cmocka_unit_test(test_the_first_requirement_that_is_not_met_is_told),
		cmocka_unit_test(test_a_file_of_types_that_was_named_has_been_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
