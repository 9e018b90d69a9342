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
 * Loads the programs of the hooks and attaches them. The plan stays the caller's, unchanged. Hooks
 * that this kernel lacks or refuses are left out, and *left_out says why, even if nothing is left
 * and this fails. Failures are reported on stderr and return NULL with errno set: ENOTSUP if
 * nothing could be attached.
 */
struct loader *loader_start(const struct plan *plan, struct left_out *left_out);

/*
 * Begins to measure. From now on, slow packets are reported, without the time that they have waited
 * since loader_start() was called. Returns when that was, in ns as of clock_kernel_ns().
 */
uint64_t loader_end_startup(struct loader *loader);

/*
 * Tells the programs the offset of the wall clock: to be called again whenever that or the TAI
 * offset was set. Returns 0 or a negative errno.
 */
int loader_set_clock(struct loader *loader);

/*
 * Replaces a cgroup by another one in the filter by cgroups; 0 for none. Returns 0 or a negative
 * errno.
 */
int loader_replace_cgroup(struct loader *loader, uint64_t gone, uint64_t come);

/* The clock that the programs read: CLOCK_TAI or CLOCK_MONOTONIC. */
clockid_t loader_clock(const struct loader *loader);

/* Detaches and unloads everything. Accepts NULL. */
void loader_free(struct loader *loader);

/* The maps in which programs count, and these programs; the loader keeps them open. */
struct map_fds loader_maps(const struct loader *loader);

#endif
