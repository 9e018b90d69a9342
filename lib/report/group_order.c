// SPDX-License-Identifier: GPL-2.0
#include "lib/report/group_order.h"

#include <string.h>

#include "lib/counts/histogram.h"

/* Bounds of buckets rise with their numbers. */
static uint64_t p99_bucket(const struct bucket *buckets, size_t nr)
{
	return buckets_quantile(buckets, nr, 990);
}

const struct group_order group_orders[NR_GROUP_ORDERS] = {
	{ "count", buckets_count },
	{ "sum", buckets_sum_ns },
	{ "p99", p99_bucket },
};

const struct group_order *group_order_find(const char *name)
{
	for (int i = 0; i < NR_GROUP_ORDERS; i++)
		if (!strcmp(group_orders[i].name, name))
			return &group_orders[i];
	return NULL;
}
