// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/host/file_number.h"

static void assert_number(const char *content, unsigned int words_before, uint64_t expected)
{
	char path[] = "/tmp/netstacklat-test-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	fputs(content, file);
	fclose(file);
	assert_int_equal(file_number(path, words_before), expected);
	unlink(path);
}

static void test_it_is_behind_so_many_words(void **state)
{
	(void)state;
	assert_number("18446744073709551615\n", 0, UINT64_MAX);
	assert_number("3012 900 411 17 0 100 0\n", 1, 900);
	assert_number("cpu  7 8", 2, 8);
}

static void test_none_is_zero(void **state)
{
	(void)state;
	assert_number("", 0, 0);
	assert_number("3012\n", 1, 0);
	assert_number("max\n", 0, 0);
	assert_int_equal(file_number("/proc/none", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_behind_so_many_words),
		cmocka_unit_test(test_none_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
