/* SPDX-License-Identifier: GPL-2.0 */
/* The measurements of a run over time, to be drawn: a timeline, and the slowest packets. */
#ifndef NETSTACKLAT_RECORDING_H
#define NETSTACKLAT_RECORDING_H

#include "lib/print/columns.h"
#include "lib/packet/packet.h"
#include "lib/report/report.h"

/* There are so many panels where only the latest columns are kept. */
#define MAX_LATEST_PANELS 256

/* The slowest are kept. */
#define MAX_RECORDED_PACKETS 1000

struct recorded_packet {
	uint64_t time_ns; /* wall clock, since 1970 */
	enum hook hook;	  /* where it was reported ... */
	uint64_t latency_ns;
	enum hook longest_to; /* ... and where its longest step ended; NR_HOOKS: not known */
	uint64_t longest_ns;
	char *text; /* as text reports it, with its journey */
};

struct recording;

/* Records intervals that are this long, split in these ways. NULL with errno set. */
struct recording *recording_new(enum timeline_keeps keeps, const struct splits *splits,
				unsigned int resolution, uint64_t interval_ns);
void recording_free(struct recording *recording);

/* Adds the report of an interval. Both return 0 or, after saying so, -ENOMEM. */
int recording_add(struct recording *recording, const struct report *report);
int recording_add_packet(struct recording *recording, const struct packet_report *packet);

/* They are the recording's. Packets are in no order. */
const struct splits *recording_splits(const struct recording *recording);
const struct timeline *recording_timeline(const struct recording *recording);
const struct recorded_packet *recording_packets(const struct recording *recording, size_t *nr);

/* Returns how many more packets there were. */
uint64_t recording_packets_left_out(const struct recording *recording);

#endif
