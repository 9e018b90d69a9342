/* SPDX-License-Identifier: GPL-2.0 */
/* Lists that the kernel gives by netlink, of the network namespace that this thread is in. */
#ifndef NETSTACKLAT_NETLINK_H
#define NETSTACKLAT_NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns whether this process may ask at all: a sandbox may leave out this family of sockets. */
bool netlink_is_allowed(void);

/*
 * Asks for all objects of a type, with a header of that type's family, and calls found() for each
 * message until the end. Returns 0 or a negative errno.
 */
int netlink_dump(int protocol, int type, const void *header, size_t size,
		 void (*found)(const struct nlmsghdr *message, void *context), void *context);

/* An attribute behind a message's header of so many bytes, or NULL. */
const struct rtattr *netlink_attribute(const struct nlmsghdr *message, size_t size, int type);

/* Copies a text, and cuts off what there is no room for. */
void netlink_copy_text(const struct rtattr *attribute, char *text, size_t size);

/* An attribute within another one, or NULL. */
const struct rtattr *netlink_nested(const struct rtattr *outer, int type);

#endif
