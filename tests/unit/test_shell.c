// SPDX-License-Identifier: GPL-2.0
/* Words of commands: what a real shell makes of them is what they stand for. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/shell.h"

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

/* Of texts without newlines: what a shell prints of their words, a line each, are the texts. */
static void assert_shell_agrees(const char *shell, char *const *texts, size_t nr)
{
	char script[] = "/tmp/netstacklat-words.XXXXXX", command[128], line[256];
	FILE *file = fdopen(mkstemp(script), "w");

	assert_non_null(file);
	for (size_t i = 0; i < nr; i++) {
		char *word = shell_word(texts[i]);

		fprintf(file, "printf '%%s\\n' %s\n", word);
		free(word);
	}
	fclose(file);
	snprintf(command, sizeof(command), "PATH=/nonexistent /bin/%s %s 2>&1", shell, script);
	file = popen(command, "re");
	assert_non_null(file);
	for (size_t i = 0; i < nr; i++) {
		assert_non_null(fgets(line, sizeof(line), file));
		line[strcspn(line, "\n")] = '\0';
		assert_string_equal(line, texts[i]);
	}
	assert_null(fgets(line, sizeof(line), file));
	assert_int_equal(pclose(file), 0);
	unlink(script);
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
