/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slow packets that waited for the same thing. A reader that stalls finds all packets late that
 * came meanwhile. Reported one by one, they would take many lines for one cause.
 */
#ifndef NETSTACKLAT_STALL_H
#define NETSTACKLAT_STALL_H

#include "lib/packet/packet.h"

/*
 * The place where the first packet waited, and for whom. It starts zeroed, and then has no packet.
 */
struct stall {
	bool has_first;
	enum hook hook, longest; /* NR_HOOKS: no stage is known */
	uint32_t tid, cpu;	 /* of the reader, or without one, where packets are handled */
	uint64_t slept_ns;	 /* with --wakeups: when the reader went to sleep */
	uint64_t ended_ns;	 /* when the first packet got on, wall clock ... */
	uint64_t last_ns;	 /* ... and the last */
	uint64_t nr_more;	 /* since the first, and not printed */
	uint64_t latest_ns;	 /* the largest latency of these */
};

/*
 * Returns whether a packet waited already when the first one went on, at the same stage and for the
 * same task, with no new wait of slow_ns in between; if so, counts it. If not, nothing is changed.
 */
bool stall_goes_on(struct stall *stall, const struct packet_report *report, uint64_t slow_ns);

/* Begins with a packet of another stall, after the count of the one before was printed. */
void stall_begin(struct stall *stall, const struct packet_report *first);

/*
 * Prints "and 6 more in the same stall, up to 49ms late" on a line, or nothing. The count starts
 * anew.
 */
void stall_print(FILE *out, struct stall *stall);

#endif
