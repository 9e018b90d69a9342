// SPDX-License-Identifier: GPL-2.0
/*
 * The names of network namespaces: a line each for what is in /run/netns, /run/docker/netns and
 * /proc, and one for what a user calls them. All are our own, with an inode number each.
 */
#include "tests/fuzz/folders.h"

#include <fcntl.h>
#include <unistd.h>

#include "lib/base/printable.h"
#include "lib/host/netns.h"

#define OWN "/proc/self/ns/net"

static ino_t last_inode;

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status)
{
	if (!folders || !strcmp(path, OWN))
		return __real_stat(path, status);
	require(strlen(path) < PATH_MAX);
	*status = (struct stat){ .st_ino = ++last_inode, .st_mode = S_IFREG };
	return 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	return __real_open(folders ? OWN : path, flags, 0600);
}

static bool found(const struct netns *netns, void *context)
{
	char *printable = printable_dup(netns->name);
	unsigned int *nr = context;

	require(strlen(netns->name) < sizeof(netns->name));
	require(strlen(netns->path) < sizeof(netns->path));
	require_printable(printable ? printable : "");
	free(printable);
	return ++*nr < 100;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	char *text = input_line(&input);
	unsigned int nr = 0;
	struct netns netns;

	folders = &input;
	last_inode = 0;
	require(!netns_for_each(found, &nr) && nr);
	if (!netns_find(text, &netns)) {
		nr = 0;
		found(&netns, &nr);
	}
	folders = NULL;
	free(text);
	return 0;
}
