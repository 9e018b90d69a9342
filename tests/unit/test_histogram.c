// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/tables/bucket.h"
#include "lib/counts/histogram.h"

static void add_sample(struct histogram *histogram, uint64_t ns)
{
	struct bucket *bucket = &histogram->buckets[bucket_index(ns, histogram->resolution)];

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

/* 0 and 1 ns are of the first bucket, and all that is longest of the last. */
static void test_first_and_last_bucket(void **state)
{
	struct histogram histogram = { 0 };

	(void)state;
	add_sample(&histogram, 1);
	add_sample(&histogram, 0);
	assert_int_equal(histogram_count(&histogram), 2);
	assert_int_equal(histogram_sum_ns(&histogram), 1);
	assert_int_equal(histogram_first(&histogram), 0);
	assert_int_equal(histogram_last(&histogram), 0);
	add_sample(&histogram, UINT64_MAX / 2);
	assert_int_equal(histogram_last(&histogram), histogram_overflow(&histogram));
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

/* From everything alike over many octaves alike to most in one place; adversarial at the edges. */
static uint64_t draw(unsigned int distribution)
{
	uint64_t random_ns = (uint64_t)random();

	switch (distribution) {
	case 0: /* all over the octaves */
		return random_ns >> (random() % 31);
	case 1: /* uniform */
		return random_ns % 100000;
	case 2: /* all the same */
		return 4097;
	case 3: /* right at and behind the bounds of octaves */
		return (1ULL << (random() % 34)) + (random() & 1);
	case 4: /* two humps far apart */
		return random() & 1 ? 1000 + random_ns % 10 : 10000000 + random_ns % 1000;
	default: /* one in a thousand is slow */
		return random() % 1000 ? 2000 + random_ns % 100 : 900000000;
	}
}

/* le_ns is the upper bound of the bucket that holds this sample: how wrong can it be? */
static void assert_within_error(uint64_t sample_ns, uint64_t le_ns, unsigned int resolution)
{
	assert_true(le_ns >= sample_ns);
	/* Less than 2^-K too high, relative to the sample. */
	assert_true(!sample_ns || (le_ns - sample_ns) << resolution < sample_ns);
}

/* Against the samples themselves, sorted: the quantile's bucket is the one its sample went to. */
static void assert_quantiles(unsigned int distribution, unsigned int resolution, unsigned int nr)
{
	struct histogram histogram = { .resolution = resolution };
	uint64_t samples[1000];

	for (unsigned int i = 0; i < nr; i++) {
		samples[i] = draw(distribution);
		add_sample(&histogram, samples[i]);
	}
	qsort(samples, nr, sizeof(samples[0]), compare);
	for (unsigned int permille = 1; permille <= 1000; permille++) {
		uint64_t sample_ns = samples[(nr * permille + 999) / 1000 - 1];
		int bucket = histogram_quantile(&histogram, permille);

		assert_int_equal(bucket, bucket_index(sample_ns, resolution));
		assert_within_error(sample_ns, histogram_le_ns(&histogram, bucket), resolution);
	}
}

static void test_quantiles_against_sorted_samples(void **state)
{
	(void)state;
	srandom(1);
	for (unsigned int resolution = 0; resolution <= MAX_RESOLUTION; resolution++)
		for (unsigned int distribution = 0; distribution < 6; distribution++)
			for (unsigned int nr = 1; nr <= 1000; nr += 111)
				assert_quantiles(distribution, resolution, nr);
}

/* As if the samples had been counted at the lower resolution in the first place. */
static void test_coarsening(void **state)
{
	(void)state;
	srandom(2);
	for (unsigned int fine = 0; fine <= MAX_RESOLUTION; fine++)
		for (unsigned int coarse = 0; coarse <= fine; coarse++) {
			struct histogram from = { .resolution = fine }, to;
			struct histogram expected = { .resolution = coarse };

			for (int i = 0; i < 2000; i++) {
				uint64_t ns = draw(i % 6) << (i % 8);

				add_sample(&from, ns);
				add_sample(&expected, ns);
			}
			to = histogram_coarsen(&from, coarse);
			assert_memory_equal(&to, &expected, sizeof(to));
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

static void test_quantiles_are_what_they_are_called(void **state)
{
	(void)state;
	for (int i = 0; i < NR_QUANTILES; i++) {
		const struct quantile *quantile = &quantiles[i];
		unsigned int digits;

		assert_float_equal(atof(quantile->label + 1), quantile->permille / 10.0, 1e-6);
		assert_int_equal(sscanf(quantile->field, "p%u_ns", &digits), 1);
		assert_int_equal(digits * (digits < 100 ? 10 : 1), quantile->permille);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_mean_is_exact),
		cmocka_unit_test(test_first_and_last_bucket),
		cmocka_unit_test(test_add_and_subtract_undo_each_other),
		cmocka_unit_test(test_quantiles_against_sorted_samples),
		cmocka_unit_test(test_coarsening),
		cmocka_unit_test(test_quantiles_of_huge_counts),
		cmocka_unit_test(test_quantiles_are_what_they_are_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
