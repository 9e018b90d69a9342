// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/messages.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"

/*
 * To root, the verifier shows addresses of maps, and a journal would show them to others. All
 * addresses of the kernel begin alike, and have 16 digits.
 */
static void hide_addresses(char *text)
{
	static const char start[] = "0xff";

	for (char *found = text; (found = strstr(found, start)); found += strlen(start))
		if (strspn(found + 2, "0123456789abcdef") == 16)
			memset(found + strlen(start), 'x', 2 + 16 - strlen(start));
}

void messages_print(char *text)
{
	hide_addresses(text);
	fputs(text, stderr);
}

static int print(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text;

	if (!log_is_verbose() || level == LIBBPF_DEBUG || vasprintf(&text, format, args) < 0)
		return 0;
	messages_print(text);
	free(text);
	return 0;
}

void messages_init(void)
{
	libbpf_set_print(print);
}
