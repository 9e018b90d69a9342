/* SPDX-License-Identifier: GPL-2.0 */
/* --check: what this host can do, and what to do about what it cannot. */
#ifndef NETSTACKLAT_CHECK_H
#define NETSTACKLAT_CHECK_H

#include "lib/confine/privileges.h"
#include "lib/kernel/loader.h"

/*
 * Prints on stdout what a run with this configuration would need and find here, right by right (a
 * bit each) and hook by hook: it attaches the programs for a moment. Returns 0, -ENOTSUP if such a
 * run could measure nothing, or another negative errno.
 */
int check(const struct plan *plan, unsigned int rights_needed);

#endif
