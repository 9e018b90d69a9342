// SPDX-License-Identifier: GPL-2.0
#include "lib/base/terminal.h"

#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define DEFAULT_COLUMNS 80
#define MAX_COLUMNS 1000

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* As POSIX has it, users may overrule the terminal. */
static int find_columns(void)
{
	int columns = atoi(environment("COLUMNS"));
	struct winsize size;

	if (columns <= 0 && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		columns = size.ws_col;
	if (columns <= 0)
		columns = DEFAULT_COLUMNS;
	return columns < MAX_COLUMNS ? columns : MAX_COLUMNS;
}

static bool has_colour(enum colour when)
{
	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	if (!isatty(STDOUT_FILENO) || *environment("NO_COLOR") ||
	    !strcmp(environment("TERM"), "dumb"))
		return false;
	return strstr(environment("TERM"), "256color") || *environment("COLORTERM");
}

bool terminal_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

struct terminal terminal_find(enum colour when)
{
	bool dumb = !strcmp(environment("TERM"), "dumb");

	return (struct terminal){
		.columns = find_columns(),
		.unicode = !dumb && terminal_is_utf8(),
		.colour = has_colour(when),
	};
}

static struct termios remembered;
static volatile sig_atomic_t is_remembered;

/*
 * When this returns, a crash repeats, now for good, and so does abort(); a signal that was sent
 * does not.
 */
static void on_crash(int signal, siginfo_t *info, void *context)
{
	(void)context;
	terminal_restore();
	if (info->si_code == SI_USER)
		_exit(128 + signal);
}

static void handle_crashes(bool by_us)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction action = { .sa_handler = SIG_DFL };

	if (by_us) {
		action.sa_sigaction = on_crash;
		action.sa_flags = SA_SIGINFO | SA_RESETHAND;
	}

	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &action, NULL);
}

void terminal_remember(void)
{
	if (tcgetattr(STDIN_FILENO, &remembered))
		return;
	is_remembered = true;
	handle_crashes(true);
}

void terminal_forget(void)
{
	if (is_remembered)
		handle_crashes(false);
	is_remembered = false;
}

/* Escape sequences that today's terminals understand: the main screen, no colours, a cursor. */
void terminal_restore(void)
{
	static const char reset[] = "\033[?1049l\033[?1l\033>\033[0m\033[?25h\r\n";
	ssize_t written;

	if (!is_remembered)
		return;
	is_remembered = false;
	tcsetattr(STDIN_FILENO, TCSANOW, &remembered);
	written = write(STDOUT_FILENO, reset, strlen(reset));
	(void)written;
}
