/* SPDX-License-Identifier: GPL-2.0 */
/* Filters and keys that are asked of hooks that do not know them. */
#ifndef NETSTACKLAT_UNKNOWN_H
#define NETSTACKLAT_UNKNOWN_H

#include "lib/tables/plan.h"

/*
 * Leaves out hooks that do not know what is filtered by, so that reports do not mix filtered
 * numbers with others, and says so: a line for each filter. It does not mention drops between
 * hooks, which nobody asked for.
 */
void leave_out_unknown(struct plan *plan);

/* Says, in one line, by what not all hooks can be grouped; with -v, which ones. */
void tell_ungrouped(const struct plan *plan);

#endif
