// SPDX-License-Identifier: GPL-2.0
/* TCP's sequence numbers, around their wrap and on a stream that is longer than they are. */
#include "unit.h"

#include "lib/tables/sequence.h"

#define GIB (1ULL << 30)

static void test_after_is_less_than_half_a_wrap_ahead(void **state)
{
	static const __u32 starts[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		__u32 start = starts[i];

		assert_false(seq_is_after(start, start));
		assert_true(seq_is_after(start + 1, start));
		assert_false(seq_is_after(start, start + 1));
		assert_true(seq_is_after(start + 0x7fffffff, start));
		assert_false(seq_is_after(start - 0x7fffffff, start));
	}
}

/* Of a stream of 12 GiB, the first 4 MiB may have waited, and nothing else. */
static void test_what_may_have_waited_is_not_taken_up_again(void **state)
{
	static const __u32 starts[] = { 0, 0x7ff00000, 0x80000000, 0xfff00000 };

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		__u32 end = starts[i] + (4 << 20);

		for (uint64_t read = 65536; read <= 12 * GIB; read += 65536)
			assert_int_equal(seq_is_up_to(starts[i] + read, &end), read <= 4 << 20);
	}
}

/* A read that takes nothing does not move it. */
static void test_the_end_itself_may_have_waited(void **state)
{
	__u32 end = 1000;

	(void)state;
	assert_true(seq_is_up_to(1000, &end));
	assert_true(seq_is_up_to(1000, &end));
	assert_false(seq_is_up_to(1001, &end));
	assert_false(seq_is_up_to(1001, &end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_is_less_than_half_a_wrap_ahead),
		cmocka_unit_test(test_what_may_have_waited_is_not_taken_up_again),
		cmocka_unit_test(test_the_end_itself_may_have_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
