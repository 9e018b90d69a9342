// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/list.h"

/* Expects the elements up to NULL, and no more. */
static void assert_elements(const char *list, const char *const *expected)
{
	char element[LIST_ELEMENT_SIZE];

	for (; *expected; expected++) {
		assert_true(list_next(&list, element));
		assert_string_equal(element, *expected);
	}
	assert_null(list);
	assert_false(list_next(&list, element));
}

#define ASSERT_ELEMENTS(list, ...) assert_elements(list, (const char *const[]){ __VA_ARGS__, NULL })

static void test_elements_come_in_order(void **state)
{
	(void)state;
	ASSERT_ELEMENTS("eth0", "eth0");
	ASSERT_ELEMENTS("80,443,8080", "80", "443", "8080");
	ASSERT_ELEMENTS("a b;c, d", "a b;c", " d");
}

/* So that a mistake such as "80," is not taken for "80". */
static void test_empty_elements_are_elements(void **state)
{
	(void)state;
	ASSERT_ELEMENTS("", "");
	ASSERT_ELEMENTS(",", "", "");
	ASSERT_ELEMENTS("a,", "a", "");
	ASSERT_ELEMENTS(",a", "", "a");
	ASSERT_ELEMENTS("a,,b", "a", "", "b");
}

static void test_no_list_has_no_elements(void **state)
{
	char element[LIST_ELEMENT_SIZE];
	const char *list = NULL;

	(void)state;
	assert_false(list_next(&list, element));
}

static void test_what_is_too_long_is_cut_and_the_rest_found(void **state)
{
	size_t length = 3 * LIST_ELEMENT_SIZE;
	char *text = malloc(length + sizeof(",next"));
	char element[LIST_ELEMENT_SIZE];
	const char *list = text;

	(void)state;
	memset(text, 'x', length);
	strcpy(text + length, ",next");
	assert_true(list_next(&list, element));
	assert_int_equal(strlen(element), LIST_ELEMENT_SIZE - 1);
	assert_true(list_next(&list, element));
	assert_string_equal(element, "next");
	free(text);
}

static void assert_number(const char *element, uint64_t max, uint64_t expected)
{
	uint64_t number = ~expected;

	assert_true(list_number(element, max, &number));
	assert_int_equal(number, expected);
}

static void test_numbers_up_to_a_maximum(void **state)
{
	uint64_t number;

	(void)state;
	assert_number("0", 0, 0);
	assert_number("65535", 65535, 65535);
	assert_false(list_number("65536", 65535, &number));
	assert_number("18446744073709551615", UINT64_MAX, UINT64_MAX);
	assert_false(list_number("18446744073709551616", UINT64_MAX, &number));
	assert_false(list_number("99999999999999999999999", UINT64_MAX, &number));
	/* Not octal, as C has it. */
	assert_number("0080", 100, 80);
}

static void test_anything_else_is_no_number(void **state)
{
	static const char *const others[] = { "",   "-",    "-1",  "+1",  " 1", "1 ",  "\t1", "1x",
					      "x1", "0x10", "1.0", "1e3", "-0", "1,2", "١" };
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(list_number(others[i], UINT64_MAX, &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements_come_in_order),
		cmocka_unit_test(test_empty_elements_are_elements),
		cmocka_unit_test(test_no_list_has_no_elements),
		cmocka_unit_test(test_what_is_too_long_is_cut_and_the_rest_found),
		cmocka_unit_test(test_numbers_up_to_a_maximum),
		cmocka_unit_test(test_anything_else_is_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
