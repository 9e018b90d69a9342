// SPDX-License-Identifier: GPL-2.0
#include "lib/host/container.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/host/look.h"

/*
 * Opens the folder of links, unless others than root, or whoever runs this, may have written there.
 * Returns a descriptor, or -1.
 */
static int open_trusted(const char *root)
{
	char path[PATH_MAX];
	struct stat status;
	int fd;

	snprintf(path, sizeof(path), "%s/var/log/containers", root);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && (!status.st_uid || status.st_uid == geteuid()) &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	return -1;
}

/* "POD_NAMESPACE_CONTAINER-ID.log": none of the three may have an underscore. */
static bool read_log_name(const char *file, const char *id, struct container_names *names)
{
	size_t length = strlen(file), end = CONTAINER_ID_LENGTH + strlen("-.log");
	char pod[NAME_MAX + 1], space[NAME_MAX + 1], rest[NAME_MAX + 1];

	if (length <= end || file[length - end] != '-' ||
	    memcmp(file + length - end + 1, id, CONTAINER_ID_LENGTH) ||
	    strcmp(file + length - strlen(".log"), ".log") ||
	    sscanf(file, "%255[^_]_%255[^_]_%255[^_]", pod, space, rest) != 3 ||
	    strlen(rest) <= end)
		return false;
	/* The file's name has all of them. */
	snprintf(names->pod, sizeof(names->pod), "%.*s/%.*s", (int)strlen(space), space,
		 (int)(NAME_MAX - 1 - strlen(space)), pod);
	snprintf(names->name, sizeof(names->name), "%.*s", (int)(strlen(rest) - end), rest);
	return true;
}

void container_find_names(const char *root, const char *id, struct container_names *names)
{
	struct look look = look_begin();
	int fd = open_trusted(root);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool found = false;

	*names = (struct container_names){ 0 };
	if (!folder) {
		close(fd);
		return;
	}
	while (!found && !look_has_ended(&look) && (entry = readdir(folder))) {
		found = read_log_name(entry->d_name, id, names);
		look.nr++;
	}
	closedir(folder);
}
