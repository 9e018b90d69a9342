/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups that may not use all CPUs, and how long they were throttled for that. Hosts that still
 * have version 1, as many with Kubernetes do, have the controller "cpu" there, with files of its
 * own.
 */
#ifndef NETSTACKLAT_CPU_LIMIT_H
#define NETSTACKLAT_CPU_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/host/cgroup.h"

struct cpu_limit {
	uint64_t id;		    /* of the cgroup, as its folder's inode number */
	const char *root;	    /* where they are mounted */
	char *path;		    /* below that */
	bool is_v1;		    /* its limit is in files of version 1 */
	char max[CGROUP_LINE_SIZE]; /* as in cpu.max: "20000 100000", in us, of each so many */
	uint64_t throttled_ns;
};

/* All that have one now. NULL with errno set. */
struct cpu_limits;
struct cpu_limits *cpu_limits_new(void);

/* The same, of those below a folder, which has the files of version 1 or 2. */
struct cpu_limits *cpu_limits_new_below(const char *root, bool is_v1);
void cpu_limits_free(struct cpu_limits *limits);

/* One of them, from 0 on; NULL behind the last one. */
const struct cpu_limit *cpu_limits_get(const struct cpu_limits *limits, size_t i);

/* The controller that tasks know their cgroup there by, see task_cgroup(). */
const char *cpu_limits_controller(const struct cpu_limits *limits);

/*
 * Finds the cgroup that was throttled longest since then, of a cgroup and all above it: its path
 * and limit, and for how long. NULL if none was. Valid until the next call.
 */
const struct cpu_limit *cpu_limits_since(struct cpu_limits *limits, const char *path);

#endif
