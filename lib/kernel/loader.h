/* SPDX-License-Identifier: GPL-2.0 */
/* The life of the BPF object: open, configure, load, attach. */
#ifndef NETSTACKLAT_LOADER_H
#define NETSTACKLAT_LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/kernel/counters.h"
#include "lib/tables/plan.h"
#include "lib/tables/hooks.h"

struct loader;

/*
 * Loads the programs of the hooks and attaches them. The plan stays the caller's, and as it is.
 * What this kernel lacks or refuses is left out, and *left_out says why, even where nothing is left
 * and this fails. Failures are reported on stderr and return NULL with errno set: ENOTSUP if
 * nothing could be attached.
 */
struct loader *loader_start(const struct plan *plan, struct left_out *left_out);

/*
 * All is ready to measure: from now on, slow packets are reported, but not for what they waited
 * since loader_start() was called. Returns when that was, in ns as clock_kernel_ns().
 */
uint64_t loader_end_startup(struct loader *loader);

/*
 * Tells the programs what the wall clock is now: to be called again whenever it was set, or the TAI
 * offset. Returns 0 or a negative errno.
 */
int loader_set_clock(struct loader *loader);

/*
 * Lets pass what is of one cgroup instead of what is of another, in a filter by cgroups: 0 for
 * none. Returns 0 or a negative errno.
 */
int loader_replace_cgroup(struct loader *loader, uint64_t gone, uint64_t come);

/* The clock that the programs read: CLOCK_TAI or CLOCK_MONOTONIC. */
clockid_t loader_clock(const struct loader *loader);

/* Detaches and unloads everything. Accepts NULL. */
void loader_free(struct loader *loader);

/* The maps in which programs count, and these programs; the loader keeps them open. */
struct map_fds loader_maps(const struct loader *loader);

#endif
