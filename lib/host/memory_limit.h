/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups that have as much memory as they may, and what the kernel does where nothing helps. */
#ifndef NETSTACKLAT_MEMORY_LIMIT_H
#define NETSTACKLAT_MEMORY_LIMIT_H

#include <stdint.h>

#include "lib/host/cgroup.h"

struct memory_limit {
	struct memory_limit *next;    /* for a list of the caller's; NULL */
	uint64_t id;		      /* of the cgroup, as its folder's inode number */
	char root[PATH_MAX];	      /* where they are mounted */
	char path[PATH_MAX];	      /* below that */
	const char *file;	      /* that has the limit: "memory.max" */
	char bytes[CGROUP_LINE_SIZE]; /* in it */
};

/*
 * Finds where cgroups are mounted that limit memory. Returns the controller that tasks know their
 * cgroup there by, see task_cgroup().
 */
const char *memory_limit_root(char root[PATH_MAX]);

/*
 * Finds the lowest that has all memory that it may have, or nearly, of a cgroup below that root and
 * all above it; to be freed with free(). NULL if none has, or without memory to tell.
 */
struct memory_limit *memory_limit_find(const char *root, const char *path);

/* The number of processes that the kernel killed, as memory was short, since boot (Linux 4.13). */
uint64_t memory_oom_kills(void);

#endif
