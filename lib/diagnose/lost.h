/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Losses: packets that this host dropped, and those that cards and network namespaces only count.
 * Each function adds some to a verdict before that is explained, and returns 0 or -ENOMEM.
 */
#ifndef NETSTACKLAT_LOST_H
#define NETSTACKLAT_LOST_H

#include "lib/diagnose/verdict.h"
#include "lib/host/card.h"
#include "lib/host/netns_facts.h"

/* Adds what the report of its watch has. */
int lost_find(struct verdict *verdict, const struct report *report);

/*
 * Adds what a network card counted in the watch. Both names, of its namespace ("inode/1" if it has
 * none) and its own, may be any bytes.
 */
int lost_add_card(struct verdict *verdict, const char *netns, const struct card *card);

/* Adds what a namespace counted in the watch. */
int lost_add_netns(struct verdict *verdict, const struct netns_losses *losses);

#endif
