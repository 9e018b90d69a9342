/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups that may not use all CPUs, and how long they were throttled for that. */
#ifndef NETSTACKLAT_CPU_LIMIT_H
#define NETSTACKLAT_CPU_LIMIT_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_limit {
	uint64_t id;  /* of the cgroup, as its folder's inode number */
	char *path;   /* below the mount point of cgroup v2 */
	char max[64]; /* what cpu.max says: "20000 100000" */
	uint64_t throttled_ns;
};

/* All that have one now. NULL with errno set. */
struct cpu_limits;
struct cpu_limits *cpu_limits_new(void);
void cpu_limits_free(struct cpu_limits *limits);

/* One of them, from 0 on; NULL behind the last one. */
const struct cpu_limit *cpu_limits_get(const struct cpu_limits *limits, size_t i);

/*
 * Finds the one that was throttled longest since then, of a cgroup and all above it: its path and
 * limit, and for how long. NULL if none was. Valid until the next call.
 */
const struct cpu_limit *cpu_limits_since(struct cpu_limits *limits, const char *path);

#endif
