/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts together, with --trace, the reports of programs at each place, packet by packet, as they
 * come from all CPUs.
 */
#ifndef NETSTACKLAT_TRACE_H
#define NETSTACKLAT_TRACE_H

#include <stdint.h>

#include "lib/tables/slow_packet.h"

/* A packet of which nothing was heard for that long is taken to have gone. */
#define TRACE_IDLE_NS 200000000ULL

#define MAX_TRACE_STEPS 32

struct traced_packet {
	unsigned int nr;
	struct slow_packet steps[MAX_TRACE_STEPS]; /* where it was, in order */
};

struct trace;

/* NULL with errno set. */
struct trace *trace_new(void);
void trace_free(struct trace *trace);

/* Leaves out packets that were on their way before: their first steps may be missing. */
void trace_begin(struct trace *trace, uint64_t began_ns);

/* A packet is there now. Returns 0 or -ENOMEM. */
int trace_add(struct trace *trace, const struct slow_packet *step);

/*
 * Returns the packet that was seen first, if it is gone by now_ns, on the monotonic clock: it was
 * read or dropped, or is idle. NULL if it is not, or there is none. The caller frees it with
 * free().
 */
struct traced_packet *trace_next(struct trace *trace, uint64_t now_ns);

#endif
