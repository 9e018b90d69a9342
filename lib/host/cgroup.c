// SPDX-License-Identifier: GPL-2.0
#include "lib/host/cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/host/container.h"
#include "lib/host/look.h"

/* Empty before it is looked for. */
static char mount_point[PATH_MAX];

/* Returns the first mount of a type, with an option if one is asked for; or an empty string. */
static void find_mount(const char *type, const char *option, char path[PATH_MAX])
{
	struct mntent *mount;
	FILE *mounts = setmntent("/proc/self/mounts", "re");

	*path = '\0';
	while (mounts && !*path && (mount = getmntent(mounts)))
		if (!strcmp(mount->mnt_type, type) && (!option || hasmntopt(mount, option)))
			snprintf(path, PATH_MAX, "%s", mount->mnt_dir);
	if (mounts)
		endmntent(mounts);
}

const char *cgroup_mount_point(void)
{
	if (!*mount_point)
		find_mount("cgroup2", NULL, mount_point);
	return mount_point;
}

bool cgroup_v1_mount_point(const char *controller, char path[PATH_MAX])
{
	find_mount("cgroup", controller, path);
	return *path;
}

int cgroup_use_mount(const char *path)
{
	struct statfs file_system;

	if (statfs(path, &file_system) || !realpath(path, mount_point))
		return log_failure(-errno, "cannot look for cgroups at '%s'", path);
	if (file_system.f_type == CGROUP2_SUPER_MAGIC)
		return 0;
	log_error("no cgroups (v2) are mounted at '%s': mount shows where they are", path);
	return -ENODEV;
}

static int check_level(const char *path)
{
	int level = 0;

	for (; *path; path++)
		level += *path == '/' && path[1];
	return level > MAX_CGROUP_LEVEL ? -ELOOP : 0;
}

/* The inode number is the whole id on 64-bit machines (kernfs_ino()). */
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

/*
 * A folder that is still to be read, or one above such a folder. Users may make any number of
 * cgroups with long paths, so no path is kept as a whole.
 */
struct folder {
	struct folder *next; /* that is to be read */
	struct folder *parent;
	unsigned int users; /* of this: those below, and whoever reads it */
	char name[];
};

struct walk {
	const char *root;
	char path[2 * PATH_MAX]; /* of what is looked at, from the root on */
	struct folder *pending;
	struct look look;
	bool (*found)(uint64_t id, const char *path, void *context);
	void *context;
};

#define WALK_END 1

static void release(struct folder *folder)
{
	while (folder && !--folder->users) {
		struct folder *parent = folder->parent;

		free(folder);
		folder = parent;
	}
}

/*
 * Writes the path from its end on, as a folder only knows its parent. Returns the path's length, or
 * PATH_MAX if it is too long.
 */
static size_t write_path(struct walk *walk, const struct folder *folder)
{
	char *end = walk->path + sizeof(walk->path) - 1, *begin = end;
	size_t root = strlen(walk->root);

	*end = '\0';
	for (; folder; folder = folder->parent) {
		size_t length = strlen(folder->name);

		if ((size_t)(end - begin) + strlen("/") + length + root >= PATH_MAX)
			return PATH_MAX;
		begin = memcpy(begin - length, folder->name, length);
		*--begin = '/';
	}
	begin = memcpy(begin - root, walk->root, root);
	memmove(walk->path, begin, end - begin + 1);
	return end - begin;
}

static int add_pending(struct walk *walk, struct folder *parent, const char *name)
{
	struct folder *folder = malloc(sizeof(*folder) + strlen(name) + 1);

	if (!folder)
		return -ENOMEM;
	*folder = (struct folder){ walk->pending, parent, 1 };
	strcpy(folder->name, name);
	if (parent)
		parent->users++;
	walk->pending = folder;
	return 0;
}

/* A folder of kernfs has two links, and one for each folder in it. */
static bool is_leaf(DIR *parent, const char *name)
{
	struct stat status;

	return !fstatat(dirfd(parent), name, &status, AT_SYMLINK_NOFOLLOW) && status.st_nlink == 2;
}

/* Returns 0, WALK_END or a negative errno. */
static int look_at(struct walk *walk, struct folder *parent, DIR *dir, const struct dirent *entry)
{
	size_t length = strlen(walk->path);
	bool goes_on;

	if (look_has_ended(&walk->look))
		return -E2BIG;
	walk->look.nr++;
	snprintf(walk->path + length, sizeof(walk->path) - length, "/%s", entry->d_name);
	/* Its inode number is in the list already. */
	goes_on = walk->found(entry->d_ino, walk->path + strlen(walk->root), walk->context);
	walk->path[length] = '\0';
	if (!goes_on)
		return WALK_END;
	return is_leaf(dir, entry->d_name) ? 0 : add_pending(walk, parent, entry->d_name);
}

