/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the counts of packets that are dropped on their way (lib/bpf/path/stage_drop.bpf.h). */
#ifndef NETSTACKLAT_STAGE_DROPS_H
#define NETSTACKLAT_STAGE_DROPS_H

#include <stdint.h>

#include "lib/tables/stage.h"

/*
 * Adds the key that counts drops without room, before the map is full. Returns 0 or a negative
 * errno.
 */
int stage_drops_prepare(int map);

struct stage_drops;

/* Begins to read a map, which the caller keeps open. NULL with errno set. */
struct stage_drops *stage_drops_new(int map);
void stage_drops_free(struct stage_drops *drops);

/*
 * Reads all counts. Counts that were read before keep their places. Returns 0 or a negative errno.
 */
int stage_drops_read(struct stage_drops *drops, uint64_t counts[NR_STAGE_DROPS]);

/* The keys that are counted at each place, as of the last reading. */
const struct stage_drop *stage_drops_keys(const struct stage_drops *drops);

#endif
