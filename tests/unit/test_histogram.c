// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdlib.h>

#include "../../lib/bucket.h"
#include "../../lib/histogram.h"

static void add_sample(struct histogram *histogram, uint64_t ns)
{
	struct bucket *bucket = &histogram->buckets[bucket_index(ns)];

	bucket->count++;
	bucket->sum_ns += ns;
}

static void test_empty(void **state)
{
	const struct histogram empty = { 0 };

	(void)state;
	assert_int_equal(histogram_count(&empty), 0);
	assert_int_equal(histogram_sum_ns(&empty), 0);
	assert_true(histogram_mean_ns(&empty) == 0);
	assert_int_equal(histogram_first(&empty), -1);
	assert_int_equal(histogram_last(&empty), -1);
	assert_int_equal(histogram_quantile(&empty, 500), -1);
}

static void test_mean_is_exact(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	add_sample(&histogram, 1000);
	add_sample(&histogram, 1003);
	add_sample(&histogram, 5000000000);
	assert_int_equal(histogram_count(&histogram), 3);
	assert_int_equal(histogram_sum_ns(&histogram), 5000002003);
	assert_true(histogram_mean_ns(&histogram) == 5000002003.0 / 3);
	assert_int_equal(histogram_first(&histogram), 10);
	assert_int_equal(histogram_last(&histogram), 33);
}

static void test_add_and_subtract_undo_each_other(void **state)
{
	struct histogram earlier = { 0 }, more = { 0 }, histogram;

	(void)state;
	for (uint64_t ns = 1; ns < 100000; ns = ns * 3 + 1) {
		add_sample(&earlier, ns);
		add_sample(&more, ns * 7);
	}
	histogram = earlier;
	histogram_add(&histogram, &more);
	assert_int_equal(histogram_count(&histogram),
			 histogram_count(&earlier) + histogram_count(&more));
	assert_int_equal(histogram_sum_ns(&histogram),
			 histogram_sum_ns(&earlier) + histogram_sum_ns(&more));
	histogram_subtract(&histogram, &earlier);
	assert_memory_equal(&histogram, &more, sizeof(more));
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Against the samples themselves, sorted: the quantile's bucket is the one its sample went to. */
static void test_quantiles_against_sorted_samples(void **state)
{
	static uint64_t samples[1000];

	(void)state;
	srandom(1);
	for (unsigned int nr = 1; nr <= 1000; nr += 37) {
		struct histogram histogram = { 0 };

		for (unsigned int i = 0; i < nr; i++) {
			samples[i] = (uint64_t)random() >> (random() % 31);
			add_sample(&histogram, samples[i]);
		}
		qsort(samples, nr, sizeof(samples[0]), compare);
		for (unsigned int permille = 1; permille <= 1000; permille++) {
			unsigned int rank = (nr * permille + 999) / 1000;

			assert_int_equal(histogram_quantile(&histogram, permille),
					 bucket_index(samples[rank - 1]));
		}
	}
}

static void test_quantiles_of_huge_counts(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	histogram.buckets[3].count = UINT64_MAX / 4;
	histogram.buckets[9].count = UINT64_MAX / 2;
	assert_int_equal(histogram_quantile(&histogram, 300), 3);
	assert_int_equal(histogram_quantile(&histogram, 500), 9);
	assert_int_equal(histogram_quantile(&histogram, 1000), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_mean_is_exact),
		cmocka_unit_test(test_add_and_subtract_undo_each_other),
		cmocka_unit_test(test_quantiles_against_sorted_samples),
		cmocka_unit_test(test_quantiles_of_huge_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
