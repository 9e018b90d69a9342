// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/messages.h"

#include <bpf/libbpf.h>
#include <stdio.h>

#include "lib/base/log.h"

static int print(enum libbpf_print_level level, const char *format, va_list args)
{
	return log_is_verbose() && level != LIBBPF_DEBUG ? vfprintf(stderr, format, args) : 0;
}

void messages_init(void)
{
	libbpf_set_print(print);
}
