/* SPDX-License-Identifier: GPL-2.0 */
/* The life of the BPF object: open, configure, load, attach. Only here is the skeleton known. */
#ifndef NETSTACKLAT_LOADER_H
#define NETSTACKLAT_LOADER_H

#include <stdint.h>

#include "snapshot.h"

struct loader;

/*
 * Loads the programs of all hooks, with tai_offset_ns (TAI - CLOCK_REALTIME) as their clock's
 * offset, and attaches them. A probe that this kernel cannot attach is reported and left out; if
 * none is left, this fails. Failures are reported on stderr and return NULL with errno set: ENOTSUP
 * if the kernel is to blame.
 */
struct loader *loader_start(int64_t tai_offset_ns);

/* Detaches and unloads everything. Accepts NULL. */
void loader_free(struct loader *loader);

/* The maps that the programs count in; the loader keeps them open. */
struct snapshot_maps loader_maps(const struct loader *loader);

#endif
