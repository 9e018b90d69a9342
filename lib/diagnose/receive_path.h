/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the way to a socket's queue, and their means. Pure arithmetic on a report. */
#ifndef NETSTACKLAT_RECEIVE_PATH_H
#define NETSTACKLAT_RECEIVE_PATH_H

#include "lib/diagnose/tally.h"

struct path_part {
	const struct class_stage *stage;
	uint64_t count, ns; /* of packets, and of all of them together */
};

#define MAX_PATH_PARTS 8

/*
 * Lists the parts that take a tenth of the whole way or more, in packet order: of all packets in
 * the place's namespace that may be of its protocol and, if a socket is known, at its port. Returns
 * how many parts there are.
 */
size_t receive_path_find(const struct report *report, const struct place *place,
			 struct path_part parts[MAX_PATH_PARTS]);

static inline uint64_t path_part_mean_ns(const struct path_part *part)
{
	return part->count ? part->ns / part->count : 0;
}

#endif
