// SPDX-License-Identifier: GPL-2.0
/* Names from others: what may go to terminals and parsers as it is, and what may not. */
#include "unit.h"

#include <stdio.h>

#include "lib/base/printable.h"

static void assert_printable(const char *text, const char *expected)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	assert_string_equal(make_printable(copy), expected);
}

static void test_text_stays(void **state)
{
	(void)state;
	assert_printable("", "");
	assert_printable("kworker/0:1-events \"x\\", "kworker/0:1-events \"x\\");
	assert_printable("d\xc3\xa4mon \xe2\x82\xac", "d\xc3\xa4mon \xe2\x82\xac");
}

static void test_control_characters_go(void **state)
{
	(void)state;
	assert_printable("\033[31mred\n", "?[31mred?");
	assert_printable("\x7f", "?");
	/* CSI as one character of Latin 1, in UTF-8. */
	assert_printable("\xc2\x9b", "??");
}

static void test_broken_utf8_goes(void **state)
{
	(void)state;
	assert_printable("cut short\xe2\x82", "cut short??");
	assert_printable("\xff then", "? then");
	/* Overlong, and a surrogate. */
	assert_printable("\xc0\xaf", "??");
	assert_printable("\xed\xa0\x80", "???");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_stays),
		cmocka_unit_test(test_control_characters_go),
		cmocka_unit_test(test_broken_utf8_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
