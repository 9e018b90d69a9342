// SPDX-License-Identifier: GPL-2.0
#include "lib/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool verbose;

void log_init(bool be_verbose)
{
	verbose = be_verbose;
}

bool log_is_verbose(void)
{
	return verbose;
}

static bool is_shown(enum log_level level)
{
	return level <= LOG_LEVEL_NOTICE || verbose ||
	       (level == LOG_LEVEL_INFO && isatty(STDERR_FILENO));
}

static FILE *held; /* NULL: messages go to stderr */
static char *held_text;
static size_t held_size;

void log_hold(void)
{
	/* If there is no memory, messages go to the terminal, and spoil the picture. */
	held = open_memstream(&held_text, &held_size);
}

void log_release(void)
{
	if (!held)
		return;
	fclose(held);
	held = NULL;
	fputs(held_text, stderr);
	free(held_text);
}

const char *log_held(void)
{
	static char last[256];
	const char *begin;

	if (!held || fflush(held) || !held_size)
		return NULL;
	begin = memrchr(held_text, '\n', held_size - 1);
	snprintf(last, sizeof(last), "%s", begin ? begin + 1 : held_text);
	last[strcspn(last, "\n")] = '\0';
	return last;
}

int log_line(enum log_level level, int err, const char *format, ...)
{
	FILE *out = held ? held : stderr;
	va_list args;

	if (!is_shown(level))
		return err;
	fputs("netstacklat: ", out);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	if (err)
		fprintf(out, ": %s", strerror(-err));
	fputc('\n', out);
	return err;
}
