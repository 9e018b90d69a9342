/* SPDX-License-Identifier: GPL-2.0 */
/* The static branches tell programs what to do; these are the answers. Pure functions. */
#ifndef NETSTACKLAT_BRANCHES_H
#define NETSTACKLAT_BRANCHES_H

#include "lib/kernel/selection.h"

/* Answers all questions except what the kernel has, for the programs of one object. */
void branches_find(bool on[NR_BRANCHES], const struct plan *plan,
		   const struct selection *selection);

/* Turns off what the programs of a hook are not asked to do. */
void branches_leave_out(bool on[NR_BRANCHES], const struct plan *plan, enum hook hook);

/* Returns whether programs note who had the CPU that a reader waited for. */
bool notes_others(const struct plan *plan);

#endif
