/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups that are made for tests, where users may: as root, and with a hierarchy to write to. */
#ifndef NETSTACKLAT_REAL_CGROUPS_H
#define NETSTACKLAT_REAL_CGROUPS_H

#include <ftw.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/host/cgroup.h"

static char cgroup_mounted[] = "/tmp/netstacklat-cgroup.XXXXXX";
/* One to make others in; as users name it, and with the mount point. Empty: there is none. */
static char cgroup_name[64], cgroup_folder[PATH_MAX + 64];

/* Nobody else sees the mount, which ends with us. */
static inline void mount_cgroups(void)
{
	if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	    mkdtemp(cgroup_mounted))
		mount("none", cgroup_mounted, "cgroup2", 0, NULL);
}

static inline int remove_if_folder(const char *path, const struct stat *status, int type,
				   struct FTW *place)
{
	(void)status;
	(void)place;
	if (type == FTW_DP)
		rmdir(path);
	return 0;
}

static inline void remove_folders(const char *path)
{
	nftw(path, remove_if_folder, 16, FTW_DEPTH | FTW_PHYS);
}

/* A run that was killed leaves its own behind. Of so many, every look at all cgroups takes long. */
static inline void remove_old_cgroups(void)
{
	char pattern[sizeof(cgroup_folder)];
	struct stat status;
	glob_t left = { 0 };

	snprintf(pattern, sizeof(pattern), "%s/netstacklat-test-*", cgroup_mount_point());
	glob(pattern, 0, NULL, &left);
	for (size_t i = 0; i < left.gl_pathc; i++)
		if (!stat(left.gl_pathv[i], &status) && time(NULL) - status.st_mtime > 600)
			remove_folders(left.gl_pathv[i]);
	globfree(&left);
}

static inline int make_cgroups(void **state)
{
	(void)state;
	if (!*cgroup_mount_point())
		mount_cgroups();
	remove_old_cgroups();
	strcpy(cgroup_name, "/netstacklat-test-XXXXXX");
	snprintf(cgroup_folder, sizeof(cgroup_folder), "%s%s", cgroup_mount_point(), cgroup_name);
	if (*cgroup_mount_point() && mkdtemp(cgroup_folder) && !chmod(cgroup_folder, 0755))
		strcpy(cgroup_name, strrchr(cgroup_folder, '/'));
	else
		*cgroup_folder = '\0';
	return 0;
}

/* Removes those in it, too, that a failed test has left. */
static inline int remove_cgroups(void **state)
{
	(void)state;
	if (*cgroup_folder)
		remove_folders(cgroup_folder);
	umount2(cgroup_mounted, MNT_DETACH);
	rmdir(cgroup_mounted);
	return 0;
}

static inline void skip_without_cgroups(void)
{
	if (!*cgroup_folder)
		skip();
}

/* Makes or removes one below it. Returns its id. */
static inline uint64_t change_cgroup(int (*change)(const char *path), const char *name)
{
	char path[sizeof(cgroup_folder) + NAME_MAX + 1];
	struct stat status = { 0 };

	snprintf(path, sizeof(path), "%s/%s", cgroup_folder, name);
	assert_int_equal(change(path), 0);
	stat(path, &status);
	return status.st_ino;
}

static inline int make_folder_at(const char *path)
{
	return mkdir(path, 0755);
}

static inline uint64_t make_cgroup(const char *name)
{
	return change_cgroup(make_folder_at, name);
}

static inline void remove_cgroup(const char *name)
{
	change_cgroup(rmdir, name);
}

#endif
