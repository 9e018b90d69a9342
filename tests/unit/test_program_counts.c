// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "lib/counts/program_counts.h"
#include "lib/tables/units.h"

static void test_add_and_subtract_undo_each_other(void **state)
{
	struct program_counts counts = { 3, 700 };

	(void)state;
	program_counts_add(&counts, &(struct program_counts){ 2, 50 });
	assert_int_equal(counts.runs, 5);
	assert_int_equal(counts.run_ns, 750);
	program_counts_subtract(&counts, &(struct program_counts){ 3, 700 });
	assert_int_equal(counts.runs, 2);
	assert_int_equal(counts.run_ns, 50);
}

/* 3000 runs of half a millisecond within two seconds. */
static void test_figures(void **state)
{
	const struct program_counts counts = { 3000, 3000 * (NS_PER_MS / 2.0) };

	(void)state;
	assert_true(program_ns_per_run(&counts) == NS_PER_MS / 2.0);
	assert_true(program_runs_per_s(&counts, 2 * NS_PER_S) == 1500);
	assert_true(program_cpu_share(&counts, 2 * NS_PER_S) == 0.75);
}

static void test_without_runs(void **state)
{
	const struct program_counts none = { 0 };

	(void)state;
	assert_true(program_ns_per_run(&none) == 0);
	assert_true(program_runs_per_s(&none, NS_PER_S) == 0);
	assert_true(program_cpu_share(&none, NS_PER_S) == 0);
}

/* Ten million runs a second for ten years: the runs times a second would not fit 64 bits. */
static void test_large_counts_do_not_wrap(void **state)
{
	const uint64_t duration_ns = 10ULL * 365 * 86400 * NS_PER_S;
	const struct program_counts counts = { duration_ns / 100, duration_ns / 2 };

	(void)state;
	assert_true(program_runs_per_s(&counts, duration_ns) == 1e7);
	assert_true(program_cpu_share(&counts, duration_ns) == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_subtract_undo_each_other),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_without_runs),
		cmocka_unit_test(test_large_counts_do_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
