// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <string.h>

#include "lib/host/cpu_counters.h"
#include "lib/host/file_number.h"

static FILE *file_of(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(file);
	return file;
}

static void add_stat(struct cpu_counters *counters, const char *text)
{
	FILE *file = file_of(text);

	cpu_counters_add_stat(counters, file, 100);
	fclose(file);
}

static void add_softnet(struct cpu_counters *counters, const char *text)
{
	FILE *file = file_of(text);

	cpu_counters_add_softnet(counters, file);
	fclose(file);
}

/* CPU 1 is offline. */
static void test_steal_is_of_all_and_of_each(void **state)
{
	struct cpu_counters before = { 0 }, now = { 0 };

	(void)state;
	add_stat(&before, "cpu  10132153 290696 3084719 46828483 16683 0 25195 175628 0 0\n"
			  "cpu0 1393280 32966 572056 13343292 6130 0 17875 175605 0 0\n"
			  "cpu2 1393280 32966 572056 13343292 6130 0 17875 23 0 0\n"
			  "intr 1 2 3 4 5 6 7 8\n");
	add_stat(&now, "cpu  1 2 3 4 5 6 7 175635 9 10\n"
		       "cpu0 1 2 3 4 5 6 7 175600 9 10\n"
		       "cpu2 1 2 3 4 5 6 7 35 9 10\n"
		       "cpu3 1 2 3 4 5 6 7 4 9 10\n");
	assert_int_equal(before.steal_ns, 1756280000000);
	assert_int_equal(before.nr, 3);
	assert_int_equal(before.cpus[0].steal_ns, 1756050000000);
	assert_int_equal(number_since(before.steal_ns, now.steal_ns), 70000000);
	assert_int_equal(number_since(now.steal_ns, before.steal_ns), 0);
	assert_int_equal(cpu_counters_since(&now, &before, 0).steal_ns, 0);
	assert_int_equal(cpu_counters_since(&now, &before, 1).steal_ns, 0);
	assert_int_equal(cpu_counters_since(&now, &before, 2).steal_ns, 120000000);
	assert_int_equal(cpu_counters_since(&now, &before, 3).steal_ns, 40000000);
	assert_int_equal(cpu_counters_since(&now, &before, 4).steal_ns, 0);
	assert_int_equal(cpu_counters_since(&before, &now, 3).steal_ns, 0);
	cpu_counters_free(&before);
	cpu_counters_free(&now);
}

static void test_what_stat_does_not_tell_is_none(void **state)
{
	struct cpu_counters counters = { 0 };

	(void)state;
	add_stat(&counters, "cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7\n");
	add_stat(&counters, "intr 1 2 3 4 5 6 7 8\ncpu  1 2 3 4 5 6 7 8\n");
	add_stat(&counters, "cpu99999 1 2 3 4 5 6 7 8\n");
	add_stat(&counters, "\n");
	assert_int_equal(counters.steal_ns, 0);
	assert_int_equal(counters.nr, 0);
}

#define SOFTNET(squeezed, cpu)                                                                  \
	"000a1b2c 00000003 " squeezed " 00000000 00000000 00000000 00000000 00000000 00000000 " \
	"00000000 00000000 00000000 " cpu " 00000000 00000000\n"

static void test_a_budget_is_that_of_its_cpu(void **state)
{
	struct cpu_counters before = { 0 }, now = { 0 };

	(void)state;
	add_softnet(&before, SOFTNET("00000005", "00000000") SOFTNET("fffffffe", "00000002"));
	add_softnet(&now, SOFTNET("00000009", "00000000") SOFTNET("00000001", "00000002")
				  SOFTNET("00000006", "00000003"));
	assert_int_equal(cpu_counters_since(&now, &before, 0).squeezed, 4);
	assert_int_equal(cpu_counters_since(&now, &before, 1).squeezed, 0);
	assert_int_equal(cpu_counters_since(&now, &before, 2).squeezed, 3);
	assert_int_equal(cpu_counters_since(&now, &before, 3).squeezed, 6);
	assert_int_equal(cpu_counters_since(&before, &now, 3).squeezed, 0);
	cpu_counters_free(&before);
	cpu_counters_free(&now);
	add_softnet(&now, "1 2 3 4\n\nnothing\n" SOFTNET("00000001", "00002000"));
	assert_int_equal(now.nr, 0);
	add_softnet(&now, SOFTNET("00000001", "00001fff"));
	assert_int_equal(now.nr, 8192);
	cpu_counters_free(&now);
}

static void test_this_kernel_tells(void **state)
{
	struct cpu_counters counters = cpu_counters_read();

	(void)state;
	assert_true(counters.nr > 0);
	cpu_counters_free(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steal_is_of_all_and_of_each),
		cmocka_unit_test(test_what_stat_does_not_tell_is_none),
		cmocka_unit_test(test_a_budget_is_that_of_its_cpu),
		cmocka_unit_test(test_this_kernel_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
