// SPDX-License-Identifier: GPL-2.0
/* This process tells what it takes, before and after it takes more. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/host/self_usage.h"

#define MORE (64 << 20)

static void test_memory_that_is_resident(void **state)
{
	char *memory =
		mmap(NULL, 2 * MORE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = self_usage_now().resident_bytes, after;

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	/* Nobody else has it, and the other half is not resident. */
	memset(memory, 1, MORE);
	after = self_usage_now().resident_bytes;
	assert_true(after - before > MORE * 3 / 4);
	assert_true(after - before < MORE * 5 / 4);
	munmap(memory, 2 * MORE);
}

static void test_time_goes_by(void **state)
{
	uint64_t before = self_usage_now().cpu_ns;

	(void)state;
	assert_true(self_usage_now().cpu_ns > before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_that_is_resident),
		cmocka_unit_test(test_time_goes_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
