// SPDX-License-Identifier: GPL-2.0
#include "lib/filters/kind.h"
#include "lib/filters/netns_list.h"

static int add(const struct netns *netns, void *context)
{
	return filter_add_key(context, FILTER_NETNS, &netns->id);
}

static int find(const struct filter_lists *lists, struct filters *filters)
{
	return netns_list_for_each(lists->lists[FILTER_NETNS], add, filters);
}

static void set_only(const void *key, struct filter_values *values)
{
	values->netns = *(const __u64 *)key;
}

const struct filter_kind filter_by_netns = {
	.expected = "network namespaces, each as a name, a path, a process id, an inode number, "
		    "self or all",
	.find = find,
	.map = "filter_netns",
	.key_size = sizeof(__u64),
	.set_only = set_only,
};
