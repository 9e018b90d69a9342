/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More datagrams come to a reader than it has time for. Each waits for the work on those before it,
 * and the reader is late for none of them by itself.
 */
#ifndef NETSTACKLAT_OVERLOAD_H
#define NETSTACKLAT_OVERLOAD_H

#include "lib/diagnose/verdict.h"

/*
 * Adds a finding for each such reader, which replaces others of its lateness. Notes services that
 * have such queues only for moments, as when many datagrams come at once. Returns 0 or -ENOMEM.
 */
int overloads_find(struct verdict *verdict, const struct report *report,
		   const struct late_seconds *seconds);

#endif
