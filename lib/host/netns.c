// SPDX-License-Identifier: GPL-2.0
#include "lib/host/netns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/find_or_add.h"
#include "lib/base/list.h"
#include "lib/host/look.h"

#define OWN_PATH "/proc/self/ns/net"

/* From asm-generic/socket.h of Linux 5.14, which may be newer than the C library's. */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* No process has as high an id (PID_MAX_LIMIT), and no namespace as low an inode number. */
#define MAX_PID (4 * 1024 * 1024)

/* Namespaces have names in these folders: ip-netns(8)'s and Docker's, which may be the same. */
static const struct {
	const char *path;
	const char *prefix; /* of names in reports */
} name_folders[] = { { "/run/netns", "" }, { "/run/docker/netns", "docker/" } };

static int read_cookie(int fd, uint64_t *cookie)
{
	socklen_t size = sizeof(*cookie);

	return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size);
}

bool netns_has_cookie(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie;
	bool has = fd >= 0 && !read_cookie(fd, &cookie);

	close(fd);
	return has;
}

static int (*read_mix)(uint32_t *number);

void netns_lend_mix(int (*mix)(uint32_t *number))
{
	read_mix = mix;
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static ino_t inode_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : status.st_ino;
}

/* A socket in the thread's namespace, which keeps the namespace alive, and the namespace's id. */
static int socket_here(ino_t inode, uint64_t *id)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;
	uint32_t mix = 0;

	if (fd < 0)
		return -errno;
	if (!read_cookie(fd, id))
		return fd;
	err = read_mix ? read_mix(&mix) : 0;
	if (!err) {
		*id = (uint64_t)mix << 32 | inode;
		return fd;
	}
	close(fd);
	return err;
}

static int socket_in(int netns, ino_t inode, uint64_t *id)
{
	int own = open_file(OWN_PATH), fd;

	if (own < 0)
		return own;
	if (setns(netns, CLONE_NEWNET)) {
		fd = -errno;
	} else {
		fd = socket_here(inode, id);
		/* If there is no way back, all that follows would be about another namespace. */
		if (setns(own, CLONE_NEWNET))
			abort();
	}
	close(own);
	return fd;
}

int netns_open_socket(const char *path, uint64_t *id)
{
	int netns = open_file(path), fd;
	struct stat status;

	if (netns < 0)
		return netns;
	fstat(netns, &status);
	/* No privilege is needed for the namespace that this thread is in. */
	if (status.st_ino == inode_of(OWN_PATH))
		fd = socket_here(status.st_ino, id);
	else
		fd = socket_in(netns, status.st_ino, id);
	close(netns);
	return fd;
}

bool netns_interface_name(int socket, unsigned int ifindex, char name[IF_NAMESIZE])
{
	struct ifreq request = { .ifr_ifindex = ifindex };

	if (ioctl(socket, SIOCGIFNAME, &request))
		return false;
	memcpy(name, request.ifr_name, IF_NAMESIZE);
	return true;
}

unsigned int netns_interface_index(int socket, const char *text)
{
	struct ifreq request = { 0 };
	char name[IF_NAMESIZE];
	uint64_t index;

	if (strlen(text) < IF_NAMESIZE) {
		strcpy(request.ifr_name, text);
		if (!ioctl(socket, SIOCGIFINDEX, &request))
			return request.ifr_ifindex;
	}
	if (list_number(text, INT32_MAX, &index) && netns_interface_name(socket, index, name))
		return index;
	return 0;
}

/* Fills in all but the name. */
static int identify(const char *path, struct netns *netns)
{
	struct stat status;
	int fd;

	if (stat(path, &status))
		return -errno;
	/* To open a FIFO is to wait for somebody who writes. */
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	fd = netns_open_socket(path, &netns->id);
	if (fd < 0)
		return fd;
	close(fd);
	netns->inode = status.st_ino;
	snprintf(netns->path, sizeof(netns->path), "%s", path);
	netns->name[0] = '\0';
	return 0;
}

