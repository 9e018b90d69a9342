/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stages: the way of packets from one hook to the next. Which there can be, and where their buckets
 * are. Pure functions.
 */
#ifndef NETSTACKLAT_STAGES_H
#define NETSTACKLAT_STAGES_H

#include "lib/counts/groups.h"
#include "lib/tables/hooks.h"

/* Returns whether packets go from one hook to the other, be there others in between. */
bool stage_is_possible(enum hook from, enum hook to);

/*
 * Returns whether all that a hook counts is a stage: from the stamp to netif-receive, or of a
 * socket, between the ways in and out.
 */
bool stage_is_whole_hook(enum hook hook);

/*
 * Returns whether a stage is not on the way of most packets: it goes past one of the hooks that
 * they are followed to, or begins at one that few come by.
 */
bool stage_skips(const bool followed[NR_HOOKS], __u8 from, enum hook to);

/* The last one of these that packets pass before a hook; NR_HOOKS for none. */
enum hook stage_last_hook(const bool followed[NR_HOOKS], enum hook to);

/*
 * These tell what struct group's from is, which must not be 0: a hook, or from NR_HOOKS on an enum
 * reader_part; and the packet's IP version.
 */
enum hook stage_from_hook(__u8 from);
unsigned int stage_ip_version(__u8 from);

/*
 * Blocks of buckets from 1 on, by probe that a stage ends at and by what it begins with: no program
 * has to tell none from the first.
 */
typedef __u16 stage_blocks[NR_PROBES][NR_STAGE_FROMS];

/*
 * Numbers the stages that begin at hooks that packets are followed to, and end at those that count;
 * with wakeups, also the parts of what waits for readers. Returns the last one's number.
 */
unsigned int stages_number(const bool followed[NR_HOOKS], const bool counted[NR_HOOKS],
			   bool wakeups, stage_blocks blocks);

/* The same stages as groups, those of a hook's probes in one: an array, to be freed, or NULL. */
struct group *stages_list(const stage_blocks blocks, size_t *nr);

/* The number in this list of what a stage begins and ends with; nr if it is not there. */
size_t stages_find(const struct group *stages, size_t nr, enum hook to, __u8 from);

/* Returns whether any stage ends at a hook. */
bool stages_end_at(const stage_blocks blocks, enum hook hook);

#endif
