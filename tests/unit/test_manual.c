// SPDX-License-Identifier: GPL-2.0
/*
 * What the manual page says of options and hooks against their tables. After a change that is
 * meant: GOLDEN_UPDATE=1 .output/tests/unit/test_manual, and look at the difference.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "lib/generate/manual.h"

#define PAGE "doc/netstacklat.8"

/* The part of the page between two comments; *end is behind it. */
static char *find_section(char *page, const char *from, const char *to, char **end)
{
	char *start = strstr(page, from);

	assert_non_null(start);
	start += strlen(from);
	*end = strstr(start, to);
	assert_non_null(*end);
	return start;
}

static void update(const char *page, const char *start, const char *end, const char *section)
{
	FILE *file = fopen(PAGE, "we");

	assert_non_null(file);
	fprintf(file, "%.*s%s%s", (int)(start - page), page, section, end);
	fclose(file);
}

static void assert_section(const char *from, const char *to, void (*print_section)(FILE *out))
{
	char *page = golden_read(PAGE), *section = PRINTED(print_section), *end;
	char *start = find_section(page, from, to, &end);

	if (getenv("GOLDEN_UPDATE")) {
		update(page, start, end, section);
		free(page);
		page = golden_read(PAGE);
		start = find_section(page, from, to, &end);
	}
	*end = '\0';
	assert_string_equal(start, section);
	free(section);
	free(page);
}

static void test_options(void **state)
{
	(void)state;
	assert_section(".\\\" options\n", ".\\\" end of options\n", manual_print_options);
}

static void test_hooks(void **state)
{
	(void)state;
	assert_section(".\\\" hooks\n", ".\\\" end of hooks\n", manual_print_hooks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_hooks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
