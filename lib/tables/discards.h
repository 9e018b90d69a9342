/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that are not recorded (discards.def). */
#ifndef NETSTACKLAT_DISCARDS_H
#define NETSTACKLAT_DISCARDS_H

#include "lib/tables/hook_ids.h"

/* Why a sample was not recorded. */
enum discard {
#define DISCARD(id, name, meaning) DISCARD_##id,
#include "lib/tables/discards.def"
	NR_DISCARDS
};

/* Map netstack_discards, a per-CPU array of __u64 counts: NR_DISCARDS for each probe. */
#define NR_DISCARD_COUNTS (NR_PROBES * NR_DISCARDS)

struct discard_info {
	const char *name;    /* for programs */
	const char *meaning; /* for people */
};

extern const struct discard_info discards[NR_DISCARDS];

#endif
