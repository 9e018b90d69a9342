// SPDX-License-Identifier: GPL-2.0
#include "lib/host/container.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/json_values.h"
#include "lib/host/look.h"

/* Nothing that is read here is larger. */
#define MAX_STATE_SIZE (4 << 20)

/* Whether nobody but root, or whoever runs this, can have written a file or folder. */
static bool is_trusted(int fd, struct stat *status)
{
	return !fstat(fd, status) && (!status->st_uid || status->st_uid == geteuid()) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns a descriptor, or -1. */
static int open_trusted(const char *root, const char *path, int flags, struct stat *status)
{
	char whole[PATH_MAX];
	int fd;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	fd = open(whole, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags);
	if (fd >= 0 && !is_trusted(fd, status)) {
		close(fd);
		fd = -1;
	}
	return fd;
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

/* The kubelet makes a link to the log of each container that it starts. */
static bool ask_kubelet(const char *root, const char *id, struct container_names *names)
{
	struct look look = look_begin();
	struct stat status;
	int fd = open_trusted(root, "/var/log/containers", O_DIRECTORY, &status);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool found = false;

	if (!folder) {
		close(fd);
		return false;
	}
	while (!found && !look_has_ended(&look) && (entry = readdir(folder))) {
		found = read_log_name(entry->d_name, id, names);
		look.nr++;
	}
	closedir(folder);
	return found;
}

/* What is in a file; NULL if there is none. */
static struct json_object *read_state(const char *root, const char *path)
{
	struct json_object *state = NULL;
	struct stat status;
	int fd = open_trusted(root, path, 0, &status);

	if (fd < 0)
		return NULL;
	if (S_ISREG(status.st_mode) && status.st_size <= MAX_STATE_SIZE)
		state = json_object_from_fd(fd);
	close(fd);
	return state;
}

static bool take_name(const char *name, struct container_names *names)
{
	if (!name)
		return false;
	snprintf(names->name, sizeof(names->name), "%s", name + (*name == '/'));
	return true;
}

static bool ask_docker(const char *root, const char *id, struct container_names *names)
{
	char path[PATH_MAX];
	struct json_object *state;
	bool found;

	snprintf(path, sizeof(path), "/var/lib/docker/containers/%.*s/config.v2.json",
		 CONTAINER_ID_LENGTH, id);
	state = read_state(root, path);
	found = state && take_name(json_member_text(state, "Name"), names);
	json_object_put(state);
	return found;
}

static const char *first_name(struct json_object *container)
{
	struct json_object *all = NULL;

	json_object_object_get_ex(container, "names", &all);
	if (!json_object_is_type(all, json_type_array) || !json_object_array_length(all))
		return NULL;
	return json_object_get_string(json_object_array_get_idx(all, 0));
}

static bool ask_podman(const char *root, const char *id, struct container_names *names)
{
	struct json_object *all =
		read_state(root, "/var/lib/containers/storage/overlay-containers/containers.json");
	size_t nr = json_object_is_type(all, json_type_array) ? json_object_array_length(all) : 0;
	bool found = false;

	for (size_t i = 0; i < nr && !found; i++) {
		struct json_object *container = json_object_array_get_idx(all, i);
		const char *its_id = json_member_text(container, "id");

		found = its_id && !strncmp(its_id, id, CONTAINER_ID_LENGTH) &&
			take_name(first_name(container), names);
	}
	json_object_put(all);
	return found;
}

void container_find_names(const char *root, const char *id, struct container_names *names)
{
	*names = (struct container_names){ 0 };
	if (!ask_kubelet(root, id, names) && !ask_docker(root, id, names))
		ask_podman(root, id, names);
}
