/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that do what takes more rights than a process may keep that others can reach. Each has
 * only the rights that its work takes.
 */
#ifndef NETSTACKLAT_HELPERS_H
#define NETSTACKLAT_HELPERS_H

#include <stdbool.h>

#include "lib/http/listen.h"
#include "lib/http/web_config.h"

enum helper_task {
	HELPER_NAMES,	   /* finds those of network namespaces and interfaces */
	HELPER_FACTS,	   /* finds those of network namespaces, for a diagnosis */
	HELPER_CONTAINERS, /* finds the names of containers */
	HELPER_PASSWORDS,  /* checks those of who asks for pages */
	HELPER_WEB_CONFIG, /* reads the file of --web.config.file again when it changes */
	HELPER_WRITER,	   /* writes reports to a file */
	HELPER_REMOVER,	   /* removes the file of a socket at the end */
	NR_HELPERS,
};

/* Everything that one of them has to know. Each process has it as it was at its start. */
struct helpers_config {
	const char *output; /* the file that reports go to */
	const struct web_config *web;
};

/*
 * Starts the helpers of a set, a bit each. Call it before anything is open that is not for them, as
 * they have that as well. Returns 0 or, after saying what failed, a negative errno.
 */
int helpers_start(unsigned int set, const struct helpers_config *config);

/*
 * Returns the socket by which a helper is asked: see the header of its work. -1: it was not
 * started.
 */
int helpers_socket(enum helper_task task);

/* Says which files of sockets are to be removed. */
void helpers_own_sockets(const struct listen_addresses *addresses);

/*
 * Ends all helpers, even if none was started. Sockets that have a file must stay open until then.
 */
void helpers_end(void);

#endif
