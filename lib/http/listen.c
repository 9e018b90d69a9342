// SPDX-License-Identifier: GPL-2.0
#include "lib/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/list.h"
#include "lib/base/log.h"

#define UNIX_PREFIX "unix:"

static bool parse_path(const char *path, struct listen_address *address)
{
	size_t length = strlen(path);

	if (!length || length >= sizeof(address->local.sun_path))
		return false;
	address->local.sun_family = AF_UNIX;
	memcpy(address->local.sun_path, path, length + 1);
	address->size = offsetof(struct sockaddr_un, sun_path) + length + 1;
	return true;
}

static bool set_ipv4(const char *host, uint16_t port, struct listen_address *address)
{
	address->ipv4.sin_family = AF_INET;
	address->ipv4.sin_port = htons(port);
	address->size = sizeof(address->ipv4);
	return inet_pton(AF_INET, host, &address->ipv4.sin_addr) == 1;
}

/* The address is in brackets, as in URLs. */
static bool set_ipv6(char *host, uint16_t port, struct listen_address *address)
{
	size_t length = strlen(host);

	if (host[length - 1] != ']')
		return false;
	host[length - 1] = '\0';
	address->ipv6.sin6_family = AF_INET6;
	address->ipv6.sin6_port = htons(port);
	address->size = sizeof(address->ipv6);
	return inet_pton(AF_INET6, host + 1, &address->ipv6.sin6_addr) == 1;
}

bool listen_parse(const char *text, struct listen_address *address)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + sizeof("[]")] = "127.0.0.1";
	uint64_t port;

	*address = (struct listen_address){ 0 };
	if (!strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)))
		return parse_path(text + strlen(UNIX_PREFIX), address);
	if (!list_number(colon ? colon + 1 : text, UINT16_MAX, &port))
		return false;
	if (colon && (size_t)(colon - text) >= sizeof(host))
		return false;
	if (colon)
		snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
	return *host == '[' ? set_ipv6(host, port, address) : set_ipv4(host, port, address);
}

const char *listen_text(const struct listen_address *address, char text[LISTEN_TEXT_SIZE])
{
	char host[INET6_ADDRSTRLEN];

	switch (address->any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &address->ipv4.sin_addr, host, sizeof(host));
		snprintf(text, LISTEN_TEXT_SIZE, "%s:%u", host, ntohs(address->ipv4.sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &address->ipv6.sin6_addr, host, sizeof(host));
		snprintf(text, LISTEN_TEXT_SIZE, "[%s]:%u", host, ntohs(address->ipv6.sin6_port));
		break;
	default:
		snprintf(text, LISTEN_TEXT_SIZE, UNIX_PREFIX "%s", address->local.sun_path);
	}
	return text;
}

bool listen_is_loopback(const struct listen_address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return ntohl(address->ipv4.sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&address->ipv6.sin6_addr);
	default:
		return false;
	}
}

bool listen_has_file(const struct listen_address *address)
{
	return address->any.sa_family == AF_UNIX;
}

/*
 * Removes the file of a process that was killed: it is there, but nobody listens. A server that has
 * no time for another client would keep this one waiting.
 */
static void remove_leftover(const struct listen_address *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat status;

	if (fd >= 0 && connect(fd, &address->any, address->size) && errno == ECONNREFUSED &&
	    !lstat(address->local.sun_path, &status) && S_ISSOCK(status.st_mode))
		unlink(address->local.sun_path);
	if (fd >= 0)
		close(fd);
}

/* Returns 0, or -1 with errno set. */
static int bind_and_listen(int fd, struct listen_address *address)
{
	struct stat status;
	const int on = 1;

	/* Connections of an earlier run may linger on. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, &address->any, address->size) || listen(fd, SOMAXCONN))
		return -1;
	if (listen_has_file(address) && !lstat(address->local.sun_path, &status)) {
		address->device = status.st_dev;
		address->inode = status.st_ino;
	}
	return getsockname(fd, &address->any, &address->size);
}

int listen_open(struct listen_address *address)
{
	char text[LISTEN_TEXT_SIZE];
	int fd, err;

	if (listen_has_file(address))
		remove_leftover(address);
	fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !bind_and_listen(fd, address))
		return fd;
	err = log_failure(-errno, "cannot listen at %s", listen_text(address, text));
	if (fd >= 0)
		close(fd);
	return err;
}

void listen_remove_file(const struct listen_address *address)
{
	struct stat status;

	if (listen_has_file(address) && !lstat(address->local.sun_path, &status) &&
	    status.st_dev == address->device && status.st_ino == address->inode)
		unlink(address->local.sun_path);
}
