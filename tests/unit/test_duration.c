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

static void test_durations_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "0", 0 },
		{ "0ms", 0 },
		{ "1ns", 1 },
		{ "250us", 250000 },
		{ "10ms", 10000000 },
		{ "1.5ms", 1500000 },
		{ "0.3us", 300 },
		{ "2s", 2000000000 },
		{ "90s", 90000000000 },
		{ "10m", 600000000000 },
		{ "1h", 3600000000000 },
		{ "7d", 604800000000000 },
	};
	static const char *const mistakes[] = {
		"",   "10",    "ms",  "s",  "-1ms", "+1s",  " 1ms",   "1 ms",  "1msec",
		"1S", "1h30m", "inf", ".5", "1..5", "0x1s", "40000d", "1e99s", "nan",
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(duration_parse(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		assert_false(duration_parse(mistakes[i], &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_digits_and_a_prefix),
		cmocka_unit_test(test_durations_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
