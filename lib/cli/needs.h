/* SPDX-License-Identifier: GPL-2.0 */
/* Rights, system calls and helpers for what the command line asks for: pure functions. */
#ifndef NETSTACKLAT_NEEDS_H
#define NETSTACKLAT_NEEDS_H

#include <stdbool.h>

#include "lib/cli/options.h"

struct needs {
	unsigned int rights;	   /* enum right, a bit each */
	unsigned int system_calls; /* SYSCALLS_*, once all is prepared */
	unsigned int helpers;	   /* enum helper_task, a bit each */
};

/* The plan is that of the options, without what leave_out_unknown() leaves out. */
struct needs needs_of(const struct options *options, const struct plan *plan);

/* Returns whether reports tell interfaces of one number apart, which namespaces have one each. */
bool tells_netns_apart(const struct options *options);

/* Returns whether slow packets or groups have the names of interfaces and namespaces. */
bool names_interfaces(const struct options *options);

/* Returns whether reports say why packets were dropped. */
bool reports_reasons(const struct plan *plan);

#endif
