/* SPDX-License-Identifier: GPL-2.0 */
/* Names that Kubernetes, Docker and Podman give to containers of this host. */
#ifndef NETSTACKLAT_CONTAINER_H
#define NETSTACKLAT_CONTAINER_H

#include <limits.h>

/* Hexadecimal digits of an id, and of what docker and crictl show of it. */
#define CONTAINER_ID_LENGTH 64
#define CONTAINER_SHORT_ID_LENGTH 12

/* The names as they were found, printable or not; empty where nobody tells. */
struct container_names {
	char pod[NAME_MAX + 1]; /* "NAMESPACE/NAME" */
	char name[NAME_MAX + 1];
};

/*
 * Looks for a container by its whole id: among the links to logs that the kubelet makes, and in
 * Docker's and root's Podman's files, which only root may read. All are believed only if nobody but
 * root can have made them. root is "", except in tests.
 */
void container_find_names(const char *root, const char *id, struct container_names *names);

/* Looks for it itself or, once it has a socket, asks there. */
void container_names_find(const char *id, struct container_names *names);
void container_names_ask_at(int socket);

/* Answers, in a process of its own, until nobody can ask any more. */
void container_names_serve(int socket);

#endif
