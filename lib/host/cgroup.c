// SPDX-License-Identifier: GPL-2.0
#include "lib/host/cgroup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/list.h"

/* include/linux/exportfs.h: the handle is the id. */
#define FILEID_KERNFS 0xfe

const char *cgroup_mount_point(void)
{
	static char path[PATH_MAX];
	struct mntent *mount;
	FILE *mounts;

	if (*path)
		return path;
	mounts = setmntent("/proc/self/mounts", "re");
	while (mounts && (mount = getmntent(mounts)))
		if (!*path && !strcmp(mount->mnt_type, "cgroup2"))
			snprintf(path, sizeof(path), "%s", mount->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return path;
}

static int check_level(const char *path)
{
	int level = 0;

	for (; *path; path++)
		level += *path == '/' && path[1];
	return level > MAX_CGROUP_LEVEL ? -ELOOP : 0;
}

/* On 64-bit machines, the inode number is the whole id (kernfs_ino()). */
static int id_of_folder(const char *path, uint64_t *id)
{
	const char *root = cgroup_mount_point();
	struct statfs file_system;
	struct stat status;
	char real[PATH_MAX];

	if (statfs(path, &file_system) || stat(path, &status))
		return -errno;
	if (file_system.f_type != CGROUP2_SUPER_MAGIC || !S_ISDIR(status.st_mode))
		return -EXDEV;
	*id = status.st_ino;
	if (!realpath(path, real))
		return -errno;
	return check_level(strncmp(real, root, strlen(root)) ? real : real + strlen(root));
}

int cgroup_find(const char *text, uint64_t *id)
{
	const char *root = cgroup_mount_point();
	char path[PATH_MAX + LIST_ELEMENT_SIZE + 1];
	int err;

	if (!*root)
		return -ENODEV;
	snprintf(path, sizeof(path), "%s/%s", root, text);
	err = *text ? id_of_folder(path, id) : -ENOENT;
	if (!err || err == -ELOOP)
		return err;
	if (list_number(text, UINT64_MAX, id))
		return cgroup_path(*id, path) ? check_level(path) : -ENOENT;
	return *text == '/' ? id_of_folder(text, id) : -ENOENT;
}

bool cgroup_path(uint64_t id, char path[PATH_MAX])
{
	const char *root = cgroup_mount_point();
	struct {
		struct file_handle handle;
		uint64_t id;
	} request = { { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS }, id };
	char link[64], full[PATH_MAX];
	int mount = *root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int fd = mount < 0 ? -1 : open_by_handle_at(mount, &request.handle, O_PATH | O_CLOEXEC);
	ssize_t length = -1;
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) && status.st_nlink) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, full, sizeof(full) - 1);
	}
	close(fd);
	close(mount);
	if (length < 0)
		return false;
	full[length] = '\0';
	if (strncmp(full, root, strlen(root)))
		return false;
	snprintf(path, PATH_MAX, "%s", full[strlen(root)] ? full + strlen(root) : "/");
	return true;
}

#define CONTAINER_ID_LENGTH 64
#define SHORT_ID_LENGTH 12

/* The id of a container in a folder's name: "docker-<id>.scope", "cri-containerd-<id>.scope",
 * "<id>" */
static const char *find_container_id(const char *name)
{
	size_t length = 0;

	for (; *name; name++) {
		length = isxdigit((unsigned char)*name) ? length + 1 : 0;
		if (length == CONTAINER_ID_LENGTH)
			return name + 1 - CONTAINER_ID_LENGTH;
	}
	return NULL;
}

static bool is_unit(const char *name, size_t length)
{
	static const char *const suffixes[] = { ".service", ".scope" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (length > suffix && !memcmp(name + length - suffix, suffixes[i], suffix))
			return true;
	}
	return false;
}

/* systemd's manager of a user, who may make any cgroup below it. */
static bool is_users(const char *folder)
{
	return !strncmp(folder, "user@", strlen("user@")) && is_unit(folder, strlen(folder));
}

/*
 * The deepest container, or else the first unit: systemd has none within another, so what is called
 * like one there was made by whoever the unit runs.
 */
const char *cgroup_role(const char *path, char value[CGROUP_ROLE_SIZE])
{
	const char *role = NULL;
	char folder[NAME_MAX + 1] = "";

	while (*path && !is_users(folder)) {
		const char *name = path + strspn(path, "/"), *id;
		size_t length = strcspn(name, "/");

		snprintf(folder, sizeof(folder), "%.*s", (int)length, name);
		id = find_container_id(folder);
		if (id) {
			snprintf(value, CGROUP_ROLE_SIZE, "%.*s", SHORT_ID_LENGTH, id);
			role = "container";
		} else if (!role && is_unit(folder, length)) {
			strcpy(value, folder);
			role = "unit";
		}
		path = name + length;
	}
	return role;
}
