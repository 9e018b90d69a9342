/* SPDX-License-Identifier: GPL-2.0 */
/* A slow packet as it is reported: the programs' words become hooks, addresses and names. */
#ifndef NETSTACKLAT_PACKET_H
#define NETSTACKLAT_PACKET_H

#include <stdio.h>

#include "lib/report/labels.h"
#include "lib/packet/flow.h"
#include "lib/packet/trace.h"
#include "lib/tables/hooks.h"

/*
 * The time that a packet took to a hook, from the hook before or, to the first one, from its stamp.
 */
struct packet_step {
	enum hook hook;
	uint64_t ns;
	const struct slow_packet *seen; /* of a traced packet: as it was there; or NULL */
};

#define MAX_PACKET_STEPS MAX_TRACE_STEPS

/* The reader's time while the packet was on the queue. */
enum reader_state { READER_UNKNOWN, READER_ASLEEP, READER_READY, READER_RUNNING };
struct packet_reader {
	enum reader_state state; /* for the longest time */
	uint64_t asleep_ns, ready_ns, running_ns;
	uint32_t asleep_in; /* for the longest time, see asleep_in.h */
};

struct packet_report {
	const struct slow_packet *packet; /* where it is */
	const struct slow_packet *bytes;  /* the same, or where it had more of them */
	enum hook hook;
	uint64_t latency_ns;
	struct flow flow;
	struct packet_step steps[MAX_PACKET_STEPS]; /* they add up to its latency; with stages */
	unsigned int nr_steps;
	struct packet_reader reader; /* with --wakeups */
	struct label_names *names;
};

void packet_report_make(struct packet_report *report, const struct slow_packet *packet,
			struct label_names *names, bool stages);

/* Makes a report of all that was seen of a packet. */
void packet_report_make_traced(struct packet_report *report, const struct traced_packet *traced,
			       struct label_names *names);

/* The name of the hook or, on the way out, of the kernel's tracepoint. */
const char *packet_place(const struct slow_packet *packet);
const char *packet_step_name(const struct packet_step *step);

/* Its labels, of those of these keys (a bit each) that are known. */
void packet_labels(const struct packet_report *report, unsigned int keys, struct labels *labels);

/* Its labels as they were at a step of a traced packet. */
void packet_step_labels(const struct packet_report *report, const struct packet_step *step,
			unsigned int keys, struct labels *labels);

/* The step that took the longest; NULL if there are less than two. */
const struct packet_step *packet_longest_step(const struct packet_report *report);

/* Printers: a line of text, with the journey on lines of its own, and a line of JSON. */
void packet_print_text(FILE *out, const struct packet_report *report);
void packet_print_json(FILE *out, const struct packet_report *report);

/*
 * Prints its bytes to a file for Wireshark (see pcapng.h), with what text has as the comment.
 * Returns false if there are none: TCP has freed them by the time it is read.
 */
bool packet_print_pcapng(FILE *out, const struct packet_report *report);

/*
 * Prints the text about a packet that is not in its bytes: "udp-socket-read 50ms {...}", and its
 * journey on lines of its own.
 */
void packet_print_comment(FILE *out, const struct packet_report *report);

/* Returns what one of these printers prints of a packet, to be freed; NULL without memory. */
char *packet_text(void (*print)(FILE *out, const struct packet_report *report),
		  const struct packet_report *report);

#endif
