/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads why packets waited for readers and for CPUs, what could not be sent, and how long others
 * take to answer, from maps that the caller keeps open.
 */
#ifndef NETSTACKLAT_WAIT_MAPS_H
#define NETSTACKLAT_WAIT_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/tables/failure.h"
#include "lib/tables/reader_wait.h"
#include "lib/tables/softirq_wait.h"
#include "lib/tables/upstream.h"

/* File descriptors; negative if these are not kept. */
struct wait_maps {
	int reads, answers, accepts, softirqs, failures, upstreams;
	int tcp_times; /* see socket_queue_reader.h */
};

/*
 * Find how a process waits before it reads, answers or accepts at a port, and a CPU before it
 * receives. Return false if nothing is known.
 */
bool wait_maps_find_read(const struct wait_maps *maps, const struct wait_key *key,
			 struct reader_wait *wait);
bool wait_maps_find_answer(const struct wait_maps *maps, const struct wait_key *key,
			   struct task_wait *wait);
bool wait_maps_find_accept(const struct wait_maps *maps, const struct wait_key *key,
			   struct task_wait *wait);
bool wait_maps_find_softirq(const struct wait_maps *maps, uint32_t cpu, struct softirq_wait *wait);

/*
 * Find the first failure or upstream, or the one behind another; false if there is no more. The
 * programs add some meanwhile: ask for no more than NR_FAILURES or NR_UPSTREAMS.
 */
bool wait_maps_next_failure(const struct wait_maps *maps, const struct failure_key *before,
			    struct failure_key *key, struct failure *failure);
bool wait_maps_next_upstream(const struct wait_maps *maps, const struct upstream_key *before,
			     struct upstream_key *key, struct upstream_answers *answers);

/* Forgets what was. */
void wait_maps_clear(const struct wait_maps *maps);

#endif
