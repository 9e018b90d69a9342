// SPDX-License-Identifier: GPL-2.0
/* What is found out about standard output, which is made a terminal here, and about users' wishes.
 */
#include "unit.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/terminal.h"

static int own_stdout, controller;

static int open_terminal(void **state)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 123 };
	int terminal;

	(void)state;
	setenv("TERM", "xterm-256color", 1);
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	unsetenv("COLORTERM");
	fflush(stdout);
	own_stdout = dup(STDOUT_FILENO);
	controller = posix_openpt(O_RDWR | O_NOCTTY);
	if (controller < 0 || unlockpt(controller) || ioctl(controller, TIOCSWINSZ, &size))
		return -1;
	terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
	dup2(terminal, STDOUT_FILENO);
	return terminal < 0 ? -1 : close(terminal);
}

static int close_terminal(void **state)
{
	(void)state;
	dup2(own_stdout, STDOUT_FILENO);
	close(own_stdout);
	return close(controller);
}

static void leave_terminal(void)
{
	int nothing = open("/dev/null", O_WRONLY);

	dup2(nothing, STDOUT_FILENO);
	close(nothing);
}

static int columns_with(const char *wish)
{
	setenv("COLUMNS", wish, 1);
	return terminal_find(COLOUR_AUTO).columns;
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(terminal_find(COLOUR_AUTO).columns, 123);
	assert_int_equal(columns_with("40"), 40);
	assert_int_equal(columns_with("1"), 1);
	assert_int_equal(columns_with("1000000"), 1000);
	/* What is no number of columns is no wish. */
	assert_int_equal(columns_with("0"), 123);
	assert_int_equal(columns_with("-5"), 123);
	assert_int_equal(columns_with("wide"), 123);
	leave_terminal();
	assert_int_equal(columns_with(""), 80);
	assert_int_equal(columns_with("40"), 40);
}

static void test_a_terminal_that_tells_no_size(void **state)
{
	(void)state;
	assert_int_equal(ioctl(controller, TIOCSWINSZ, &(struct winsize){ 0 }), 0);
	assert_int_equal(terminal_find(COLOUR_AUTO).columns, 80);
}

static bool has_colour_with(const char *name, const char *value)
{
	setenv(name, value, 1);
	return terminal_find(COLOUR_AUTO).colour;
}

static void test_colour(void **state)
{
	(void)state;
	assert_true(terminal_find(COLOUR_AUTO).colour);
	assert_false(has_colour_with("TERM", "xterm"));
	assert_true(has_colour_with("COLORTERM", "truecolor"));
	assert_true(has_colour_with("NO_COLOR", ""));
	assert_false(has_colour_with("NO_COLOR", "1"));
	unsetenv("NO_COLOR");
	assert_false(has_colour_with("TERM", "dumb"));
	unsetenv("TERM");
	assert_true(terminal_find(COLOUR_AUTO).colour);
	leave_terminal();
	assert_false(terminal_find(COLOUR_AUTO).colour);
}

static void test_colour_on_demand(void **state)
{
	(void)state;
	assert_false(terminal_find(COLOUR_NEVER).colour);
	setenv("NO_COLOR", "1", 1);
	assert_true(terminal_find(COLOUR_ALWAYS).colour);
	leave_terminal();
	assert_true(terminal_find(COLOUR_ALWAYS).colour);
}

/* Also where standard output is no terminal: it may be shown by one. */
static void test_characters(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	assert_true(terminal_find(COLOUR_AUTO).unicode);
	setenv("TERM", "dumb", 1);
	assert_false(terminal_find(COLOUR_AUTO).unicode);
	unsetenv("TERM");
	leave_terminal();
	assert_true(terminal_find(COLOUR_AUTO).unicode);
	setlocale(LC_CTYPE, "C");
	assert_false(terminal_find(COLOUR_AUTO).unicode);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_columns),    TEST(test_a_terminal_that_tells_no_size),
		TEST(test_colour),     TEST(test_colour_on_demand),
		TEST(test_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
