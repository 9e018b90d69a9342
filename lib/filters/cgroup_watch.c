// SPDX-License-Identifier: GPL-2.0
#include "lib/filters/cgroup_watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "lib/base/list.h"
#include "lib/base/log.h"
#include "lib/host/cgroup.h"

struct cgroup_watch {
	const char *list;
	uint64_t *ids; /* of its elements; 0 for those that are gone */
	int fd;
};

struct cgroup_watch *cgroup_watch_new(const char *list, const struct filter_keys *found)
{
	struct cgroup_watch *watch = malloc(sizeof(*watch));
	size_t size = found->nr * sizeof(*watch->ids);
	uint64_t *ids = malloc(size);

	if (!watch || !ids) {
		free(watch);
		free(ids);
		return NULL;
	}
	memcpy(ids, found->keys, size);
	*watch = (struct cgroup_watch){ list, ids, inotify_init1(IN_CLOEXEC | IN_NONBLOCK) };
	if (watch->fd < 0)
		log_failure(-errno,
			    "cgroups of -c that come back are seen at the next report only");
	return watch;
}

void cgroup_watch_free(struct cgroup_watch *watch)
{
	if (!watch)
		return;
	close(watch->fd);
	free(watch->ids);
	free(watch);
}

int cgroup_watch_fd(const struct cgroup_watch *watch)
{
	return watch->fd;
}

/* Events say no more than that something happened. */
static void take_events(struct cgroup_watch *watch)
{
	char events[4096];

	while (read(watch->fd, events, sizeof(events)) > 0)
		;
}

/*
 * Watches all folders on the way to a cgroup, from the mount point down to where the way ends for
 * now. A folder that is made meanwhile is either there at the next step, or an event. If there is
 * no room for another watch, the next report tells. Watching a folder twice does no harm.
 */
static void watch_way_to(struct cgroup_watch *watch, const char *cgroup)
{
	const char *root = cgroup_mount_point();
	size_t root_length = strlen(root);
	char path[PATH_MAX + LIST_ELEMENT_SIZE + 1];

	if (!strncmp(cgroup, root, root_length))
		cgroup += root_length;
	snprintf(path, sizeof(path), "%s/%s", root, cgroup);
	for (char *slash = path + root_length; slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (inotify_add_watch(watch->fd, path, IN_CREATE | IN_DELETE | IN_ONLYDIR) < 0)
			return;
		*slash = '/';
	}
}

int cgroup_watch_look(struct cgroup_watch *watch,
		      int (*replace)(void *context, uint64_t gone, uint64_t come), void *context)
{
	const char *list = watch->list;
	char element[LIST_ELEMENT_SIZE];
	int err = 0;

	take_events(watch);
	for (uint64_t *id = watch->ids; !err && list_next(&list, element); id++) {
		uint64_t gone = *id;

		watch_way_to(watch, element);
		if (cgroup_find(element, id))
			*id = 0;
		if (*id == gone)
			continue;
		err = replace(context, gone, *id);
		log_verbose(*id ? "there is a new cgroup '%s'" : "the cgroup '%s' is gone",
			    element);
	}
	return err;
}
