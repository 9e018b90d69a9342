/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of the kernel in which tasks let packets wait. */
#ifndef NETSTACKLAT_DIAGNOSE_STACKS_H
#define NETSTACKLAT_DIAGNOSE_STACKS_H

#include <stdint.h>
#include <stdio.h>

#include "lib/tables/stack.h"

struct named_stack {
	struct stack_key key; /* its number is of no use any more */
	struct stack_wait wait;
	char *frames[NR_FRAMES]; /* the innermost first; NULL behind the outermost */
};

struct named_stacks {
	struct named_stack *stacks;
	size_t nr;
};

/* Frees the frames of one that was not added. */
void named_stack_free_frames(const struct named_stack *stack);

/*
 * Adds a stack, which takes over its frames. Stacks of the same task, for the same purpose and with
 * the same names, become one. Returns 0 or -ENOMEM; the frames are freed then.
 */
int named_stacks_add(struct named_stacks *stacks, const struct named_stack *stack);

/* Puts those first that let others wait for longest. */
void named_stacks_sort(struct named_stacks *stacks);
void named_stacks_free(struct named_stacks *stacks);

/*
 * Returns the first stack in which a task let packets wait at a port (0: at any), or the one behind
 * another; or NULL.
 */
const struct named_stack *named_stacks_next(const struct named_stacks *stacks, enum stack_of of,
					    uint32_t pid, uint16_t port,
					    const struct named_stack *previous);

/*
 * Prints all of them in the form that flame graphs are drawn from. A line has the task's name, what
 * waited, the frames from the outermost on, and the total ns.
 */
void named_stacks_print_collapsed(FILE *out, const struct named_stacks *stacks);

#endif
