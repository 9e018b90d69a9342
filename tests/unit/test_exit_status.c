// SPDX-License-Identifier: GPL-2.0
/* Each status is what the manual says. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cli/exit_status.h"

static void test_each_outcome_has_its_status(void **state)
{
	(void)state;
	assert_int_equal(exit_status(0), 0);
	assert_int_equal(exit_status(-EPIPE), 0);
	assert_int_equal(exit_status(STATUS_FINDINGS), 3);
	assert_int_equal(exit_status(STATUS_UNDECIDED), 4);
	assert_int_equal(exit_status(-ENOTSUP), 77);
	assert_int_equal(exit_status(-ENOMEM), 1);
	assert_int_equal(exit_status(-EACCES), 1);
}

/* In a paragraph of its own each: 64 is for the command line. */
static void test_the_manual_names_them_all(void **state)
{
	static const char *const expected[] = { ".B 0\n", ".B 1\n",  ".B 3\n",
						".B 4\n", ".B 64\n", ".B 77\n" };
	FILE *manual = fopen("doc/netstacklat.8", "re");
	char line[256];
	size_t nr = 0;

	(void)state;
	assert_non_null(manual);
	while (fgets(line, sizeof(line), manual) && strcmp(line, ".SH EXIT STATUS\n") != 0)
		;
	while (fgets(line, sizeof(line), manual) && strncmp(line, ".SH", 3) != 0) {
		if (strncmp(line, ".B ", 3) != 0 || line[3] == '\\')
			continue;
		assert_true(nr < sizeof(expected) / sizeof(*expected));
		assert_string_equal(line, expected[nr++]);
	}
	assert_int_equal(nr, sizeof(expected) / sizeof(*expected));
	fclose(manual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_outcome_has_its_status),
		cmocka_unit_test(test_the_manual_names_them_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
