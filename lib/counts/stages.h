/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stages: the way of packets from one hook to the next. This says which stages there can be, and
 * where their buckets are. Pure functions.
 */
#ifndef NETSTACKLAT_STAGES_H
#define NETSTACKLAT_STAGES_H

#include "lib/counts/groups.h"
#include "lib/tables/hooks.h"

/* Returns whether packets go from one hook to the other, even if there are others in between. */
bool stage_is_possible(enum hook from, enum hook to);

/*
 * Returns whether everything that a hook counts is a stage: from the stamp to netif-receive, or a
 * socket's span, between the ways in and out.
 */
bool stage_is_whole_hook(enum hook hook);

/*
 * Returns whether most packets do not take this stage: it goes past a hook that they are followed
 * to, or begins at one that few come by.
 */
bool stage_skips(const bool followed[NR_HOOKS], __u8 from, enum hook to);

/* The last one of these that packets pass before a hook; NR_HOOKS for none. */
enum hook stage_last_hook(const bool followed[NR_HOOKS], enum hook to);

/*
 * These tell what struct group's from means, which is not 0: a hook or, from NR_HOOKS on, an enum
 * reader_part; and the packet's IP version.
 */
enum hook stage_from_hook(__u8 from);
unsigned int stage_ip_version(__u8 from);

/*
 * The numbers of blocks of buckets, by the probe where a stage ends and by its begin. They count
 * from 1, so that 0 means none.
 */
typedef __u16 stage_blocks[NR_PROBES][NR_STAGE_FROMS];

/*
 * Numbers the stages that begin at hooks that packets are followed to, and end at those that count;
 * with wakeups, also the parts of what waits for readers. Returns the last one's number.
 */
unsigned int stages_number(const bool followed[NR_HOOKS], const bool counted[NR_HOOKS],
			   bool wakeups, stage_blocks blocks);

/*
 * Returns the same stages as groups, with those of a hook's probes as one: an array, to be freed,
 * or NULL.
 */
struct group *stages_list(const stage_blocks blocks, size_t *nr);

/* Returns the place in this list of a stage with this begin and end; nr if it is not there. */
size_t stages_find(const struct group *stages, size_t nr, enum hook to, __u8 from);

/* Returns whether any stage ends at a hook. */
bool stages_end_at(const stage_blocks blocks, enum hook hook);

#endif
