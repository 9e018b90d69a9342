/* SPDX-License-Identifier: GPL-2.0 */
/* The owners of netlink sockets, which the kernel knows by their portids. */
#ifndef NETSTACKLAT_NETLINK_OWNERS_H
#define NETSTACKLAT_NETLINK_OWNERS_H

#include <stddef.h>
#include <stdint.h>

struct netlink_owner {
	uint64_t netns;
	uint32_t portid;
	uint32_t pid;
	char comm[17];
};

struct netlink_owners {
	struct netlink_owner *owners;
	size_t nr;
};

/* Adds one, which replaces the owner that had this portid before. Returns 0 or -ENOMEM. */
int netlink_owners_add(struct netlink_owners *owners, const struct netlink_owner *owner);
void netlink_owners_free(struct netlink_owners *owners);

/* NULL if it is not known. */
const struct netlink_owner *netlink_owners_find(const struct netlink_owners *owners, uint64_t netns,
						uint32_t portid);

#endif
