/* SPDX-License-Identifier: GPL-2.0 */
/* How many file descriptors are open. */
#ifndef NETSTACKLAT_FDS_H
#define NETSTACKLAT_FDS_H

#include <dirent.h>

static inline int nr_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(folder);
	while (readdir(folder))
		nr++;
	closedir(folder);
	return nr;
}

#endif
