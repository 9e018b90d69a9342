// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void test_it_is_behind_a_name_that_begins_a_line(void **state)
{
	char path[] = "/tmp/netstacklat-test-XXXXXX";
	const char *content = "oom_killer 1\nVmSwap:\t   64 kB\noom_kill 3\n";
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	assert_int_equal(file_named_number(path, "oom_kill "), 3);
	assert_int_equal(file_named_number(path, "VmSwap:"), 64);
	assert_int_equal(file_named_number(path, "Vm"), 0);
	unlink(path);
	assert_int_equal(file_named_number(path, "VmSwap:"), 0);
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

static void test_a_table_has_columns(void **state)
{
	(void)state;
	assert_int_equal(file_column("drop early_drop\n", "drop"), 0);
	assert_int_equal(file_column("TcpExt:  early_drop drop", "drop"), 2);
	assert_int_equal(file_column("early_drop dropped\n", "drop"), -1);
	assert_int_equal(file_column(" \n", "drop"), -1);
	assert_int_equal(file_column_number("TcpExt: 7 18446744073709551615\n", 2, 10), UINT64_MAX);
	assert_int_equal(file_column_number("000000ff 00000010", 1, 16), 16);
	assert_int_equal(file_column_number("7 zebra", 1, 10), 0);
	assert_int_equal(file_column_number("7\n", 1, 10), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_behind_a_name_that_begins_a_line),
		cmocka_unit_test(test_it_is_behind_so_many_words),
		cmocka_unit_test(test_none_is_zero),
		cmocka_unit_test(test_a_table_has_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
