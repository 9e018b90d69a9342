/* SPDX-License-Identifier: GPL-2.0 */
/* The place to listen at: an address and a port, or a path. */
#ifndef NETSTACKLAT_LISTEN_H
#define NETSTACKLAT_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct listen_address {
	socklen_t size; /* 0: nowhere */
	bool is_passed; /* by systemd; what is there is known once it is opened */
	dev_t device;	/* of the file of a path, and its number, once that is listened at */
	ino_t inode;
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
		struct sockaddr_un local;
	};
};

#define MAX_LISTEN_ADDRESSES 4
struct listen_addresses {
	struct listen_address list[MAX_LISTEN_ADDRESSES];
	unsigned int nr;
};

/*
 * Reads "PORT", "ADDRESS:PORT", "[IPV6]:PORT", "unix:PATH" or, for a socket that systemd passes,
 * "systemd". Only this host can reach a port without an address. Returns false for anything else,
 * names of hosts included.
 */
bool listen_parse(const char *text, struct listen_address *address);

/* "127.0.0.1:9719", "[::1]:9435" or "unix:/run/netstacklat.sock" */
#define LISTEN_TEXT_SIZE (sizeof(struct sockaddr_un) + sizeof("unix:"))
const char *listen_text(const struct listen_address *address, char text[LISTEN_TEXT_SIZE]);

/* Returns whether only this host can reach it, at a port. */
bool listen_is_loopback(const struct listen_address *address);

/* Returns whether any is a path, at which a file is left. */
bool listen_has_file(const struct listen_addresses *addresses);

/*
 * Opens a socket that listens there, and replaces one at which nobody listens any more; or takes
 * the socket that is passed (sd_listen_fds(3)). For port 0, and for a socket that is passed,
 * *address gets the real one. Returns the socket or, after saying what failed, a negative errno.
 */
int listen_open(struct listen_address *address);

/*
 * Removes the sockets' files, if any, unless they are somebody else's by now. Call it before the
 * sockets are closed: until then, no other file has the same number.
 */
void listen_remove_files(const struct listen_addresses *addresses);

#endif
