// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "../../lib/bucket.h"

/* The definition, spelled out: the first bucket whose upper bound is not below ns. */
static unsigned int bucket_by_definition(uint64_t ns)
{
	unsigned int bucket = 0;

	while (bucket < BUCKET_OVERFLOW && ns > 1ULL << bucket)
		bucket++;
	return bucket;
}

static void test_edges_of_every_octave(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 64; bit++)
		for (int64_t step = -1; step <= 1; step++) {
			uint64_t ns = (1ULL << bit) + step;

			assert_int_equal(bucket_index(ns), bucket_by_definition(ns));
		}
	assert_int_equal(bucket_index(UINT64_MAX), BUCKET_OVERFLOW);
}

static void test_buckets_are_right_closed(void **state)
{
	(void)state;
	assert_int_equal(bucket_index(0), 0);
	assert_int_equal(bucket_index(1), 0);
	assert_int_equal(bucket_index(2), 1);
	assert_int_equal(bucket_index(3), 2);
	assert_int_equal(bucket_index(1024), 10);
	assert_int_equal(bucket_index(1025), 11);
	assert_int_equal(bucket_index(1ULL << 34), 34);
	assert_int_equal(bucket_index((1ULL << 34) + 1), BUCKET_OVERFLOW);
}

static void test_a_bound_lies_in_its_own_bucket(void **state)
{
	(void)state;
	for (unsigned int bucket = 0; bucket < BUCKET_OVERFLOW; bucket++) {
		assert_int_equal(bucket_index(bucket_le_ns(bucket)), bucket);
		assert_int_equal(bucket_index(bucket_le_ns(bucket) + 1), bucket + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges_of_every_octave),
		cmocka_unit_test(test_buckets_are_right_closed),
		cmocka_unit_test(test_a_bound_lies_in_its_own_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
