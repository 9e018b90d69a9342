/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pure functions that say which probes can be used on this kernel, and what their programs are to
 * do.
 */
#ifndef NETSTACKLAT_SELECTION_H
#define NETSTACKLAT_SELECTION_H

#include <stdbool.h>

#include "lib/tables/plan.h"

struct selection {
	/* The kernel's functions: BTF ids of the probes' targets, 0 for none. */
	int targets[NR_PROBES];
	bool has_sk_storage; /* see kernel_has_tracing_sk_storage() */

	__u32 tasks[NR_PROBES]; /* TASK_*, of their programs; 0 for those that are not loaded */
	/* When they are attached, from 0 on: what remembers, after what reads or forgets that. */
	unsigned int turns[NR_PROBES];
};

/*
 * Selects the programs for that. What cannot be used is left out, with the reason in *left_out,
 * which may hold others already; if so, this is to be called again.
 */
void selection_make(struct selection *selection, const struct plan *plan,
		    struct left_out *left_out);

/* The verifier refuses the program of a probe: leaves out what it was asked for last. */
void selection_refuse(const struct selection *selection, enum probe probe,
		      struct left_out *left_out);

/*
 * Returns whether what was refused since changes what the others are to do: they may have to stand
 * in for it, and are to be loaded again.
 */
bool selection_has_changed(const struct selection *selection, const struct plan *plan,
			   struct left_out *left_out);

/* The program of a probe cannot be attached: leaves out all that it does. */
void selection_give_up(const struct selection *selection, enum probe probe, const char *why,
		       struct left_out *left_out);

/* Returns whether a probe was given up for which there is another, that is not selected yet. */
bool selection_lacks_fallback(const struct selection *selection, const struct left_out *left_out);

#endif
