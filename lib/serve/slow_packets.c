// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/slow_packets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/host/clock.h"
#include "lib/kernel/slow_reader.h"
#include "lib/report/packet.h"
#include "lib/report/pcapng.h"
#include "lib/report/trace.h"
#include "lib/serve/loop.h"
#include "lib/serve/output.h"
#include "lib/tables/units.h"

struct slow_packets {
	struct slow_packets_config config;
	struct slow_reader *reader;
	struct trace *trace; /* NULL: packets are told of as they come */
	struct label_names *names;
	uint64_t named_ns; /* when names were looked up anew */
	int trace_err;	   /* of the last packet that came */
	uint64_t nr_printed;
	FILE *pcap; /* NULL: there is none */
	uint64_t nr_without_bytes;
};

static bool is_last(const struct slow_packets *packets)
{
	return packets->config.count && packets->nr_printed == packets->config.count;
}

static void print(struct slow_packets *packets, const struct packet_report *report)
{
	packets->config.printer->packet(stdout, report);
	if (packets->pcap && !packet_print_pcapng(packets->pcap, report))
		packets->nr_without_bytes++;
	packets->nr_printed++;
}

/* Returns whether there may be more. */
static bool comes(void *context, const struct slow_packet *packet)
{
	struct slow_packets *packets = context;
	struct packet_report report;

	if (packets->trace) {
		packets->trace_err = trace_add(packets->trace, packet);
		return !packets->trace_err;
	}
	packet_report_make(&report, packet, packets->names, packets->config.stages);
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

static int fail_to_write(const struct slow_packets *packets)
{
	return log_failure(errno ? -errno : -EIO, "cannot write to '%s'", packets->config.pcap);
}

/* What was written must not wait in a buffer: Wireshark may follow. */
static int flush_pcap(struct slow_packets *packets)
{
	errno = 0;
	if (packets->pcap && (fflush(packets->pcap) || ferror(packets->pcap)))
		return fail_to_write(packets);
	return 0;
}

static int open_pcap(struct slow_packets *packets)
{
	if (!packets->config.pcap)
		return 0;
	packets->pcap = fopen(packets->config.pcap, "we");
	if (!packets->pcap)
		return fail_to_write(packets);
	pcapng_print_start(packets->pcap, SLOW_BYTES);
	return flush_pcap(packets);
}

/* Returns false with errno set. */
static bool open_reader(struct slow_packets *packets, int map)
{
	packets->names = label_names_new();
	if (!packets->names)
		return false;
	label_names_set_reasons(packets->names, packets->config.reasons);
	if (packets->config.trace) {
		packets->trace = trace_new();
		if (!packets->trace)
			return false;
	}
	packets->reader = slow_reader_new(map, comes, packets);
	return packets->reader;
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
	err = open_reader(packets, map) ? open_pcap(packets)
					: log_failure(-errno, "cannot read the slow packets");
	if (!err)
		return packets;
	slow_packets_free(packets);
	errno = -err;
	return NULL;
}

void slow_packets_free(struct slow_packets *packets)
{
	if (!packets)
		return;
	if (packets->pcap)
		fclose(packets->pcap);
	slow_reader_free(packets->reader);
	trace_free(packets->trace);
	label_names_free(packets->names);
	free(packets);
}

int slow_packets_fd(const struct slow_packets *packets)
{
	return slow_reader_fd(packets->reader);
}

/* To search all network namespaces takes a while: once a second will do. */
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
 * Returns how many there were, or a negative errno. Of traced ones, prints those that have gone; at
 * the end, all.
 */
static int read_some(struct slow_packets *packets, bool is_end)
{
	uint64_t now_ns = is_end ? UINT64_MAX : clock_monotonic_ns();
	int nr, err;

	refresh_names(packets);
	nr = slow_reader_read(packets->reader);
	/* Of what seems idle, more may wait in the buffer. */
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
		err = flush_pcap(packets);
	return err ? err : nr;
}

int slow_packets_come(void *context)
{
	struct slow_packets *packets = context;
	int nr = read_some(packets, false);

	if (nr < 0)
		return nr;
	return is_last(packets) ? LOOP_END : 0;
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
	/* Only now, for what is left in the buffer may be of traced packets that came before. */
	nr = is_last(packets) ? 0 : read_some(packets, true);
	if (nr < 0)
		return nr;
	if (packets->nr_without_bytes)
		log_error("of %" PRIu64 " slow packets, nothing was left to write to '%s'",
			  packets->nr_without_bytes, packets->config.pcap);
	return 0;
}
