/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups: from a path to the id that the kernel knows them by, and back. Of version 2, but where
 * the other one is named, to which a host may leave a controller.
 */
#ifndef NETSTACKLAT_CGROUP_H
#define NETSTACKLAT_CGROUP_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/tables/config.h"

/* Returns where cgroup v2 is mounted first, unless another mount is used, or an empty string. */
const char *cgroup_mount_point(void);

/*
 * Uses the cgroups that are mounted there from now on. Returns 0 or, after saying that there are
 * none, a negative errno.
 */
int cgroup_use_mount(const char *path);

/*
 * A cgroup may be as deep below the mount point: half as deep as programs look, for the mount point
 * may be that of a container, which is somewhere below the kernel's root.
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
 * until it returns false. Takes no privileges but to read their folders, and some 15 us for each:
 * do not call it often. Returns 0, also where there are none, or a negative errno: -E2BIG if there
 * are more than it looks at (look.h).
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
 * Opens a file of one, by where they are mounted, its path and the file's name: "cpu.stat". NULL
 * with errno set.
 */
FILE *cgroup_open_file(const char *root, const char *path, const char *name);

/* Reads the first line of such a file. Returns false if there is none. */
#define CGROUP_LINE_SIZE 64
bool cgroup_read_line(const char *root, const char *path, const char *name,
		      char line[CGROUP_LINE_SIZE]);

/*
 * Returns whether all tasks of one, by its path, are kept from running by its freezer, or one
 * above.
 */
bool cgroup_is_frozen(const char *path);

/* Returns whether one of version 1 is, by its path in the hierarchy of the controller "freezer". */
bool cgroup_v1_is_frozen(const char *path);

#define CGROUP_ROLE_SIZE 256

/*
 * The user of a cgroup, as its path tells: "container" with its id, "unit" with the name of the
 * systemd unit, or NULL. Nothing that users may make below user@<id>.service tells anything, and no
 * folder with an id, if is_roots() says that not all that it is in, which is path up to length, is
 * root's.
 */
const char *cgroup_role(const char *path, bool (*is_roots)(const char *path, size_t length),
			char value[CGROUP_ROLE_SIZE]);

/*
 * Returns whether root owns a cgroup, at path up to length, and all that it is in: if not, a user
 * to whom it was delegated may have made what is in it. False, too, where it is gone.
 */
bool cgroup_is_roots(const char *path, size_t length);

#endif
