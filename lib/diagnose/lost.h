/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was lost: packets that this host dropped, and those that cards and network namespaces only
 * count. Each function adds it to a verdict, before that is explained, and returns 0 or -ENOMEM.
 */
#ifndef NETSTACKLAT_LOST_H
#define NETSTACKLAT_LOST_H

#include "lib/diagnose/verdict.h"
#include "lib/host/card.h"
#include "lib/host/netns_facts.h"

/* Adds what the report of its watch has. */
int lost_find(struct verdict *verdict, const struct report *report);

/*
 * Adds what a network card counted in the watch. The name of its namespace, or "inode/1", may be
 * any bytes, as that of the other may.
 */
int lost_add_card(struct verdict *verdict, const char *netns, const struct card *card);

/* Adds what a namespace counted in the watch. */
int lost_add_netns(struct verdict *verdict, const struct netns_losses *losses);

#endif
