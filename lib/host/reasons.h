/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the kernel's reasons to drop a packet. */
#ifndef NETSTACKLAT_REASONS_H
#define NETSTACKLAT_REASONS_H

#include <stdbool.h>
#include <stdint.h>

/* Names by number, as they are in struct group_key. */
struct reason_names;

/*
 * Begins with none; NULL with errno set. If the kernel tells where it drops packets instead of why,
 * the name is the symbol there, by a list such as /proc/kallsyms, or else "unknown". The list is
 * opened now: later, the kernel may no longer show us addresses.
 */
struct reason_names *reason_names_new(const char *symbols);
void reason_names_free(struct reason_names *names);

/* Returns whether they are symbols. */
bool reason_names_are_symbols(const struct reason_names *names);

/*
 * Gives a number a name as in the kernel's source: SKB_DROP_REASON_, which the kernel's own
 * messages leave out, is left out here, too, and so are leading underscores. The first name stays.
 * A name that is empty, or too long to print, is none. Returns 0 or -ENOMEM.
 */
int reason_names_add(struct reason_names *names, uint32_t number, const char *name);

/* NULL if it has none, which also holds of all reasons if names is NULL. */
const char *reason_names_find(struct reason_names *names, uint32_t number);

#endif
