/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads what programs count of packets that are dropped on their way
 * (lib/bpf/path/stage_drop.bpf.h).
 */
#ifndef NETSTACKLAT_STAGE_DROPS_H
#define NETSTACKLAT_STAGE_DROPS_H

#include <stdint.h>

#include "lib/tables/stage.h"

/* Puts the key for what finds no room into the map, before others do. 0 or a negative errno. */
int stage_drops_prepare(int map);

struct stage_drops;

/* Begins to read a map, which the caller keeps open. NULL with errno set. */
struct stage_drops *stage_drops_new(int map);
void stage_drops_free(struct stage_drops *drops);

/* Reads all counts. What was read before keeps its place. Returns 0 or a negative errno. */
int stage_drops_read(struct stage_drops *drops, uint64_t counts[NR_STAGE_DROPS]);

/* The keys that are counted at each place, as far as they were read by then. */
const struct stage_drop *stage_drops_keys(const struct stage_drops *drops);

#endif
