// SPDX-License-Identifier: GPL-2.0
#include "lib/host/memory_limit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/host/file_number.h"

/*
 * The files of a cgroup, by its version. Beyond the first limit, its tasks are already slowed down.
 */
static const struct {
	const char *limit, *usage;
} files[] = {
	{ "memory.high", "memory.current" },
	{ "memory.max", "memory.current" },
	{ "memory.limit_in_bytes", "memory.usage_in_bytes" },
};

const char *memory_limit_root(char root[PATH_MAX])
{
	if (cgroup_v1_mount_point("memory", root))
		return "memory";
	snprintf(root, PATH_MAX, "%s", cgroup_mount_point());
	return "";
}

/* The kernel frees more than it needs at a time, and the task may have freed some, too. */
static bool is_reached(const char *limit, const char *usage)
{
	uint64_t most = strtoull(limit, NULL, 10);

	/* "max" is none. */
	return isdigit((unsigned char)*limit) && strtoull(usage, NULL, 10) >= most - most / 8;
}

/* Looks at one cgroup, and fills in which of its limits it has reached. */
static bool has_reached_any(struct memory_limit *limit)
{
	char usage[CGROUP_LINE_SIZE];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		limit->file = files[i].limit;
		if (cgroup_read_line(limit->root, limit->path, files[i].limit, limit->bytes) &&
		    cgroup_read_line(limit->root, limit->path, files[i].usage, usage) &&
		    is_reached(limit->bytes, usage))
			return true;
	}
	return false;
}

static uint64_t folder_id(const struct memory_limit *limit)
{
	char folder[2 * PATH_MAX];
	struct stat status;

	snprintf(folder, sizeof(folder), "%s%s", limit->root, limit->path);
	return stat(folder, &status) ? 0 : status.st_ino;
}

/* Goes from a cgroup to the one that it is in. */
static void go_up(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

uint64_t memory_oom_kills(void)
{
	return file_named_number("/proc/vmstat", "oom_kill ");
}

struct memory_limit *memory_limit_find(const char *root, const char *path)
{
	struct memory_limit *limit = calloc(1, sizeof(*limit));

	if (!limit)
		return NULL;
	snprintf(limit->root, sizeof(limit->root), "%s", root);
	snprintf(limit->path, sizeof(limit->path), "%s", path);
	while (*limit->path && !has_reached_any(limit))
		go_up(limit->path);
	if (*limit->path) {
		limit->id = folder_id(limit);
		return limit;
	}
	free(limit);
	return NULL;
}