struct search {
	struct look look;
	/* tsearch(3): the inodes that were found already, as thousands of processes share one */
	void *seen;
	bool (*found)(const struct netns *netns, void *context);
	void *context;
};

static int compare_inodes(const void *a, const void *b)
{
	const ino_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns whether it is new, or a negative errno. */
static int see(struct search *search, ino_t inode)
{
	bool is_new;

	if (!find_or_add(&search->seen, &inode, sizeof(inode), compare_inodes, &is_new))
		return -ENOMEM;
	return is_new;
}

#define SEARCH_END 1

/* Skips what is gone, or is no namespace. Returns SEARCH_END to find no more. */
static int look_at(struct search *search, const char *path, const char *name)
{
	struct netns netns;
	struct stat status;
	int new;

	if (look_has_ended(&search->look))
		return -E2BIG;
	search->look.nr++;
	if (stat(path, &status))
		return 0;
	new = see(search, status.st_ino);
	if (new <= 0)
		return new;
	if (identify(path, &netns))
		return 0;
	snprintf(netns.name, sizeof(netns.name), "%s", name);
	return search->found(&netns, search->context) ? 0 : SEARCH_END;
}

/*
 * Looks at <folder>/<entry><suffix> for each entry, and calls it <prefix><entry>, or nothing if
 * prefix is NULL.
 */
static int look_in(struct search *search, const char *folder, const char *suffix,
		   const char *prefix)
{
	char path[PATH_MAX], name[NETNS_NAME_SIZE] = "";
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int result = 0;

	if (!dir)
		return 0;
	while (!result && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || (!prefix && !isdigit((unsigned char)*entry->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", folder, entry->d_name, suffix);
		if (prefix)
			snprintf(name, sizeof(name), "%s%s", prefix, entry->d_name);
		result = look_at(search, path, name);
	}
	closedir(dir);
	return result;
}

int netns_for_each(bool (*found)(const struct netns *netns, void *context), void *context)
{
	struct search search = { .look = look_begin(), .found = found, .context = context };
	int result = 0;

	for (size_t i = 0; !result && i < sizeof(name_folders) / sizeof(*name_folders); i++)
		result = look_in(&search, name_folders[i].path, "", name_folders[i].prefix);
	if (!result)
		result = look_at(&search, OWN_PATH, "");
	if (!result)
		result = look_in(&search, "/proc", "/ns/net", NULL);
	tdestroy(search.seen, free);
	return result == SEARCH_END ? 0 : result;
}

struct wanted {
	ino_t inode;
	struct netns *netns;
	bool found;
};

static bool is_wanted(const struct netns *netns, void *context)
{
	struct wanted *wanted = context;

	if (netns->inode != wanted->inode)
		return true;
	*wanted->netns = *netns;
	wanted->found = true;
	return false;
}

static int find_by_inode(ino_t inode, struct netns *netns)
{
	struct wanted wanted = { inode, netns, false };
	int err = netns_for_each(is_wanted, &wanted);

	return err || wanted.found ? err : -ENOENT;
}

int netns_find(const char *text, struct netns *netns)
{
	char path[PATH_MAX];
	uint64_t number;

	if (!*text)
		return -ENOENT;
	if (!strcmp(text, "self"))
		return identify(OWN_PATH, netns);
	if (strchr(text, '/'))
		return identify(text, netns);
	for (size_t i = 0; i < sizeof(name_folders) / sizeof(*name_folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", name_folders[i].path, text);
		if (!access(path, F_OK))
			return identify(path, netns);
	}
	if (!list_number(text, UINT64_MAX, &number))
		return -ENOENT;
	if (number > MAX_PID)
		return find_by_inode(number, netns);
	snprintf(path, sizeof(path), "/proc/%u/ns/net", (unsigned int)number);
	return identify(path, netns);
}
