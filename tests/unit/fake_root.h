/* SPDX-License-Identifier: GPL-2.0 */
/* A folder with what a host has in its root: files that a test makes up. */
#ifndef NETSTACKLAT_FAKE_ROOT_H
#define NETSTACKLAT_FAKE_ROOT_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/netstacklat-root.XXXXXX";

static inline int make_root(void **state)
{
	(void)state;
	memcpy(strrchr(root, '.'), ".XXXXXX", 7);
	return !mkdtemp(root);
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
			       struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

static inline int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* A path of the host, in the folder, whose own folders are made. Valid until the next call. */
static inline const char *in_root(const char *path)
{
	static char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *slash = strchr(whole + sizeof(root), '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	return whole;
}

/* One that nobody else may write to. */
static inline void write_file(const char *path, const char *content)
{
	FILE *file = fopen(in_root(path), "we");

	assert_non_null(file);
	fputs(content, file);
	fclose(file);
	chmod(in_root(path), 0600);
}

#endif
