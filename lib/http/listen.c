// SPDX-License-Identifier: GPL-2.0
#include "lib/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/list.h"
#include "lib/base/log.h"

#define UNIX_PREFIX "unix:"
#define PASSED "systemd"

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
	if (!strcmp(text, PASSED)) {
		address->is_passed = true;
		address->size = sizeof(address->any);
		return true;
	}
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
	case AF_UNIX:
		snprintf(text, LISTEN_TEXT_SIZE, UNIX_PREFIX "%s", address->local.sun_path);
		break;
	default:
		snprintf(text, LISTEN_TEXT_SIZE, PASSED);
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

/* The file of a socket that is passed is systemd's. */
static bool has_file(const struct listen_address *address)
{
	return address->any.sa_family == AF_UNIX && !address->is_passed;
}

bool listen_has_file(const struct listen_addresses *addresses)
{
	unsigned int i = 0;

	while (i < addresses->nr && !has_file(&addresses->list[i]))
		i++;
	return i < addresses->nr;
}

/*
 * Removes the file that a killed process left: it is there, but nobody listens. The socket does not
 * block: a server that has no time for another client would keep it waiting.
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
	if (has_file(address) && !lstat(address->local.sun_path, &status)) {
		address->device = status.st_dev;
		address->inode = status.st_ino;
	}
	return getsockname(fd, &address->any, &address->size);
}

/* sd_listen_fds(3) says that this is the first descriptor that is passed. */
#define FIRST_PASSED 3

/* Returns how many sockets are passed to this process, and takes them out of the environment. */
static uint64_t count_passed(void)
{
	const char *pid_text = getenv("LISTEN_PID"), *nr_text = getenv("LISTEN_FDS");
	uint64_t pid = 0, nr = 0;

	if (!pid_text || !nr_text || !list_number(pid_text, INT32_MAX, &pid) ||
	    !list_number(nr_text, INT32_MAX, &nr) || pid != (uint64_t)getpid())
		nr = 0;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return nr;
}

static bool is_listening(int fd)
{
	int type = 0, listens = 0;
	socklen_t size = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM &&
	       !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) && listens;
}

static int take_passed(struct listen_address *address)
{
	uint64_t nr = count_passed();
	int fd = FIRST_PASSED;

	address->size = sizeof(address->local);
	if (nr != 1 || !is_listening(fd) || getsockname(fd, &address->any, &address->size)) {
		log_error("cannot listen at the socket of systemd: it passed %" PRIu64 " sockets, "
			  "not one that listens, as contrib/netstacklat.socket does",
			  nr);
		return -EINVAL;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK))
		return log_failure(-errno, "cannot listen at the socket of systemd");
	return fd;
}

int listen_open(struct listen_address *address)
{
	char text[LISTEN_TEXT_SIZE];
	int fd, err;

	if (address->is_passed)
		return take_passed(address);
	if (has_file(address))
		remove_leftover(address);
	fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !bind_and_listen(fd, address))
		return fd;
	err = log_failure(-errno, "cannot listen at %s", listen_text(address, text));
	if (fd >= 0)
		close(fd);
	return err;
}

static void remove_file(const struct listen_address *address)
{
	struct stat status;

	if (has_file(address) && !lstat(address->local.sun_path, &status) &&
	    status.st_dev == address->device && status.st_ino == address->inode)
		unlink(address->local.sun_path);
}

void listen_remove_files(const struct listen_addresses *addresses)
{
	for (unsigned int i = 0; i < addresses->nr; i++)
		remove_file(&addresses->list[i]);
}
