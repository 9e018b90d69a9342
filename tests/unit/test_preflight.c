// SPDX-License-Identifier: GPL-2.0
/* What is asked of this host. Whether it has it differs from host to host. */
#include "unit.h"

#include <stdio.h>
#include <sys/capability.h>

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

/* Takes all others from those in effect, and gives them back. Skips if it has not got these. */
static bool may_trace_with(const cap_value_t *capabilities, int nr)
{
	cap_t before = cap_get_proc(), few = cap_get_proc();
	bool is_met, have_few;

	cap_clear_flag(few, CAP_EFFECTIVE);
	cap_set_flag(few, CAP_EFFECTIVE, nr, capabilities, CAP_SET);
	have_few = !cap_set_proc(few);
	is_met = requirements[0].is_met(NULL);
	assert_int_equal(cap_set_proc(before), 0);
	cap_free(few);
	cap_free(before);
	if (!have_few)
		skip();
	return is_met;
}

static void test_two_capabilities_are_enough_to_trace_and_so_is_the_old_one(void **state)
{
	(void)state;
	assert_true(may_trace_with((const cap_value_t[]){ CAP_SYS_ADMIN }, 1));
	assert_true(may_trace_with((const cap_value_t[]){ CAP_BPF, CAP_PERFMON }, 2));
	assert_false(may_trace_with((const cap_value_t[]){ CAP_BPF }, 1));
	assert_false(may_trace_with((const cap_value_t[]){ CAP_NET_ADMIN, CAP_PERFMON }, 2));
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
		cmocka_unit_test(test_two_capabilities_are_enough_to_trace_and_so_is_the_old_one),
		cmocka_unit_test(test_a_file_of_types_that_was_named_has_been_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
