/* SPDX-License-Identifier: GPL-2.0 */
/* Gives the stacks that programs counted the names of the kernel's functions. */
#ifndef NETSTACKLAT_STACK_NAMES_H
#define NETSTACKLAT_STACK_NAMES_H

#include <stdio.h>

#include "lib/diagnose/stacks.h"
#include "lib/kernel/stacks.h"

/*
 * Opens a list of symbols such as /proc/kallsyms, to be closed. NULL after saying why, also if the
 * list hides addresses: from whoever opens it without CAP_SYSLOG, or from all.
 */
FILE *stack_names_open(const char *path);

/*
 * Adds the stacks that were counted since the last time, in order, to be freed. Returns 0 or a
 * negative errno.
 */
int stack_names_find(FILE *list, const struct stack_maps *maps, struct named_stacks *stacks);

#endif
