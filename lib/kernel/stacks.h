/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads in which functions of the kernel tasks let packets wait, from maps that the caller keeps
 * open.
 */
#ifndef NETSTACKLAT_KERNEL_STACKS_H
#define NETSTACKLAT_KERNEL_STACKS_H

#include <stddef.h>

#include "lib/tables/stack.h"

/* File descriptors; negative if these are not kept. */
struct stack_maps {
	int stacks, waits;
};

struct stack_count {
	struct stack_key key;
	struct stack_wait wait;
	struct stack stack; /* no frames if none was taken, or if others took its place */
};

/*
 * Reads all stacks, for the caller to free, and removes them from the maps. Returns 0 or a negative
 * errno.
 */
int stacks_take(const struct stack_maps *maps, struct stack_count **list, size_t *nr);

#endif
