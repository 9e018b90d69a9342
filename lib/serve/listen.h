/* SPDX-License-Identifier: GPL-2.0 */
/* Where to listen: an address and a port, or a path. */
#ifndef NETSTACKLAT_LISTEN_H
#define NETSTACKLAT_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

struct listen_address {
	socklen_t size; /* 0: nowhere */
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
		struct sockaddr_un local;
	};
};

/*
 * Reads "PORT", "ADDRESS:PORT", "[IPV6]:PORT" or "unix:PATH". Without an address, only this host
 * can reach the port. Returns false for anything else, names of hosts included.
 */
bool listen_parse(const char *text, struct listen_address *address);

/* "127.0.0.1:9719", "[::1]:9435" or "unix:/run/netstacklat.sock" */
#define LISTEN_TEXT_SIZE (sizeof(struct sockaddr_un) + sizeof("unix:"))
const char *listen_text(const struct listen_address *address, char text[LISTEN_TEXT_SIZE]);

/* That of its file, or NULL if it has none. */
const char *listen_path(const struct listen_address *address);

/*
 * Opens a socket that listens there, in place of one that nobody listens at any more. For port 0,
 * *address then has the one that the kernel chose. Returns the socket or, after saying what failed,
 * a negative errno.
 */
int listen_open(struct listen_address *address);

/* Closes it, and removes what it left in the file system. */
void listen_close(const struct listen_address *address, int fd);

#endif
