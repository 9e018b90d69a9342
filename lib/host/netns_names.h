/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of network namespaces and their interfaces, by the numbers that BPF programs know.
 * Finding them takes CAP_SYS_PTRACE and CAP_SYS_ADMIN, so a process of its own may do it for this
 * one.
 */
#ifndef NETSTACKLAT_NETNS_NAMES_H
#define NETSTACKLAT_NETNS_NAMES_H

#include "lib/host/netns.h"

/* Remembers where namespaces were found. NULL with errno set. */
struct netns_names;
struct netns_names *netns_names_new(void);
void netns_names_free(struct netns_names *names);

/* Call this when names may have changed. */
void netns_names_refresh(struct netns_names *names);

/* Call this soon after: it lets go of the namespaces that were looked into. */
void netns_names_release(struct netns_names *names);

struct netns_answer {
	bool found;		     /* false: the namespace is gone, and the rest is nothing */
	ino_t inode;		     /* of its file */
	char name[NETNS_NAME_SIZE];  /* empty for none */
	char interface[IF_NAMESIZE]; /* empty for none */
};

/*
 * Finds the current names of a namespace and of an interface in it (or 0). May search all
 * namespaces, once after each refresh.
 */
void netns_names_find(struct netns_names *names, uint64_t netns, uint32_t ifindex,
		      struct netns_answer *answer);

/* Answers what is asked at the other end of a socket, until that is closed. */
void netns_names_serve(int socket);

/*
 * Has a process at the other end of a socket answer all questions from now on; -1: this process
 * does so again.
 */
void netns_names_ask_at(int socket);

#endif
