// SPDX-License-Identifier: GPL-2.0
#include "lib/host/container.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/helper.h"
#include "lib/base/json_values.h"
#include "lib/base/log.h"
#include "lib/host/look.h"

#define LOGS "/var/log/containers"
#define DOCKER "/var/lib/docker/containers/%s/config.v2.json"
#define PODMAN "/var/lib/containers/storage/overlay-containers/containers.json"

/* A larger file is not read. Docker's is some kilobytes, and Podman's half of one a container. */
#define MAX_FILE_SIZE (4 << 20)

/*
 * Opens a file or a folder, unless somebody other than root, or the user who runs this, may have
 * written there. Returns a descriptor, or -1.
 */
static int open_trusted(const char *root, const char *path, int flags)
{
	char whole[PATH_MAX];
	struct stat status;
	int fd;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	fd = open(whole, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && (!status.st_uid || status.st_uid == geteuid()) &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	    (S_ISDIR(status.st_mode) || status.st_size <= MAX_FILE_SIZE))
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

static bool find_in_kubernetes(const char *root, const char *id, struct container_names *names)
{
	struct look look = look_begin();
	int fd = open_trusted(root, LOGS, O_DIRECTORY);
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

/* Returns what is to be freed, or NULL. */
static struct json_object *read_json(const char *root, const char *path)
{
	int fd = open_trusted(root, path, 0);
	struct json_object *value = fd < 0 ? NULL : json_object_from_fd(fd);

	close(fd);
	return value;
}

/* Docker's names begin with a slash. A text that is no name, or too long for one, tells nothing. */
static bool take_name(const char *text, struct container_names *names)
{
	if (text && *text == '/')
		text++;
	if (!text || !*text || strlen(text) >= sizeof(names->name))
		return false;
	strcpy(names->name, text);
	return true;
}

static bool find_in_docker(const char *root, const char *id, struct container_names *names)
{
	struct json_object *config;
	char path[sizeof(DOCKER) + CONTAINER_ID_LENGTH];
	bool found;

	snprintf(path, sizeof(path), DOCKER, id);
	config = read_json(root, path);
	found = json_object_is_type(config, json_type_object) &&
		take_name(json_member_text(config, "Name"), names);
	json_object_put(config);
	return found;
}

/* The first of a container's names, which its others are aliases of. */
static bool read_podman_entry(struct json_object *entry, const char *id,
			      struct container_names *names)
{
	const char *entry_id = NULL;
	struct json_object *all = NULL;

	if (!json_object_is_type(entry, json_type_object))
		return false;
	entry_id = json_member_text(entry, "id");
	json_object_object_get_ex(entry, "names", &all);
	return entry_id && !strcmp(entry_id, id) && json_object_is_type(all, json_type_array) &&
	       json_object_array_length(all) &&
	       json_object_is_type(json_object_array_get_idx(all, 0), json_type_string) &&
	       take_name(json_object_get_string(json_object_array_get_idx(all, 0)), names);
}

static bool find_in_podman(const char *root, const char *id, struct container_names *names)
{
	struct json_object *containers = read_json(root, PODMAN);
	size_t nr = json_object_is_type(containers, json_type_array)
			    ? json_object_array_length(containers)
			    : 0;
	bool found = false;

	for (size_t i = 0; i < nr && !found; i++)
		found = read_podman_entry(json_object_array_get_idx(containers, i), id, names);
	json_object_put(containers);
	return found;
}

/* It becomes a part of a path. */
static bool is_id(const char *id)
{
	for (int i = 0; i < CONTAINER_ID_LENGTH; i++)
		if (!isxdigit((unsigned char)id[i]))
			return false;
	return true;
}

void container_find_names(const char *root, const char *id, struct container_names *names)
{
	char whole[CONTAINER_ID_LENGTH + 1] = "";

	*names = (struct container_names){ 0 };
	if (!is_id(id))
		return;
	memcpy(whole, id, CONTAINER_ID_LENGTH);
	if (!find_in_kubernetes(root, whole, names) && !find_in_docker(root, whole, names))
		find_in_podman(root, whole, names);
}

static int asked_at = -1;

void container_names_ask_at(int socket)
{
	asked_at = socket;
}

void container_names_find(const char *id, struct container_names *names)
{
	if (asked_at < 0) {
		container_find_names("", id, names);
		return;
	}
	if (helper_send(asked_at, id, CONTAINER_ID_LENGTH) &&
	    helper_receive(asked_at, names, sizeof(*names)))
		return;
	log_error("what finds the names of containers has ended: from now on, ids stand for them");
	*names = (struct container_names){ 0 };
	asked_at = -1;
}

void container_names_serve(int socket)
{
	char id[CONTAINER_ID_LENGTH];
	struct container_names names;

	while (helper_receive(socket, id, sizeof(id))) {
		container_find_names("", id, &names);
		if (!helper_send(socket, &names, sizeof(names)))
			return;
	}
}
