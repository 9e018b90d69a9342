/* SPDX-License-Identifier: GPL-2.0 */
/* A tree of tsearch(3) of which each element was allocated as a whole. */
#ifndef NETSTACKLAT_FIND_OR_ADD_H
#define NETSTACKLAT_FIND_OR_ADD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the element of the tree that compares equal to this one, or else a copy of its so many
 * bytes, which is now in the tree; *is_new says which. Returns NULL without memory. The tree owns
 * its elements: tdestroy() them with free(), or with what frees their members, too.
 */
void *find_or_add(void **tree, const void *element, size_t size,
		  int (*compare)(const void *a, const void *b), bool *is_new);

#endif
