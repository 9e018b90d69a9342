// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netlink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel makes them as large. */
#define DUMP_SIZE 32768

/*
 * Each dump has a socket of its own, so one sequence number tells its answers from anything else.
 */
#define SEQUENCE 1

bool netlink_is_allowed(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int ask(int fd, int type, const void *header, size_t size)
{
	struct {
		struct nlmsghdr message;
		char header[64];
	} request = { .message = {
			      .nlmsg_len = NLMSG_LENGTH(size),
			      .nlmsg_type = type,
			      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			      .nlmsg_seq = SEQUENCE,
		      } };

	if (size > sizeof(request.header))
		return -EINVAL;
	memcpy(NLMSG_DATA(&request.message), header, size);
	return send(fd, &request, request.message.nlmsg_len, 0) < 0 ? -errno : 0;
}

/*
 * Takes only messages from the kernel, whose port is 0: root of a namespace can send to other ports
 * there. Returns the size or a negative errno.
 */
static ssize_t receive(int fd, void *buffer, size_t size)
{
	struct sockaddr_nl sender = { .nl_pid = ~0U };
	socklen_t length = sizeof(sender);
	ssize_t received;

	do
		received = recvfrom(fd, buffer, size, 0, (struct sockaddr *)&sender, &length);
	while (received > 0 && sender.nl_pid);
	if (!received)
		return -EIO;
	return received < 0 ? -errno : received;
}

static bool has_room(const struct nlmsghdr *message, size_t size)
{
	return message->nlmsg_len >= NLMSG_LENGTH(size);
}

static int error_of(const struct nlmsghdr *message)
{
	const struct nlmsgerr *error = NLMSG_DATA(message);

	return has_room(message, sizeof(*error)) && error->error < 0 ? error->error : -EIO;
}

/* Messages that were asked for have a header of so many bytes. Returns 1 at the end. */
static int read_some(int fd, size_t header_size,
		     void (*found)(const struct nlmsghdr *message, void *context), void *context)
{
	static char buffer[DUMP_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t size = receive(fd, buffer, sizeof(buffer));
	struct nlmsghdr *message = (struct nlmsghdr *)buffer;

	if (size < 0)
		return (int)size;
	for (; NLMSG_OK(message, size); message = NLMSG_NEXT(message, size)) {
		if (message->nlmsg_seq != SEQUENCE)
			continue;
		if (message->nlmsg_type == NLMSG_DONE)
			return 1;
		if (message->nlmsg_type == NLMSG_ERROR)
			return error_of(message);
		if (has_room(message, header_size))
			found(message, context);
	}
	return 0;
}

int netlink_dump(int protocol, int type, const void *header, size_t size,
		 void (*found)(const struct nlmsghdr *message, void *context), void *context)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int err = fd < 0 ? -errno : ask(fd, type, header, size);

	while (!err)
		err = read_some(fd, size, found, context);
	if (fd >= 0)
		close(fd);
	return err > 0 ? 0 : err;
}

static const struct rtattr *find(const struct rtattr *attribute, int left, int type)
{
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if ((attribute->rta_type & NLA_TYPE_MASK) == type)
			return attribute;
	return NULL;
}

const struct rtattr *netlink_attribute(const struct nlmsghdr *message, size_t size, int type)
{
	return find((const void *)((const char *)NLMSG_DATA(message) + NLMSG_ALIGN(size)),
		    (int)message->nlmsg_len - (int)NLMSG_SPACE(size), type);
}

const struct rtattr *netlink_nested(const struct rtattr *outer, int type)
{
	return find(RTA_DATA(outer), (int)RTA_PAYLOAD(outer), type);
}

void netlink_copy_text(const struct rtattr *attribute, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)RTA_PAYLOAD(attribute),
		 (const char *)RTA_DATA(attribute));
}
