/* SPDX-License-Identifier: GPL-2.0 */
/* A folder with a file for --web.config.file, and others that it names. */
#ifndef NETSTACKLAT_WEB_FILES_H
#define NETSTACKLAT_WEB_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/netstacklat-web-XXXXXX", path[64];

/* In place of the one before, as tools do that renew certificates: nobody reads half of it. */
static inline void write_file(const char *name, const char *text)
{
	char new[128], file[128];
	FILE *out;

	snprintf(new, sizeof(new), "%s/new", folder);
	snprintf(file, sizeof(file), "%s/%s", folder, name);
	out = fopen(new, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	assert_int_equal(rename(new, file), 0);
}

static inline int make_folder(void)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/web.yml", folder);
	return 0;
}

static inline int remove_folder(const char *const *names, size_t nr)
{
	char file[128];

	for (size_t i = 0; i < nr; i++) {
		snprintf(file, sizeof(file), "%s/%s", folder, names[i]);
		unlink(file);
	}
	unlink(path);
	return rmdir(folder);
}

#endif
