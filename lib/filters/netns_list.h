/* SPDX-License-Identifier: GPL-2.0 */
/* Network namespaces as users list them. */
#ifndef NETSTACKLAT_NETNS_LIST_H
#define NETSTACKLAT_NETNS_LIST_H

#include <stdbool.h>

#include "lib/host/netns.h"

/* Returns whether the list (NULL for none) asks for all there are. */
bool netns_list_has_all(const char *list);

/* Returns whether it asks for our own only. */
bool netns_list_is_own(const char *list);

/*
 * Calls found() for each namespace of the list, for some maybe more than once. found() returns 0
 * or, to end, a negative errno. Returns that, or says which namespace is not there and returns a
 * negative errno.
 */
int netns_list_for_each(const char *list, int (*found)(const struct netns *netns, void *context),
			void *context);

#endif
