// SPDX-License-Identifier: GPL-2.0
#include "lib/print/recording.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/log.h"

/* Either the latest ten minutes of seconds, or all of an hour, in columns of eight seconds. */
#define MAX_COLUMNS 600
static const size_t max_panels[] = { [KEEPS_LATEST] = MAX_LATEST_PANELS, [KEEPS_ALL] = 256 };

struct recording {
	struct splits splits;
	uint64_t interval_ns;
	struct timeline *timeline;
	struct recorded_packet packets[MAX_RECORDED_PACKETS];
	size_t nr_packets;
	uint64_t nr_left_out;
};

struct recording *recording_new(enum timeline_keeps keeps, const struct splits *splits,
				unsigned int resolution, uint64_t interval_ns)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	recording->splits = *splits;
	recording->interval_ns = interval_ns;
	recording->timeline = timeline_new(keeps, resolution, MAX_COLUMNS, max_panels[keeps]);
	if (recording->timeline)
		return recording;
	free(recording);
	errno = ENOMEM;
	return NULL;
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	timeline_free(recording->timeline);
	for (size_t i = 0; i < recording->nr_packets; i++)
		free(recording->packets[i].text);
	free(recording);
}

static int say(int err)
{
	return err ? log_failure(err, "cannot keep what was measured") : 0;
}

int recording_add(struct recording *recording, const struct report *report)
{
	return say(columns_add(recording->timeline, report, &recording->splits,
			       recording->interval_ns));
}

/*
 * Returns the next place or, if all are taken, the fastest packet's. NULL if this packet is faster.
 */
static struct recorded_packet *find_place(struct recording *recording, uint64_t latency_ns)
{
	struct recorded_packet *fastest = recording->packets;

	if (recording->nr_packets < MAX_RECORDED_PACKETS)
		return &recording->packets[recording->nr_packets++];
	recording->nr_left_out++;
	for (size_t i = 1; i < MAX_RECORDED_PACKETS; i++)
		if (recording->packets[i].latency_ns < fastest->latency_ns)
			fastest = &recording->packets[i];
	return fastest->latency_ns < latency_ns ? fastest : NULL;
}

int recording_add_packet(struct recording *recording, const struct packet_report *packet)
{
	const struct packet_step *longest = packet_longest_step(packet);
	struct recorded_packet *place = find_place(recording, packet->latency_ns);

	if (!place)
		return 0;
	free(place->text);
	*place = (struct recorded_packet){
		.time_ns = packet->packet->time_ns,
		.hook = packet->hook,
		.latency_ns = packet->latency_ns,
		.longest_to = longest ? longest->hook : NR_HOOKS,
		.longest_ns = longest ? longest->ns : 0,
		.text = packet_text(packet_print_text, packet),
	};
	return say(place->text ? 0 : -ENOMEM);
}

const struct splits *recording_splits(const struct recording *recording)
{
	return &recording->splits;
}

const struct timeline *recording_timeline(const struct recording *recording)
{
	return recording->timeline;
}

const struct recorded_packet *recording_packets(const struct recording *recording, size_t *nr)
{
	*nr = recording->nr_packets;
	return recording->packets;
}

uint64_t recording_packets_left_out(const struct recording *recording)
{
	return recording->nr_left_out;
}
