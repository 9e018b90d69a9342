// SPDX-License-Identifier: GPL-2.0
#include "lib/base/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
