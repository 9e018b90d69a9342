// SPDX-License-Identifier: GPL-2.0
#include "lib/base/log.h"

#include <stdarg.h>
#include <stdio.h>
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

int log_line(enum log_level level, int err, const char *format, ...)
{
	va_list args;

	if (!is_shown(level))
		return err;
	fputs("netstacklat: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	if (err)
		fprintf(stderr, ": %s", strerror(-err));
	fputc('\n', stderr);
	return err;
}
