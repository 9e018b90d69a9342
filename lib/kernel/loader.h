/* SPDX-License-Identifier: GPL-2.0 */
/* The life of the BPF object: open, configure, load, attach. */
#ifndef NETSTACKLAT_LOADER_H
#define NETSTACKLAT_LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/filters/filters.h"
#include "lib/kernel/counters.h"
#include "lib/tables/bucket.h"
#include "lib/tables/hooks.h"

struct loader;

struct loader_config {
	bool hooks[NR_HOOKS];	 /* those to count at */
	bool stages;		 /* also from hook to hook ... */
	bool followed[NR_HOOKS]; /* ... of these, with those that do not count */
	bool wakeups;		 /* with stages, count the parts of what waits for readers ... */
	uint64_t least_parts_ns; /* ... of those that wait for as long as this; and ... */
	bool reader_waits;	 /* ... keep of each process why it read late */
	bool drops;		 /* with stages, count what is dropped on its way */
	bool include_hol_delay;	 /* count TCP data that waited behind a lost segment, too */
	unsigned int resolution; /* of the histograms, see bucket.h */
	const char *btf_path;	 /* of a file with the kernel's BTF; NULL: the kernel has it */
	struct filters filters;	 /* the caller's; zero for none */
	unsigned int group_by;	 /* keys, a bit each; 0 for no groups */
	unsigned int max_groups; /* rows for them, see group_row.h */
	bool slow;		 /* report slow packets one by one: */
	bool trace;		 /* each at each place, also on the way out; or ... */
	uint64_t slow_ns;	 /* ... those that are as slow as this, ... */
	uint32_t slow_limit;	 /* ... up to so many a second */

	/* With groups, some hooks go without these keys, a bit each, and times. */
	unsigned int keys_left_out[NR_HOOKS];
	bool since_left_out[NR_HOOKS][NR_SINCE];
	/* With groups by port, clients' are 0 from this one on; 0: they are not. */
	uint16_t first_folded_port;
};

/*
 * Loads the programs of the hooks and attaches them. What this kernel lacks or refuses is left out,
 * and *left_out says why, even where nothing is left and this fails. Failures are reported on
 * stderr and return NULL with errno set: ENOTSUP if nothing could be attached.
 */
struct loader *loader_start(const struct loader_config *config, struct left_out *left_out);

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

/* What the programs count in, and those that count; the loader keeps them open. */
struct map_fds loader_maps(const struct loader *loader);

#endif
