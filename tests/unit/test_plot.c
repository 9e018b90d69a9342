// SPDX-License-Identifier: GPL-2.0
/* From histograms to pixels, by one scale for all. */
#include "unit.h"

#include <string.h>

#include "lib/live/plot.h"

static struct scale scale;
static struct plot_column column;

static struct histogram one_bucket(unsigned int bucket, uint64_t count)
{
	struct histogram latency = { .resolution = 0 };

	latency.buckets[bucket] = (struct bucket){ count, count };
	return latency;
}

static void make_scale(unsigned int first, unsigned int last, uint64_t largest)
{
	struct histogram latency = one_bucket(first, largest);

	scale_begin(&scale, 0);
	scale_add(&scale, &latency);
	latency = one_bucket(last, 1);
	scale_add(&scale, &latency);
	scale_end(&scale);
}

static void test_a_scale_has_all_that_was_added(void **state)
{
	(void)state;
	make_scale(9, 24, 100);
	assert_int_equal(scale.first, 8);
	assert_int_equal(scale.end, 26);
	assert_int_equal(scale.largest, 100);
}

static void test_a_scale_may_begin_with_the_first_bucket(void **state)
{
	(void)state;
	make_scale(0, 9, 7);
	assert_int_equal(scale.first, 0);
	assert_int_equal(scale.largest, 7);
}

static void test_a_scale_of_nothing_has_octaves(void **state)
{
	(void)state;
	scale_begin(&scale, 0);
	scale_end(&scale);
	assert_int_equal(scale.first, 10);
	assert_int_equal(scale.end, 18);
	assert_int_equal(scale_level(&scale, 0), 0);
}

static void test_the_overflow_is_the_end(void **state)
{
	const struct histogram any = { .resolution = 0 };

	(void)state;
	make_scale(9, histogram_overflow(&any), 1);
	assert_int_equal(scale.end, histogram_nr_buckets(&any));
}

static void test_levels_go_from_one_to_the_largest(void **state)
{
	(void)state;
	make_scale(9, 10, 256);
	assert_int_equal(scale_level(&scale, 0), 0);
	assert_int_equal(scale_level(&scale, 1), 1);
	assert_int_equal(scale_level(&scale, 2), 2);
	assert_int_equal(scale_level(&scale, 4), 3);
	assert_int_equal(scale_level(&scale, 7), 3);
	assert_int_equal(scale_level(&scale, 256), NR_LEVELS);
	for (int level = 1; level <= NR_LEVELS; level++)
		assert_int_equal(scale_least(&scale, level), 1 << (level - 1));
}

/* 8 octaves on 16 pixels: each bucket is two of them, from the bottom up. */
static void test_buckets_fill_their_pixels(void **state)
{
	const struct histogram latency = one_bucket(12, 5);

	(void)state;
	make_scale(10, 17, 5);
	plot_fill_column(&column, &scale, &latency, 16);
	for (int pixel = 0; pixel < 16; pixel++)
		assert_int_equal(column.levels[pixel], pixel == 4 || pixel == 5 ? NR_LEVELS : 0);
	assert_int_equal(column.p50, 5);
	assert_int_equal(column.p99, 5);
}

/* The fullest bucket of a pixel is seen, and none is lost. */
static void test_pixels_show_their_fullest_bucket(void **state)
{
	struct histogram latency = one_bucket(12, 256);

	(void)state;
	latency.buckets[13] = (struct bucket){ 1, 1 };
	latency.buckets[17] = (struct bucket){ 1, 1 };
	make_scale(10, 17, 256);
	plot_fill_column(&column, &scale, &latency, 4);
	assert_int_equal(column.levels[0], 0);
	assert_int_equal(column.levels[1], NR_LEVELS);
	assert_int_equal(column.levels[2], 0);
	assert_int_equal(column.levels[3], 1);
	assert_int_equal(column.p50, 1);
}

static void test_without_samples_there_are_no_lines(void **state)
{
	const struct histogram latency = { .resolution = 0 };

	(void)state;
	make_scale(10, 17, 5);
	plot_fill_column(&column, &scale, &latency, 16);
	assert_int_equal(column.p50, -1);
	assert_int_equal(column.p99, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_scale_has_all_that_was_added),
		cmocka_unit_test(test_a_scale_may_begin_with_the_first_bucket),
		cmocka_unit_test(test_a_scale_of_nothing_has_octaves),
		cmocka_unit_test(test_the_overflow_is_the_end),
		cmocka_unit_test(test_levels_go_from_one_to_the_largest),
		cmocka_unit_test(test_buckets_fill_their_pixels),
		cmocka_unit_test(test_pixels_show_their_fullest_bucket),
		cmocka_unit_test(test_without_samples_there_are_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
