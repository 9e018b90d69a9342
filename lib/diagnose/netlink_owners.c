// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/netlink_owners.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_at(const struct netlink_owner *owner, uint64_t netns, uint32_t portid)
{
	return owner->netns == netns && owner->portid == portid;
}

int netlink_owners_add(struct netlink_owners *owners, const struct netlink_owner *owner)
{
	struct netlink_owner *new;

	for (size_t i = 0; i < owners->nr; i++)
		if (is_at(&owners->owners[i], owner->netns, owner->portid)) {
			owners->owners[i] = *owner;
			return 0;
		}
	new = reallocarray(owners->owners, owners->nr + 1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	owners->owners = new;
	new[owners->nr++] = *owner;
	return 0;
}

void netlink_owners_free(struct netlink_owners *owners)
{
	free(owners->owners);
	*owners = (struct netlink_owners){ 0 };
}

const struct netlink_owner *netlink_owners_find(const struct netlink_owners *owners, uint64_t netns,
						uint32_t portid)
{
	for (size_t i = 0; i < owners->nr; i++)
		if (is_at(&owners->owners[i], netns, portid))
			return &owners->owners[i];
	return NULL;
}
