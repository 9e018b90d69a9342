/* SPDX-License-Identifier: GPL-2.0 */
/* The figures by which the groups of a hook can be ordered. */
#ifndef NETSTACKLAT_GROUP_ORDER_H
#define NETSTACKLAT_GROUP_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/tables/bucket.h"

struct group_order {
	const char *name; /* as users choose it: --sort=name */
	/* Weighs a group by its buckets: the heaviest groups come first. */
	uint64_t (*weight)(const struct bucket *buckets, size_t nr);
};

/* The first one is the default. */
#define NR_GROUP_ORDERS 3
extern const struct group_order group_orders[NR_GROUP_ORDERS];

/* NULL if there is none of that name. */
const struct group_order *group_order_find(const char *name);

#endif
