// SPDX-License-Identifier: GPL-2.0
#include "lib/host/cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tables/units.h"

struct cpu_limits {
	char root[PATH_MAX];
	bool is_v1;
	struct cpu_limit *limits;
	size_t nr;
	struct cpu_limit found;
};

/* False also for a cgroup without the controller. */
static bool read_max(const char *path, struct cpu_limit *limit)
{
	char quota[CGROUP_LINE_SIZE], period[CGROUP_LINE_SIZE];

	if (!limit->is_v1)
		return cgroup_read_line(limit->root, path, "cpu.max", limit->max) &&
		       strncmp(limit->max, "max", 3);
	return cgroup_read_line(limit->root, path, "cpu.cfs_quota_us", quota) && *quota != '-' &&
	       cgroup_read_line(limit->root, path, "cpu.cfs_period_us", period) &&
	       snprintf(limit->max, sizeof(limit->max), "%s %s", quota, period) <
		       (int)sizeof(limit->max);
}

/* Version 1 has it in ns. */
static uint64_t read_throttled_ns(const char *root, const char *path)
{
	FILE *file = cgroup_open_file(root, path, "cpu.stat");
	unsigned long long us = 0, ns = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "throttled_usec %llu", &us) == 1 ||
		    sscanf(line, "throttled_time %llu", &ns) == 1)
			break;
	if (file)
		fclose(file);
	return us * NS_PER_US + ns;
}

static bool add(uint64_t id, const char *path, void *context)
{
	struct cpu_limits *limits = context;
	struct cpu_limit limit = { .id = id, .root = limits->root, .is_v1 = limits->is_v1 };
	struct cpu_limit *all;

	if (!read_max(path, &limit))
		return true;
	limit.throttled_ns = read_throttled_ns(limits->root, path);
	limit.path = strdup(path);
	all = reallocarray(limits->limits, limits->nr + 1, sizeof(*all));
	if (all)
		limits->limits = all;
	if (!all || !limit.path) {
		free(limit.path);
		return false;
	}
	all[limits->nr++] = limit;
	return true;
}

struct cpu_limits *cpu_limits_new_below(const char *root, bool is_v1)
{
	struct cpu_limits *limits = calloc(1, sizeof(*limits));

	if (!limits)
		return NULL;
	snprintf(limits->root, sizeof(limits->root), "%s", root);
	limits->is_v1 = is_v1;
	/* Nothing is limited by cgroups if there are none of either version. */
	if (*root)
		cgroup_for_each_below(limits->root, add, limits);
	return limits;
}

struct cpu_limits *cpu_limits_new(void)
{
	char root[PATH_MAX];
	bool is_v1 = cgroup_v1_mount_point("cpu", root);

	return cpu_limits_new_below(is_v1 ? root : cgroup_mount_point(), is_v1);
}

void cpu_limits_free(struct cpu_limits *limits)
{
	if (!limits)
		return;
	for (size_t i = 0; i < limits->nr; i++)
		free(limits->limits[i].path);
	free(limits->limits);
	free(limits);
}

const struct cpu_limit *cpu_limits_get(const struct cpu_limits *limits, size_t i)
{
	return i < limits->nr ? &limits->limits[i] : NULL;
}

const char *cpu_limits_controller(const struct cpu_limits *limits)
{
	return limits->is_v1 ? "cpu" : "";
}

/* Returns whether a cgroup is another one, or above it. */
static bool is_above(const char *path, const char *below)
{
	size_t length = strlen(path);

	return !strncmp(path, below, length) && (!below[length] || below[length] == '/');
}

const struct cpu_limit *cpu_limits_since(struct cpu_limits *limits, const char *path)
{
	limits->found.throttled_ns = 0;
	for (size_t i = 0; i < limits->nr; i++) {
		const struct cpu_limit *limit = &limits->limits[i];
		uint64_t ns;

		if (!is_above(limit->path, path))
			continue;
		ns = read_throttled_ns(limits->root, limit->path);
		if (ns <= limit->throttled_ns + limits->found.throttled_ns)
			continue;
		ns -= limit->throttled_ns;
		limits->found = *limit;
		limits->found.throttled_ns = ns;
	}
	return limits->found.throttled_ns ? &limits->found : NULL;
}
