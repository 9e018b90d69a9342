/* SPDX-License-Identifier: GPL-2.0 */
/* Calls to send or connect that the kernel failed: no packet tells of them. */
#ifndef NETSTACKLAT_FAILURES_H
#define NETSTACKLAT_FAILURES_H

#include "lib/diagnose/verdict.h"
#include "lib/tables/failure.h"

/* A kind of call that fails for one process, and how often it does. */
struct failed_calls {
	struct failure_key key;
	struct failure failure;
};

/*
 * Adds them to a verdict before it is explained. The same failure of several processes is one
 * finding, as some come and go. Returns 0 or -ENOMEM.
 */
int failures_find(struct verdict *verdict, const struct report *report,
		  const struct failed_calls *list, size_t nr);

#endif