/* A folder counts as empty if it has gone, may not be read, or has a path too long to open. */
static int read_folder(struct walk *walk, struct folder *folder)
{
	struct dirent *entry;
	int result = 0;
	DIR *dir;

	if (write_path(walk, folder) >= PATH_MAX)
		return 0;
	dir = opendir(walk->path);
	if (!dir)
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	while (!result && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && *entry->d_name != '.')
			result = look_at(walk, folder, dir, entry);
	closedir(dir);
	return result;
}

/* This does not recurse, as users may nest cgroups deeper than there are file descriptors. */
static int walk_folders(struct walk *walk)
{
	int result = read_folder(walk, NULL);

	while (walk->pending) {
		struct folder *folder = walk->pending;

		walk->pending = folder->next;
		if (!result)
			result = read_folder(walk, folder);
		release(folder);
	}
	return result;
}

int cgroup_for_each_below(const char *root,
			  bool (*found)(uint64_t id, const char *path, void *context),
			  void *context)
{
	static struct walk walk;
	struct stat status;
	int result = 0;

	walk = (struct walk){
		.root = root, .look = look_begin(), .found = found, .context = context
	};
	snprintf(walk.path, sizeof(walk.path), "%s", root);
	if (stat(root, &status))
		return -errno;
	if (found(status.st_ino, "/", context))
		result = walk_folders(&walk);
	return result == WALK_END ? 0 : result;
}

int cgroup_for_each(bool (*found)(uint64_t id, const char *path, void *context), void *context)
{
	const char *root = cgroup_mount_point();

	return *root ? cgroup_for_each_below(root, found, context) : 0;
}

struct wanted {
	uint64_t id;
	char *path;
	bool found;
};

static bool is_other(uint64_t id, const char *path, void *context)
{
	struct wanted *wanted = context;

	if (id != wanted->id)
		return true;
	snprintf(wanted->path, PATH_MAX, "%s", path);
	wanted->found = true;
	return false;
}

bool cgroup_path(uint64_t id, char path[PATH_MAX])
{
	struct wanted wanted = { id, path, false };

	cgroup_for_each(is_other, &wanted);
	return wanted.found;
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

static bool is_unit(const char *name)
{
	static const char *const suffixes[] = { ".service", ".scope" };
	size_t length = strlen(name);

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
	return !strncmp(folder, "user@", strlen("user@")) && is_unit(folder);
}

bool cgroup_is_roots(const char *path, size_t length)
{
	char folder[2 * PATH_MAX];
	struct stat status;

	do {
		snprintf(folder, sizeof(folder), "%s%.*s", cgroup_mount_point(), (int)length, path);
		if (lstat(folder, &status) || status.st_uid)
			return false;
		while (length && path[--length] != '/')
			;
	} while (length);
	return true;
}

FILE *cgroup_open_file(const char *root, const char *path, const char *name)
{
	char file[2 * PATH_MAX];

	snprintf(file, sizeof(file), "%s%s/%s", root, path, name);
	return fopen(file, "re");
}

bool cgroup_read_line(const char *root, const char *path, const char *name,
		      char line[CGROUP_LINE_SIZE])
{
	FILE *file = cgroup_open_file(root, path, name);
	bool is_read = file && fgets(line, CGROUP_LINE_SIZE, file);

	if (file)
		fclose(file);
	if (is_read)
		line[strcspn(line, "\n")] = '\0';
	return is_read;
}

/* Linux 5.2 has the file (711f763cddb3). */
bool cgroup_is_frozen(const char *path)
{
	FILE *file = cgroup_open_file(cgroup_mount_point(), path, "cgroup.events");
	bool is_frozen = false;
	char line[64];

	while (file && !is_frozen && fgets(line, sizeof(line), file))
		is_frozen = !strcmp(line, "frozen 1\n");
	if (file)
		fclose(file);
	return is_frozen;
}

bool cgroup_v1_is_frozen(const char *path)
{
	char root[PATH_MAX], state[CGROUP_LINE_SIZE];

	return cgroup_v1_mount_point("freezer", root) &&
	       cgroup_read_line(root, path, "freezer.state", state) && !strcmp(state, "FROZEN");
}

/*
 * Finds the deepest container, or else the first unit. systemd has no unit within another, so a
 * folder with such a name within a unit was made by whatever the unit runs.
 */
const char *cgroup_role(const char *path, bool (*is_roots)(const char *path, size_t length),
			char value[CGROUP_ROLE_SIZE])
{
	const char *role = NULL, *all = path;
	char folder[NAME_MAX + 1] = "";

	while (*path && !is_users(folder)) {
		const char *name = path + strspn(path, "/"), *id;
		size_t length = strcspn(name, "/");

		snprintf(folder, sizeof(folder), "%.*s", (int)length, name);
		id = find_container_id(folder);
		if (id && is_roots(all, path - all)) {
			snprintf(value, CGROUP_ROLE_SIZE, "%.*s", CONTAINER_ID_LENGTH, id);
			role = "container";
		} else if (!role && is_unit(folder)) {
			strcpy(value, folder);
			role = "unit";
		}
		path = name + length;
	}
	return role;
}
