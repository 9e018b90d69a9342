// SPDX-License-Identifier: GPL-2.0
#include "lib/host/cpu_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/cgroup.h"
#include "lib/tables/units.h"

struct cpu_limits {
	struct cpu_limit *limits;
	size_t nr;
	struct cpu_limit found;
};

/* False also for a cgroup without the controller. */
static bool read_max(const char *cgroup, char max[64])
{
	FILE *file = cgroup_open_file(cgroup, "cpu.max");
	bool is_limited = file && fgets(max, 64, file) && strncmp(max, "max", 3);

	if (file)
		fclose(file);
	if (is_limited)
		max[strcspn(max, "\n")] = '\0';
	return is_limited;
}

static uint64_t read_throttled_ns(const char *cgroup)
{
	FILE *file = cgroup_open_file(cgroup, "cpu.stat");
	unsigned long long us = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "throttled_usec %llu", &us) == 1)
			break;
	if (file)
		fclose(file);
	return us * NS_PER_US;
}

static bool add(uint64_t id, const char *path, void *context)
{
	struct cpu_limits *limits = context;
	struct cpu_limit limit, *all;

	limit.id = id;
	if (!read_max(path, limit.max))
		return true;
	limit.throttled_ns = read_throttled_ns(path);
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

struct cpu_limits *cpu_limits_new(void)
{
	struct cpu_limits *limits = calloc(1, sizeof(*limits));

	/* Nothing is limited by cgroups if there is no cgroup v2. */
	if (limits)
		cgroup_for_each(add, limits);
	return limits;
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
		ns = read_throttled_ns(limit->path);
		if (ns <= limit->throttled_ns + limits->found.throttled_ns)
			continue;
		ns -= limit->throttled_ns;
		limits->found = *limit;
		limits->found.throttled_ns = ns;
	}
	return limits->found.throttled_ns ? &limits->found : NULL;
}
