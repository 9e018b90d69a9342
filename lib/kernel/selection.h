/* SPDX-License-Identifier: GPL-2.0 */
/* Which probes can be used on this kernel, and what their programs are to do. Pure functions. */
#ifndef NETSTACKLAT_SELECTION_H
#define NETSTACKLAT_SELECTION_H

#include <stdbool.h>

#include "lib/tables/plan.h"

struct selection {
	/* The kernel's functions: BTF ids of the probes' targets, 0 for none. */
	int targets[NR_PROBES];
	bool has_sk_storage; /* see kernel_has_tracing_sk_storage() */

	__u32 tasks[NR_PROBES]; /* TASK_*, of their programs; 0 for those that are not needed */
	/*
	 * The order in which they are attached, from 0 on: programs that remember come after those
	 * that read or forget that.
	 */
	unsigned int turns[NR_PROBES];
};

/*
 * Selects the programs for a plan. Hooks that cannot be used are left out, with the reason in
 * *left_out, which may already hold others; if there are new ones, call this again.
 */
void selection_make(struct selection *selection, const struct plan *plan,
		    struct left_out *left_out);

/*
 * Returns whether a probe's program is to be loaded: it has something to do, and no other program
 * does that, too.
 */
bool selection_loads(const __u32 tasks[NR_PROBES], enum probe probe);

/* The verifier refuses the program of a probe: leaves out the task that it was asked for last. */
void selection_refuse(const struct selection *selection, enum probe probe,
		      struct left_out *left_out);

/*
 * Returns whether refusals since then change what other programs are to do: they may have to stand
 * in for the refused one, and are loaded again.
 */
bool selection_has_changed(const struct selection *selection, const struct plan *plan,
			   struct left_out *left_out);

/* The program of a probe cannot be attached: leaves out all that it does. */
void selection_give_up(const struct selection *selection, enum probe probe, const char *why,
		       struct left_out *left_out);

/* Returns whether a probe was given up, and has a fallback that is not selected yet. */
bool selection_lacks_fallback(const struct selection *selection, const struct left_out *left_out);

#endif
