/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More datagrams come to a reader than it has time for: each waits for what it does with those
 * before, and for none of that is it late itself.
 */
#ifndef NETSTACKLAT_OVERLOAD_H
#define NETSTACKLAT_OVERLOAD_H

#include "lib/diagnose/verdict.h"

/*
 * Adds a finding for each such reader, in place of what it is late for besides, and notes services
 * that have such queues for moments, as when many datagrams come at once. Returns 0 or -ENOMEM.
 */
int overloads_find(struct verdict *verdict, const struct report *report,
		   const struct late_seconds *seconds);

#endif
