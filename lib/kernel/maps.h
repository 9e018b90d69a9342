/* SPDX-License-Identifier: GPL-2.0 */
/* Which maps of the BPF objects (maps.def) are created, and how large they are. Pure functions. */
#ifndef NETSTACKLAT_MAPS_H
#define NETSTACKLAT_MAPS_H

#include "lib/kernel/selection.h"

/* The maps of hooks come first, then those of filters. */
enum object_map {
	LAST_FILTER_MAP = NR_HOOKS + NR_FILTERS - 1,
#define MAP(name) MAP_##name,
#include "lib/tables/maps.def"
	NR_MAPS
};
#define MAP_OF_HOOK(hook) ((enum object_map)(hook))
#define MAP_OF_FILTER(filter) ((enum object_map)(NR_HOOKS + (filter)))

/* The name in an object. NULL: a filter that takes none. */
const char *map_name(enum object_map map);

/* The size stays as the object has it. */
#define AS_BUILT UINT32_MAX

/*
 * Finds how many entries each map has: 0 for maps that no program uses, as they would take memory,
 * on each CPU. Writes into the programs' configuration where to count what.
 */
void maps_size(__u32 sizes[NR_MAPS], struct config *programs, const struct plan *plan,
	       const struct selection *selection, const struct left_out *left_out);

#endif
