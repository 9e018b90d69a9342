/* SPDX-License-Identifier: GPL-2.0 */
/* Facts of the host in a watch, from its tasks, limits, cards and network namespaces. */
#ifndef NETSTACKLAT_HOST_WATCH_H
#define NETSTACKLAT_HOST_WATCH_H

#include "lib/diagnose/netlink_owners.h"
#include "lib/diagnose/verdict.h"
#include "lib/host/cpu_counters.h"
#include "lib/host/cpu_limit.h"
#include "lib/host/netns.h"
#include "lib/host/task.h"
#include "lib/kernel/wait_maps.h"

struct host_watch {
	const struct wait_maps *waits;
	struct netns own_netns;
	bool has_own_pids; /* /proc has other ids of processes than findings have */
	struct netlink_owners netlink_owners; /* added by whoever reads the sockets */
	/* When the watch began. */
	struct tasks *tasks;
	struct cpu_limits *cpu_limits;
	struct cpu_counters cpus;
	uint64_t oom_kills;
	/* When it was asked for what the host counted. */
	struct cpu_counters cpus_at_end;
	struct memory_limit *memory_limits;
	uint64_t patience_ns; /* for how long states of tasks may be looked at yet */
};

/* Comes before all else. The maps are the caller's. */
void host_watch_init(struct host_watch *watch, const struct wait_maps *waits);

/* Begins a watch, after the one before, if any. Returns 0 or -ENOMEM. */
int host_watch_begin(struct host_watch *watch);
void host_watch_free(struct host_watch *watch);

/*
 * Adds to a verdict what the host counted in the watch, and which parts of the host could not be
 * seen. Returns 0 or a negative errno.
 */
int host_watch_ask_all(struct host_watch *watch, const struct filters *filters,
		       struct verdict *verdict);

/* Adds what processes failed to send. Returns 0 or -ENOMEM. */
int host_watch_add_failures(const struct host_watch *watch, const struct report *report,
			    struct verdict *verdict);

/* Adds whom processes ask, and how long these take to answer. Returns 0 or -ENOMEM. */
int host_watch_add_upstreams(const struct host_watch *watch, const struct report *report,
			     struct verdict *verdict);

/* Fills in a finding's facts of the host. Paths are the watch's. */
void host_watch_ask(struct host_watch *watch, struct finding *finding);
void host_watch_ask_service(const struct host_watch *watch, struct service *service);

#endif
