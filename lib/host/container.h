/* SPDX-License-Identifier: GPL-2.0 */
/* What those who start containers on this host call them. */
#ifndef NETSTACKLAT_CONTAINER_H
#define NETSTACKLAT_CONTAINER_H

#include <limits.h>

/* Hexadecimal digits of an id, and of what docker and crictl show of it. */
#define CONTAINER_ID_LENGTH 64
#define CONTAINER_SHORT_ID_LENGTH 12

/* As they were found, printable or not; empty where nobody tells. */
struct container_names {
	char pod[NAME_MAX + 1]; /* "NAMESPACE/NAME", of Kubernetes */
	char name[NAME_MAX + 1];
};

/*
 * Looks for a container by its whole id below a root, which is "" but for tests: in the kubelet's
 * links to logs, and in the states of Docker and Podman. Only root can have written what is
 * believed there; what cannot be read tells nothing.
 */
void container_find_names(const char *root, const char *id, struct container_names *names);

#endif
