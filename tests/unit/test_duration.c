// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "lib/base/duration.h"

static void test_three_digits_and_a_prefix(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" },
		{ 1, "1ns" },
		{ 999, "999ns" },
		{ 999.4, "999ns" },
		{ 999.6, "1us" },
		{ 1000, "1us" },
		{ 1024, "1.02us" },
		{ 4096, "4.1us" },
		{ 8192, "8.19us" },
		{ 16384, "16.4us" },
		{ 131072, "131us" },
		{ 999499, "999us" },
		{ 999500, "1ms" },
		{ 1048576, "1.05ms" },
		{ 16777216, "16.8ms" },
		{ 1073741824, "1.07s" },
		{ 17179869184, "17.2s" },
		{ 1e12, "1000s" },
		{ 3.6e12, "3600s" },
		{ 1.8446744073709552e19, "18446744074s" },
	};
	char text[DURATION_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(duration_text(cases[i].ns, text), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_digits_and_a_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
