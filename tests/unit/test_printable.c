// SPDX-License-Identifier: GPL-2.0
/* Names from others: what may go to terminals and parsers as it is, and what may not. */
#include "unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/printable.h"

static void assert_printable(const char *text, const char *expected)
{
	char copy[PRINTABLE_SIZE(64)];
	char *duplicate = printable_dup(text);

	assert_string_equal(printable_copy(copy, text), expected);
	assert_string_equal(duplicate, expected);
	free(duplicate);
}

static void test_text_stays(void **state)
{
	(void)state;
	assert_printable("", "");
	assert_printable("kworker/0:1-events \"x\\", "kworker/0:1-events \"x\\");
	assert_printable("d\xc3\xa4mon \xe2\x82\xac \xf0\x9f\x90\xa7",
			 "d\xc3\xa4mon \xe2\x82\xac \xf0\x9f\x90\xa7");
}

static void test_control_characters_are_escaped(void **state)
{
	(void)state;
	assert_printable("x\x01", "x\\x01");
	assert_printable("x\x02", "x\\x02");
	assert_printable("x\n", "x\\x0a");
	assert_printable("\033[31mred\n", "\\x1b[31mred\\x0a");
	assert_printable("\x7f", "\\x7f");
	/* CSI as one character of Latin 1, in UTF-8. */
	assert_printable("\xc2\x9b", "\\xc2\\x9b");
}

static void test_broken_utf8_is_escaped(void **state)
{
	(void)state;
	assert_printable("cut short\xe2\x82", "cut short\\xe2\\x82");
	assert_printable("\xc3", "\\xc3");
	assert_printable("\xff then", "\\xff then");
	assert_printable("\xf0\x9f\x90 \xc3\xa4", "\\xf0\\x9f\\x90 \xc3\xa4");
	/* Overlong, a surrogate, and what is beyond Unicode. */
	assert_printable("\xc0\xaf", "\\xc0\\xaf");
	assert_printable("\xed\xa0\x80", "\\xed\\xa0\\x80");
	assert_printable("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

/* A soft hyphen, right-to-left override, line separator, zero-width joiner, byte order mark, tag.
 */
static void test_format_characters_are_escaped(void **state)
{
	(void)state;
	assert_printable("a\xc2\xad", "a\\xc2\\xad");
	assert_printable("\xe2\x80\xae"
			 "cod.exe",
			 "\\xe2\\x80\\xae"
			 "cod.exe");
	assert_printable("\xe2\x80\xa8", "\\xe2\\x80\\xa8");
	assert_printable("\xe2\x80\x8d", "\\xe2\\x80\\x8d");
	assert_printable("\xef\xbb\xbf", "\\xef\\xbb\\xbf");
	assert_printable("\xf3\xa0\x81\xbf", "\\xf3\\xa0\\x81\\xbf");
	/* Their neighbours: a hyphenation point, and an en dash. */
	assert_printable("\xe2\x80\xa7\xe2\x80\x93", "\xe2\x80\xa7\xe2\x80\x93");
}

static void test_backslashes_stay_unless_they_could_be_ours(void **state)
{
	(void)state;
	assert_printable("dev-disk-by\\x2dlabel-a\\x20b", "dev-disk-by\\x2dlabel-a\\x20b");
	assert_printable("\\x7e \\n \\x1B \\X1b \\x1 \\x \\", "\\x7e \\n \\x1B \\X1b \\x1 \\x \\");
	assert_printable("\\x01", "\\x5cx01");
	assert_printable("\\x1f\\x5c\\x7f\\xff", "\\x5cx1f\\x5cx5c\\x5cx7f\\x5cxff");
	assert_printable("\\\\x0a", "\\\\x5cx0a");
	/* An escape that is cut short by a byte that needs one. */
	assert_printable("\\x0\x01", "\\x0\\x01");
}

/* What this escapes, and nothing else. */
static void decode(const char *printable, char *text)
{
	unsigned int byte;
	int length;

	for (; *printable; printable += length) {
		length = 0;
		if (sscanf(printable, "\\x%2[0-9a-f]%n", (char[3]){ 0 }, &length) == 1 &&
		    length == 4 && sscanf(printable + 2, "%2x", &byte) == 1 &&
		    (byte < 0x20 || byte == 0x5c || byte >= 0x7f)) {
			*text++ = (char)byte;
		} else {
			*text++ = *printable;
			length = 1;
		}
	}
	*text = '\0';
}

/* So that no two names are printed as one. Of bytes that often make an escape or a character. */
static void test_the_way_back_is_certain(void **state)
{
	static const char bytes[] = "\\\\\\\\xxxx0257cdf\x01\n\x7f\xc3\xa4\xe2\x80\xae\xf0\x9f \"";
	char text[24], printable[PRINTABLE_SIZE(sizeof(text))], decoded[sizeof(printable)];

	(void)state;
	srandom(1);
	for (int i = 0; i < 300000; i++) {
		size_t length = random() % sizeof(text);

		for (size_t j = 0; j < length; j++)
			text[j] = (char)(i % 4 ? bytes[random() % (sizeof(bytes) - 1)]
					       : random() % 255 + 1);
		text[length] = '\0';
		decode(printable_copy(printable, text), decoded);
		assert_string_equal(decoded, text);
	}
}

/* What has to be printed with each line of a report is as long as that, and no longer. */
static void test_long_names_are_left_to_numbers(void **state)
{
	char text[MAX_PRINTABLE + 2], *copy;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[MAX_PRINTABLE] = '\0';
	copy = printable_dup(text);
	assert_string_equal(copy, text);
	/* Not the longest that it might have been. */
	assert_true(malloc_usable_size(copy) < MAX_PRINTABLE + 64);
	free(copy);
	text[0] = '\n';
	assert_null(printable_dup(text));
	text[0] = text[MAX_PRINTABLE] = 'x';
	text[MAX_PRINTABLE + 1] = '\0';
	assert_null(printable_dup(text));
}

/* It cannot be undone. */
static void test_only_ascii_stays_if_nothing_else_may(void **state)
{
	(void)state;
	printable_limit_to_ascii();
	assert_printable("~d\xc3\xa4mon \xc4\x9b[31m", "~d\\xc3\\xa4mon \\xc4\\x9b[31m");
	assert_printable("\x7f\x80\x9b\x9f\xa0\xff", "\\x7f\\x80\\x9b\\x9f\\xa0\\xff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_stays),
		cmocka_unit_test(test_control_characters_are_escaped),
		cmocka_unit_test(test_broken_utf8_is_escaped),
		cmocka_unit_test(test_format_characters_are_escaped),
		cmocka_unit_test(test_backslashes_stay_unless_they_could_be_ours),
		cmocka_unit_test(test_the_way_back_is_certain),
		cmocka_unit_test(test_long_names_are_left_to_numbers),
		cmocka_unit_test(test_only_ascii_stays_if_nothing_else_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
