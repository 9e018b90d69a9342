// SPDX-License-Identifier: GPL-2.0
#include "lib/base/log.h"

#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool verbose;

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	return verbose && level != LIBBPF_DEBUG ? vfprintf(stderr, format, args) : 0;
}

void log_init(bool be_verbose)
{
	verbose = be_verbose;
	libbpf_set_print(print_libbpf);
}

bool log_is_verbose(void)
{
	return verbose;
}

static bool is_shown(enum log_level level)
{
	return level == LOG_LEVEL_ERROR || verbose ||
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
