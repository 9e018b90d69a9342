// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/nfqueue.h"

static struct nfqueues queues;

static bool parse(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	bool found;

	assert_non_null(file);
	found = nfqueues_parse(file, &queues);
	fclose(file);
	return found;
}

/* As Linux 6.12 prints it. */
static void test_the_busiest_is_named_and_all_are_counted(void **state)
{
	(void)state;
	assert_true(parse("    0   411     0 1     0     0     0        7  1\n"
			  "    3 4294967291     2 2 65531     1     0     5000  1\n"
			  "   65   412     0 1     0     0     0       20  1\n"));
	assert_int_equal(queues.packets, 5027);
	assert_int_equal(queues.number, 3);
	assert_int_equal(queues.portid, 4294967291);
}

static void test_one_without_packets_is_there(void **state)
{
	(void)state;
	assert_true(parse("    5   411     0 1     0     0     0        0  1\n"));
	assert_int_equal(queues.packets, 0);
	assert_int_equal(queues.number, 5);
	assert_int_equal(queues.portid, 411);
}

static void test_none_is_none(void **state)
{
	(void)state;
	assert_false(parse("\n"));
	assert_false(parse("zebra\n"));
	assert_false(parse("    5   411     0 1\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_busiest_is_named_and_all_are_counted),
		cmocka_unit_test(test_one_without_packets_is_there),
		cmocka_unit_test(test_none_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
