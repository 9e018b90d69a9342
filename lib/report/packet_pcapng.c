// SPDX-License-Identifier: GPL-2.0
#include "lib/report/packet.h"

#include <stdlib.h>

#include "lib/report/pcapng.h"

/* To be freed; NULL without memory. */
static char *comment_of(const struct packet_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	packet_print_comment(out, report);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	/* The last line has no end. */
	text[size - 1] = '\0';
	return text;
}

bool packet_print_pcapng(FILE *out, const struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;
	uint32_t length = report->flow.length;
	char *comment;

	/* What is not IP has no length. */
	if (!packet->nr_bytes || !length)
		return false;
	comment = comment_of(report);
	pcapng_print_packet(
		out, &(struct pcapng_packet){
			     .time_ns = packet->time_ns,
			     .bytes = packet->bytes,
			     /* Behind short packets, there is padding. */
			     .nr_bytes = packet->nr_bytes < length ? packet->nr_bytes : length,
			     .length = length,
			     .comment = comment ? comment : "",
		     });
	free(comment);
	return true;
}
