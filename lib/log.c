// SPDX-License-Identifier: GPL-2.0
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool verbose;

void log_set_verbose(void)
{
	verbose = true;
}

bool log_is_verbose(void)
{
	return verbose;
}

static void print_line(const char *format, va_list args, int err)
{
	fputs("netstacklat: ", stderr);
	vfprintf(stderr, format, args);
	if (err)
		fprintf(stderr, ": %s", strerror(-err));
	fputc('\n', stderr);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args, 0);
	va_end(args);
}

int log_failure(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args, err);
	va_end(args);
	return err;
}

void log_verbose(const char *format, ...)
{
	va_list args;

	if (!verbose)
		return;
	va_start(args, format);
	print_line(format, args, 0);
	va_end(args);
}
