/* SPDX-License-Identifier: GPL-2.0 */
/* The life of the BPF object: open, configure, load, attach. Only here is the skeleton known. */
#ifndef NETSTACKLAT_LOADER_H
#define NETSTACKLAT_LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "snapshot.h"

struct loader;

struct loader_config {
	bool hooks[NR_HOOKS];	/* those to attach */
	bool include_hol_delay; /* count TCP data that waited behind a lost segment, too */
};

/*
 * Loads the programs of the hooks and attaches them. What this kernel cannot attach is reported and
 * left out; if nothing is left, this fails. Failures are reported on stderr and return NULL with
 * errno set: ENOTSUP if the kernel is to blame.
 */
struct loader *loader_start(const struct loader_config *config);

/*
 * Tells the programs what the wall clock is now: to be called again whenever it was set, or the TAI
 * offset. Returns 0 or a negative errno.
 */
int loader_set_clock(struct loader *loader);

/* Detaches and unloads everything. Accepts NULL. */
void loader_free(struct loader *loader);

/* The maps that the programs count in; the loader keeps them open. */
struct snapshot_maps loader_maps(const struct loader *loader);

#endif
