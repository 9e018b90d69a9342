// SPDX-License-Identifier: GPL-2.0
/* What becomes of a program that the kernel does not load or attach, by its error. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/kernel/refusal.h"

#define KERNEL_ENOTSUPP 524

static void test_what_is_wrong_with_one_program_alone(void **state)
{
	static const int errors[] = { EACCES, EINVAL, E2BIG, ENOENT, ENOTSUP, KERNEL_ENOTSUPP };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		assert_true(is_refusal(errors[i]));
		assert_false(is_shortage(errors[i]));
	}
}

/* With that, none of them is left out: nothing can be measured. */
static void test_what_others_would_meet_as_well(void **state)
{
	static const int errors[] = { ENOMEM, EMFILE, ENFILE };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		assert_true(is_shortage(errors[i]));
		assert_false(is_refusal(errors[i]));
	}
	assert_false(is_refusal(EPERM));
	assert_false(is_refusal(0));
	assert_false(is_shortage(EPERM));
}

static void test_users_are_told_why(void **state)
{
	(void)state;
	assert_string_equal(why_not_attached(E2BIG),
			    "there are as many programs as a function can take, which is 38 at "
			    "most, or 40 before Linux 5.12");
	assert_string_equal(why_not_attached(KERNEL_ENOTSUPP),
			    "this kernel cannot attach programs to this function");
	assert_string_equal(why_not_attached(EBUSY), "Device or resource busy");
	assert_string_equal(why_not_attached(999), "this kernel refuses to attach the program");
}

static void test_users_are_told_what_to_do(void **state)
{
	(void)state;
	assert_non_null(strstr(hint_not_started(EPERM), "ulimit -l"));
	assert_non_null(strstr(hint_not_started(EMFILE), "ulimit -n"));
	assert_non_null(strstr(hint_not_started(EINVAL), "-v shows"));
	log_init(true);
	assert_string_equal(hint_not_started(EINVAL), "");
	log_init(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_wrong_with_one_program_alone),
		cmocka_unit_test(test_what_others_would_meet_as_well),
		cmocka_unit_test(test_users_are_told_why),
		cmocka_unit_test(test_users_are_told_what_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
