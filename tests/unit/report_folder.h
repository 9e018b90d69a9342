/* SPDX-License-Identifier: GPL-2.0 */
/* A folder of the test's own, and a file for a report in it. */
#ifndef NETSTACKLAT_REPORT_FOLDER_H
#define NETSTACKLAT_REPORT_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/netstacklat-reports.XXXXXX";
static char path[sizeof(folder) + sizeof("/report")];

/* Nobody else may look into it. */
static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/report", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

/* -1 if the folder is gone. */
static int nr_files(void)
{
	DIR *files = opendir(folder);
	struct dirent *file;
	int nr = 0;

	if (!files)
		return -1;
	while ((file = readdir(files)))
		nr += *file->d_name != '.';
	closedir(files);
	return nr;
}

/* Of the report, until the next call. */
static const char *content(void)
{
	static char text[64];
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

#endif
