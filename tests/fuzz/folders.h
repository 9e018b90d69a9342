/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folders that the input fills: the linker makes these the functions that read them, and, outside
 * of a test, hands others on to the real ones.
 */
#ifndef NETSTACKLAT_FUZZ_FOLDERS_H
#define NETSTACKLAT_FUZZ_FOLDERS_H

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

/* A line for each folder, with the names in it between slashes; NULL outside of a test. */
static struct input *folders;

static struct folder {
	char *names, *rest;
	struct dirent entry;
} opened;

DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *folder);
int __real_closedir(DIR *folder);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *folder);
int __wrap_closedir(DIR *folder);

/* One at a time is enough. */
DIR *__wrap_opendir(const char *path)
{
	if (!folders)
		return __real_opendir(path);
	require(!opened.names);
	opened.names = opened.rest = input_line(folders);
	return (DIR *)&opened;
}

/* Names as the kernel has them: neither empty, nor longer than they may be. */
struct dirent *__wrap_readdir(DIR *folder)
{
	char *name;

	if (folder != (DIR *)&opened)
		return __real_readdir(folder);
	do {
		name = strsep(&opened.rest, "/");
	} while (name && !*name);
	if (!name)
		return NULL;
	opened.entry.d_ino++;
	opened.entry.d_type = DT_DIR;
	snprintf(opened.entry.d_name, sizeof(opened.entry.d_name), "%s", name);
	return &opened.entry;
}

int __wrap_closedir(DIR *folder)
{
	if (folder != (DIR *)&opened)
		return __real_closedir(folder);
	free(opened.names);
	opened.names = NULL;
	return 0;
}

#endif
