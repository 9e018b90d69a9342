// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/slow_packets.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/host/clock.h"
#include "lib/kernel/slow_reader.h"
#include "lib/report/packet.h"
#include "lib/serve/loop.h"
#include "lib/serve/output.h"
#include "lib/tables/units.h"

struct slow_packets {
	struct slow_packets_config config;
	struct slow_reader *reader;
	struct label_names *names;
	uint64_t named_ns; /* when names were looked up anew */
	uint64_t nr_printed;
};

static bool is_last(const struct slow_packets *packets)
{
	return packets->config.count && packets->nr_printed == packets->config.count;
}

static bool print(void *context, const struct slow_packet *packet)
{
	struct slow_packets *packets = context;
	struct packet_report report;

	packet_report_make(&report, packet, packets->names, packets->config.stages);
	packets->config.printer->packet(stdout, &report);
	packets->nr_printed++;
	return !is_last(packets);
}

struct slow_packets *slow_packets_new(const struct slow_packets_config *config, int map)
{
	struct slow_packets *packets = calloc(1, sizeof(*packets));
	int err;

	if (!packets)
		return NULL;
	packets->config = *config;
	packets->names = label_names_new();
	if (packets->names)
		packets->reader = slow_reader_new(map, print, packets);
	if (packets->reader)
		return packets;
	err = errno;
	slow_packets_free(packets);
	errno = err;
	return NULL;
}

void slow_packets_free(struct slow_packets *packets)
{
	if (!packets)
		return;
	slow_reader_free(packets->reader);
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

/* Returns how many there were, or a negative errno. */
static int read_some(struct slow_packets *packets)
{
	int nr, err;

	refresh_names(packets);
	nr = slow_reader_read(packets->reader);
	label_names_release(packets->names);
	if (nr < 0)
		return log_failure(nr, "cannot read the slow packets");
	err = output_flush();
	return err ? err : nr;
}

int slow_packets_come(void *context)
{
	struct slow_packets *packets = context;
	int nr = read_some(packets);

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
		nr = read_some(packets);
		if (nr < 0)
			return nr;
	}
	return 0;
}
