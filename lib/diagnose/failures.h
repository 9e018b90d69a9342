/* SPDX-License-Identifier: GPL-2.0 */
/* Calls to send or connect that the kernel failed: no packet tells of them. */
#ifndef NETSTACKLAT_FAILURES_H
#define NETSTACKLAT_FAILURES_H

#include "lib/diagnose/verdict.h"
#include "lib/tables/failure.h"

/*
 * Adds such a failure, as often as it came, to a verdict before that is explained. Returns 0 or
 * -ENOMEM.
 */
int failures_add(struct verdict *verdict, const struct report *report,
		 const struct failure_key *key, const struct failure *failure);

#endif
