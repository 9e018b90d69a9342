/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups that use all memory that they may have, and how often the kernel killed processes for
 * memory.
 */
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
 * Finds where cgroups that limit memory are mounted. Returns the controller by which task_cgroup()
 * finds a task's cgroup there.
 */
const char *memory_limit_root(char root[PATH_MAX]);

/*
 * Finds the lowest cgroup that has nearly all memory that it may have: a cgroup below that root, or
 * one above it. To be freed with free(). NULL if there is none, or without memory.
 */
struct memory_limit *memory_limit_find(const char *root, const char *path);

/*
 * The number of processes that the kernel has killed since boot as memory was short (Linux 4.13).
 */
uint64_t memory_oom_kills(void);

#endif
