/* SPDX-License-Identifier: GPL-2.0 */
/* Network namespaces: finding them, how BPF programs know them, and the interfaces in them. */
#ifndef NETSTACKLAT_NETNS_H
#define NETSTACKLAT_NETNS_H

#include <linux/limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NETNS_NAME_SIZE (sizeof("docker/") + NAME_MAX)

/* A namespace without a name is called by its file's inode number, behind this. */
#define NETNS_NUMBER "inode/"

struct netns {
	uint64_t id;		    /* as packet_netns() has it in BPF */
	ino_t inode;		    /* of its file */
	char path[PATH_MAX];	    /* of a file that it can be opened by */
	char name[NETNS_NAME_SIZE]; /* of ip-netns(8), or docker's behind "docker/"; empty for none
				     */
};

/*
 * Returns whether the kernel tells the cookies of network namespaces: since Linux 5.14
 * (e8b9eab99232).
 */
bool netns_has_cookie(void);

/*
 * Lends a function that reads the random number (net_hash_mix()) of the namespace that the thread
 * is in, for kernels that do not tell cookies. Ids are made of that and of inode numbers, which
 * alone are used again. mix() returns 0 or a negative errno; NULL takes it back.
 */
void netns_lend_mix(int (*mix)(uint32_t *number));

/*
 * Calls found() for each network namespace that has a name or a process, each once, until it
 * returns false. *netns is on loan. Returns 0 or a negative errno: -E2BIG if there are more of
 * them, or of processes, than it looks at (look.h).
 */
int netns_for_each(bool (*found)(const struct netns *netns, void *context), void *context);

/*
 * Finds a namespace by what users call it: "self", a name, a path, a process id or an inode number.
 * Returns 0, or a negative errno: -ENOENT for none, -E2BIG as above.
 */
int netns_find(const char *text, struct netns *netns);

/*
 * Opens a socket in the namespace that is at a path now, to ask for its interfaces, and finds its
 * id. The namespace lives at least as long as the socket: close it soon. Returns a file descriptor
 * or a negative errno.
 */
int netns_open_socket(const char *path, uint64_t *id);

/* Finds the name of an interface in the namespace of a socket. Returns false if there is none. */
bool netns_interface_name(int socket, unsigned int ifindex, char name[IF_NAMESIZE]);

/* The index of an interface in it, by name or by index; 0 if there is none. */
unsigned int netns_interface_index(int socket, const char *text);

#endif
