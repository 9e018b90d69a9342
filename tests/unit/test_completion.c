// SPDX-License-Identifier: GPL-2.0
/*
 * contrib/completion against the table of options. After a change that is meant:
 * GOLDEN_UPDATE=1 .output/tests/unit/test_completion, and look at the difference.
 */
#include "unit.h"

#include <stdlib.h>

#include "golden.h"
#include "lib/generate/completion.h"

static void assert_file(const char *path, void (*print)(FILE *out))
{
	char *text = PRINTED(print);

	assert_golden_text(text, path);
	free(text);
}

static void test_bash(void **state)
{
	(void)state;
	assert_file("contrib/completion/netstacklat.bash", completion_print_bash);
}

static void test_zsh(void **state)
{
	(void)state;
	assert_file("contrib/completion/_netstacklat", completion_print_zsh);
}

static void test_fish(void **state)
{
	(void)state;
	assert_file("contrib/completion/netstacklat.fish", completion_print_fish);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bash),
		cmocka_unit_test(test_zsh),
		cmocka_unit_test(test_fish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
