// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/slow_packets.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/base/clock.h"
#include "lib/kernel/slow_ring.h"
#include "lib/packet/packet.h"
#include "lib/packet/stall.h"
#include "lib/packet/trace.h"
#include "lib/base/loop.h"
#include "lib/serve/output.h"
#include "lib/tables/units.h"

struct slow_packets {
	struct slow_packets_config config;
	struct slow_ring *ring;
	struct trace *trace; /* NULL: packets are reported as they come */
	struct label_names *names;
	uint64_t named_ns; /* when names were looked up anew */
	int trace_err;	   /* of the last packet that came */
	int pcap_err;	   /* likewise, and said ... */
	int record_err;	   /* ... and this one */
	uint64_t nr_printed;
	struct stall stall; /* of the last packet, if these are folded */
};

static bool is_last(const struct slow_packets *packets)
{
	return packets->config.count && packets->nr_printed == packets->config.count;
}

static void print_single(struct slow_packets *packets, const struct packet_report *report)
{
	stall_print(stdout, &packets->stall);
	packets->config.printer->packet(stdout, report);
	stall_begin(&packets->stall, report);
}

static void print(struct slow_packets *packets, const struct packet_report *report)
{
	if (packets->config.recording && !packets->record_err)
		packets->record_err = recording_add_packet(packets->config.recording, report);
	if (live_is_open(packets->config.live))
		live_packet(packets->config.live, report);
	else if (!packets->config.fold_ns ||
		 !stall_goes_on(&packets->stall, report, packets->config.fold_ns))
		print_single(packets, report);
	if (packets->config.pcap && !packets->pcap_err)
		packets->pcap_err = pcap_file_add(packets->config.pcap, report);
	packets->nr_printed++;
}

/* Returns whether there may be more. */
static bool take_packet(void *context, const struct slow_packet *packet)
{
	struct slow_packets *packets = context;
	struct packet_report report;

	if (packets->trace) {
		packets->trace_err = trace_add(packets->trace, packet);
		return !packets->trace_err;
	}
	packet_report_make(&report, packet, packets->names, packets->config.plan->stages);
	print(packets, &report);
	return !is_last(packets);
}

/* Prints the traced packets that have gone by now_ns. */
static void print_traced(struct slow_packets *packets, uint64_t now_ns)
{
	struct traced_packet *traced;
	struct packet_report report;

	while (packets->trace && !is_last(packets)) {
		traced = trace_next(packets->trace, now_ns);
		if (!traced)
			break;
		packet_report_make_traced(&report, traced, packets->names);
		print(packets, &report);
		free(traced);
	}
}

/* Returns false with errno set. */
static bool open_reader(struct slow_packets *packets, int map)
{
	packets->names = label_names_new();
	if (!packets->names)
		return false;
	label_names_set_reasons(packets->names, packets->config.reasons);
	if (packets->config.plan->trace) {
		packets->trace = trace_new();
		if (!packets->trace)
			return false;
	}
	packets->ring = slow_ring_new(map, take_packet, packets);
	return packets->ring;
}

struct slow_packets *slow_packets_new(const struct slow_packets_config *config, int map)
{
	struct slow_packets *packets = calloc(1, sizeof(*packets));
	int err;

	if (!packets) {
		log_failure(-ENOMEM, "cannot read the slow packets");
		return NULL;
	}
	packets->config = *config;
	if (open_reader(packets, map))
		return packets;
	err = log_failure(-errno, "cannot read the slow packets");
	slow_packets_free(packets);
	errno = -err;
	return NULL;
}

void slow_packets_free(struct slow_packets *packets)
{
	if (!packets)
		return;
	slow_ring_free(packets->ring);
	trace_free(packets->trace);
	label_names_free(packets->names);
	free(packets);
}

void slow_packets_begin(struct slow_packets *packets, uint64_t began_ns)
{
	if (packets->trace)
		trace_begin(packets->trace, began_ns);
}

int slow_packets_fd(const struct slow_packets *packets)
{
	return slow_ring_fd(packets->ring);
}

/* Searching all network namespaces takes a while: once a second is enough. */
static void refresh_names(struct slow_packets *packets)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (packets->named_ns && now_ns - packets->named_ns < NS_PER_S)
		return;
	packets->named_ns = now_ns;
	label_names_refresh(packets->names);
}

uint64_t slow_packets_period_ns(const struct slow_packets *packets)
{
	return packets->trace ? TRACE_IDLE_NS / 2 : 0;
}

/*
 * Prints traced packets that have gone, or all at the end. Returns how many there were, or a
 * negative errno.
 */
static int read_some(struct slow_packets *packets, bool is_end)
{
	uint64_t now_ns = is_end ? UINT64_MAX : clock_monotonic_ns();
	int nr, err;

	refresh_names(packets);
	nr = slow_ring_read(packets->ring);
	/* More packets of what seems idle may wait in the buffer. */
	if (nr == MAX_SLOW_AT_ONCE && !is_end)
		now_ns = 0;
	if (nr >= 0 && packets->trace_err)
		nr = packets->trace_err;
	if (nr >= 0)
		print_traced(packets, now_ns);
	label_names_release(packets->names);
	if (nr < 0)
		return log_failure(nr, "cannot read the slow packets");
	err = output_flush();
	if (!err)
		err = packets->pcap_err ? packets->pcap_err : packets->record_err;
	return err ? err : nr;
}

int slow_packets_read(void *context)
{
	struct slow_packets *packets = context;
	int nr = read_some(packets, false);

	if (nr < 0)
		return nr;
	return is_last(packets) ? LOOP_END : 0;
}

int slow_packets_flush(struct slow_packets *packets)
{
	stall_print(stdout, &packets->stall);
	return output_flush();
}

int slow_packets_end(struct slow_packets *packets)
{
	int nr = MAX_SLOW_AT_ONCE;

	/* No more than fit into the buffer: more may come all the time. */
	for (int left = SLOW_RING_SIZE / (int)sizeof(struct slow_packet);
	     left > 0 && nr == MAX_SLOW_AT_ONCE && !is_last(packets); left -= nr) {
		nr = read_some(packets, false);
		if (nr < 0)
			return nr;
	}
	/* This comes last, as traced packets that came before may still be in the buffer. */
	nr = is_last(packets) ? 0 : read_some(packets, true);
	return nr < 0 ? nr : slow_packets_flush(packets);
}
