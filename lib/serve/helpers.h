/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes for what takes more rights than one may keep that others can reach, and that reads what
 * they name. Each has no more rights than its work takes.
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

/* All that any of them has to know, which each process has as it was when it was started. */
struct helpers_config {
	const char *output; /* the file that reports go to */
	const struct web_config *web;
};

/*
 * Starts those of a set, a bit each. To be called before anything is open that is not for them:
 * they have it as well. Returns 0 or, after saying what failed, a negative errno.
 */
int helpers_start(unsigned int set, const struct helpers_config *config);

/* Returns where it can be asked: see the headers of what each does. -1: it was not started. */
int helpers_socket(enum helper_task task);

/* Says which files of sockets are to be removed. */
void helpers_own_sockets(const struct listen_addresses *addresses);

/* Ends them all, also if none was started. Sockets with a file are to be open until then. */
void helpers_end(void);

#endif
