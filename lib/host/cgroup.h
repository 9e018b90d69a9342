/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups: from a path to the id that the kernel knows them by, and back. They are of version 2
 * unless version 1 is named, where a host may still have a controller.
 */
#ifndef NETSTACKLAT_CGROUP_H
#define NETSTACKLAT_CGROUP_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/tables/config.h"

/* Returns where cgroup v2 is mounted first, unless another mount was chosen; or an empty string. */
const char *cgroup_mount_point(void);

/*
 * Uses the cgroups that are mounted there from now on. Returns 0 or, after saying that there are
 * none, a negative errno.
 */
int cgroup_use_mount(const char *path);

/*
 * The deepest level of a cgroup below the mount point. Programs look twice as deep, as the mount
 * point may be a container's, somewhere below the kernel's root.
 */
#define MAX_CGROUP_LEVEL (NR_CGROUP_LEVELS / 2)

/*
 * The id of a cgroup, given as a path, with or without the mount point in front, or as its id.
 * Returns 0, or a negative errno: -ENODEV if no cgroup v2 hierarchy is mounted, -ENOENT for none,
 * -EXDEV for a folder outside the hierarchy, -ELOOP for one below MAX_CGROUP_LEVEL.
 */
int cgroup_find(const char *text, uint64_t *id);

/*
 * Calls found() for each cgroup, with its path below the mount point, "/system.slice/ssh.service",
 * until it returns false. It needs no privileges except to read their folders, and takes some 15 us
 * for each: do not call it often. Returns 0, also where there are none, or a negative errno: -E2BIG
 * if there are more than it looks at (look.h).
 */
int cgroup_for_each(bool (*found)(uint64_t id, const char *path, void *context), void *context);

/* Calls it for all below a mount point of either version, or another folder. */
int cgroup_for_each_below(const char *root,
			  bool (*found)(uint64_t id, const char *path, void *context),
			  void *context);

/*
 * Finds where a controller of version 1, such as "cpu", is mounted. Returns false if it is not.
 */
bool cgroup_v1_mount_point(const char *controller, char path[PATH_MAX]);

/* The path of one, at the same cost. Returns false if it is not there. */
bool cgroup_path(uint64_t id, char path[PATH_MAX]);

/*
 * Opens a file of a cgroup, by where cgroups are mounted, its path and the file's name: "cpu.stat".
 * NULL with errno set.
 */
FILE *cgroup_open_file(const char *root, const char *path, const char *name);

/* Reads the first line of such a file. Returns false if there is none. */
#define CGROUP_LINE_SIZE 64
bool cgroup_read_line(const char *root, const char *path, const char *name,
		      char line[CGROUP_LINE_SIZE]);

/* Returns whether a cgroup's freezer, or one above it, keeps all its tasks from running. */
bool cgroup_is_frozen(const char *path);

/* Returns whether one of version 1 is, by its path in the hierarchy of the controller "freezer". */
bool cgroup_v1_is_frozen(const char *path);

#define CGROUP_ROLE_SIZE 256

/*
 * Finds the user of a cgroup by its path: "container" with its id, "unit" with the name of the
 * systemd unit, or NULL. Folders that users may make below user@<id>.service tell nothing. Neither
 * does a folder with an id, if is_roots() says that the folders around it, up to length of path,
 * are not all root's.
 */
const char *cgroup_role(const char *path, bool (*is_roots)(const char *path, size_t length),
			char value[CGROUP_ROLE_SIZE]);

/*
 * Returns whether root owns a cgroup, at path up to length, and all cgroups around it. If not, a
 * user to whom a cgroup was delegated may have made folders in it. False, too, if it is gone.
 */
bool cgroup_is_roots(const char *path, size_t length);

#endif
