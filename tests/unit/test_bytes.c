// SPDX-License-Identifier: GPL-2.0
/* How many bytes BPF programs copy of a packet (lib/bpf/kernel/bytes.bpf.h). */
#include "unit.h"

#include <linux/types.h>

/* In place of libbpf's headers. */
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))

#include "lib/bpf/kernel/bytes.bpf.h"

static void test_from_the_header_to_the_tail(void **state)
{
	(void)state;
	assert_int_equal(bytes_at_hand(78, 79), 1);
	assert_int_equal(bytes_at_hand(78, 78 + 127), 127);
	assert_int_equal(bytes_at_hand(78, 78 + 128), 128);
	assert_int_equal(bytes_at_hand(78, 78 + 129), 128);
	assert_int_equal(bytes_at_hand(1, 20000), 128);
	assert_int_equal(bytes_at_hand(65534, 65536), 2);
}

static void test_without_a_header_there_are_none(void **state)
{
	(void)state;
	assert_int_equal(bytes_at_hand(0, 100), 0);
	assert_int_equal(bytes_at_hand(65535, 100), 0);
	assert_int_equal(bytes_at_hand(65535, 100000), 0);
}

static void test_a_header_at_the_tail_or_behind_has_none(void **state)
{
	(void)state;
	assert_int_equal(bytes_at_hand(78, 78), 0);
	assert_int_equal(bytes_at_hand(78, 77), 0);
	assert_int_equal(bytes_at_hand(78, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_the_header_to_the_tail),
		cmocka_unit_test(test_without_a_header_there_are_none),
		cmocka_unit_test(test_a_header_at_the_tail_or_behind_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
