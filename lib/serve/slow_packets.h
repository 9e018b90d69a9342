/* SPDX-License-Identifier: GPL-2.0 */
/* Has slow packets printed as they come. */
#ifndef NETSTACKLAT_SLOW_PACKETS_H
#define NETSTACKLAT_SLOW_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/live/live.h"
#include "lib/print/printer.h"
#include "lib/serve/pcap_file.h"

struct slow_packets_config {
	const struct printer *printer; /* one that has room for packets */
	uint64_t fold_ns; /* if not 0, those of one stall are folded: how late a packet is to be
			     reported */
	const struct plan *plan;      /* the caller's */
	struct reason_names *reasons; /* to drop them; the caller's, or NULL */
	struct recording *recording;  /* where they are kept, too; the caller's, or NULL */
	struct live *live; /* where they are drawn as long as it is open; the caller's, or NULL */
	uint64_t count;	   /* of packets to print; 0: no limit */
	struct pcap_file *pcap; /* for their bytes; the caller's, or NULL */
};

struct slow_packets;

/*
 * Reads from the ring buffer with this descriptor. NULL with errno set, after saying what failed.
 */
struct slow_packets *slow_packets_new(const struct slow_packets_config *config, int map);
void slow_packets_free(struct slow_packets *packets);

/* Says since when, in ns as of clock_kernel_ns(), traced packets have whole journeys. */
void slow_packets_begin(struct slow_packets *packets, uint64_t began_ns);

/*
 * The loop waits for this descriptor, for EPOLLIN, and calls the function then, with slow_packets
 * as context.
 */
int slow_packets_fd(const struct slow_packets *packets);
int slow_packets_read(void *context);

/*
 * Returns how often to call that without being woken, in ns; 0: never. No event tells when a traced
 * packet has gone.
 */
uint64_t slow_packets_period_ns(const struct slow_packets *packets);

/* Reports what was folded, if anything. Returns as output_flush(). */
int slow_packets_flush(struct slow_packets *packets);

/* Prints what is left. Both return as output_flush(), the first LOOP_END after the last packet. */
int slow_packets_end(struct slow_packets *packets);

#endif
