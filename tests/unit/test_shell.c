// SPDX-License-Identifier: GPL-2.0
/* Words of commands: what a real shell makes of them is what they stand for. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/shell.h"
#include "real_shell.h"

static void assert_word(const char *text, const char *expected)
{
	char *word = shell_word(text);

	assert_non_null(word);
	assert_string_equal(word, expected);
	free(word);
}

static void test_plain_words_go_without_quotes(void **state)
{
	(void)state;
	assert_word("eth0.100", "eth0.100");
	assert_word("/sys/fs/cgroup/system.slice/a-b@c:1", "/sys/fs/cgroup/system.slice/a-b@c:1");
	assert_word("", "''");
	assert_word("a b", "'a b'");
	assert_word("it's", "'it'\\''s'");
	assert_word("~root", "'~root'");
	assert_word("a=b", "'a=b'");
	assert_word("{a,b}", "'{a,b}'");
}

/* A shell prints each text, a line each, where it is given its word. */
static void assert_shell_agrees(const char *shell, char *const *texts, size_t nr)
{
	static char output[SHELL_OUTPUT_SIZE];
	char *script = NULL, *expected = NULL;
	size_t script_size, expected_size;
	FILE *commands = open_memstream(&script, &script_size);
	FILE *lines = open_memstream(&expected, &expected_size);

	for (size_t i = 0; i < nr; i++) {
		char *word = shell_word(texts[i]);

		fprintf(commands, "printf '%%s\\n' %s\n", word);
		fprintf(lines, "%s\n", texts[i]);
		free(word);
	}
	fclose(commands);
	fclose(lines);
	run_in_shell(shell, script, output);
	assert_string_equal(output, expected);
	free(script);
	free(expected);
}

/* Of what shells act on, and some that they do not. */
static void test_shells_read_what_was_meant(void **state)
{
	static const char characters[] =
		"ab01 \t'\"\\$`(){}[]<>|&;*?!#~=^%-+,./:@\x01\x1b\x7f\xff\xc3\xa4";
	char *texts[400];

	(void)state;
	srandom(1);
	for (size_t i = 0; i < 400; i++) {
		size_t length = random() % 12;

		texts[i] = calloc(1, length + 1);
		for (size_t j = 0; j < length; j++)
			texts[i][j] = characters[random() % (sizeof(characters) - 1)];
	}
	assert_shell_agrees("sh", texts, 400);
	assert_shell_agrees("bash", texts, 400);
	for (size_t i = 0; i < 400; i++)
		free(texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_words_go_without_quotes),
		cmocka_unit_test(test_shells_read_what_was_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
