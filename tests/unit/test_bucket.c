// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "lib/tables/bucket.h"

/*
 * The definition, spelled out: counts the upper bounds below ns. Octave (2^(i-1), 2^i] has 2^K
 * bounds of equal distance, or one at each whole ns.
 */
static unsigned int bucket_by_definition(uint64_t ns, unsigned int resolution)
{
	unsigned int bucket = 0;

	if (ns <= 1)
		return 0;
	for (unsigned int octave = 0; octave <= NR_OCTAVES; octave++) {
		uint64_t lower = octave ? 1ULL << (octave - 1) : 0, width = octave ? lower : 1;
		uint64_t nr = width < 1ULL << resolution ? width : 1ULL << resolution;

		for (uint64_t i = 1; i <= nr; i++) {
			if (ns <= lower + width / nr * i)
				return bucket;
			bucket++;
		}
	}
	return bucket;
}

static void test_edges_of_every_bucket(void **state)
{
	(void)state;
	for (unsigned int k = 0; k <= MAX_RESOLUTION; k++) {
		for (unsigned int bit = 0; bit < 64; bit++)
			for (int64_t step = -1; step <= 1; step++) {
				uint64_t ns = (1ULL << bit) + step;

				assert_int_equal(bucket_index(ns, k), bucket_by_definition(ns, k));
			}
		for (unsigned int i = 0; i < NR_BUCKETS(k) - 1; i++)
			for (int64_t step = -1; step <= 1; step++) {
				uint64_t ns = bucket_le_ns(i, k) + step;

				assert_int_equal(bucket_index(ns, k), bucket_by_definition(ns, k));
			}
		assert_int_equal(bucket_index(UINT64_MAX, k), NR_BUCKETS(k) - 1);
	}
}

static void test_small_latencies(void **state)
{
	(void)state;
	for (unsigned int k = 0; k <= MAX_RESOLUTION; k++)
		for (uint64_t ns = 0; ns < 5000; ns++)
			assert_int_equal(bucket_index(ns, k), bucket_by_definition(ns, k));
}

static void test_buckets_are_right_closed(void **state)
{
	(void)state;
	assert_int_equal(bucket_index(0, 0), 0);
	assert_int_equal(bucket_index(1, 0), 0);
	assert_int_equal(bucket_index(2, 0), 1);
	assert_int_equal(bucket_index(3, 0), 2);
	assert_int_equal(bucket_index(1024, 0), 10);
	assert_int_equal(bucket_index(1025, 0), 11);
	assert_int_equal(bucket_index(1ULL << 34, 0), 34);
	assert_int_equal(bucket_index((1ULL << 34) + 1, 0), 35);
	/* 1024 to 2048 in quarters: 1280, 1536, 1792 */
	assert_int_equal(bucket_le_ns(bucket_index(1025, 2), 2), 1280);
	assert_int_equal(bucket_le_ns(bucket_index(1280, 2), 2), 1280);
	assert_int_equal(bucket_le_ns(bucket_index(1281, 2), 2), 1536);
}

static void test_a_bound_lies_in_its_own_bucket(void **state)
{
	(void)state;
	for (unsigned int k = 0; k <= MAX_RESOLUTION; k++) {
		for (unsigned int i = 0; i < NR_BUCKETS(k) - 1; i++) {
			assert_int_equal(bucket_index(bucket_le_ns(i, k), k), i);
			assert_int_equal(bucket_index(bucket_le_ns(i, k) + 1, k), i + 1);
		}
		assert_int_equal(bucket_le_ns(NR_BUCKETS(k) - 2, k), 1ULL << NR_OCTAVES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges_of_every_bucket),
		cmocka_unit_test(test_small_latencies),
		cmocka_unit_test(test_buckets_are_right_closed),
		cmocka_unit_test(test_a_bound_lies_in_its_own_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
