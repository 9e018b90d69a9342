// SPDX-License-Identifier: GPL-2.0
/* The names of cgroups: a line each for the folders of a hierarchy, as they are read. */
#include "tests/fuzz/folders.h"

#include <linux/magic.h>
#include <mntent.h>
#include <sys/vfs.h>

#include "lib/base/printable.h"
#include "lib/host/cgroup.h"

/* A hierarchy, wherever there is none. */
int __wrap_statfs(const char *path, struct statfs *status);
int __wrap_statfs(const char *path, struct statfs *status)
{
	(void)path;
	*status = (struct statfs){ .f_type = CGROUP2_SUPER_MAGIC };
	return 0;
}

FILE *__wrap_setmntent(const char *path, const char *mode);
FILE *__wrap_setmntent(const char *path, const char *mode)
{
	static char mounts[] = "cgroup2 / cgroup2 rw 0 0\n";

	(void)path, (void)mode;
	return fmemopen(mounts, strlen(mounts), "r");
}

int __wrap_dirfd(DIR *dir);
int __wrap_dirfd(DIR *dir)
{
	(void)dir;
	return -1;
}

/* Every other one has nothing in it. */
int __wrap_fstatat(int folder, const char *name, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *name, struct stat *status, int flags)
{
	(void)folder, (void)flags;
	*status = (struct stat){ .st_nlink = 2 + strlen(name) % 2 };
	return 0;
}

static bool is_roots(const char *path, size_t length)
{
	(void)path;
	return length % 8;
}

/* Each is given once. */
static bool found(uint64_t id, const char *path, void *context)
{
	char role[CGROUP_ROLE_SIZE], *printable = printable_dup(path);
	unsigned int *nr = context;

	(void)id;
	require(*path == '/' && strlen(path) < 2 * PATH_MAX);
	require_printable(printable ? printable : "");
	if (cgroup_role(path, is_roots, role)) {
		require(*role && strlen(role) < sizeof(role));
		require(strstr(path, role));
	}
	free(printable);
	return ++*nr < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char path[PATH_MAX] = "";
	unsigned int nr = 0;
	uint64_t id;

	folders = &input;
	require(!cgroup_for_each(found, &nr));
	input = (struct input){ data, size };
	if (cgroup_path(3, path))
		require(*path == '/' && strlen(path) < sizeof(path));
	folders = NULL;
	cgroup_find(path, &id);
	return 0;
}
