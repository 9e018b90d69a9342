/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups as users list them, while they go and come back. Each time, a cgroup has another id: when
 * systemd restarts a service, that is in a new cgroup under the same path.
 */
#ifndef NETSTACKLAT_CGROUP_WATCH_H
#define NETSTACKLAT_CGROUP_WATCH_H

#include "lib/filters/filters.h"

struct cgroup_watch;

/* Watches a list that has been looked up, with what was found. NULL with errno set. */
struct cgroup_watch *cgroup_watch_new(const char *list, const struct filter_keys *found);
void cgroup_watch_free(struct cgroup_watch *watch);

/* Returns a descriptor that becomes readable when it is time to look; negative if there is none. */
int cgroup_watch_fd(const struct cgroup_watch *watch);

/*
 * Looks up the whole list, and calls replace() for each path that is another cgroup now; an id of 0
 * means none. Returns 0 or what replace() returned.
 */
int cgroup_watch_look(struct cgroup_watch *watch,
		      int (*replace)(void *context, uint64_t gone, uint64_t come), void *context);

#endif
