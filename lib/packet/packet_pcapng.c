// SPDX-License-Identifier: GPL-2.0
#include "lib/packet/packet.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/packet/pcapng.h"

/* A pipe takes a packet of this size whole, or not at all. */
#define MAX_COMMENT (PIPE_BUF - PCAPNG_PACKET_SIZE - SLOW_BYTES)

static const char cut[] = "\n...";

/* Leaves whole lines, if the first is not too long already. */
static void shorten(char *text)
{
	const size_t max = MAX_COMMENT - strlen(cut);
	char *line = memrchr(text, '\n', max + 1);

	strcpy(line ? line : text + max, cut);
}

/* The caller frees it; NULL without memory. */
static char *comment_of(const struct packet_report *report)
{
	char *text = packet_text(packet_print_comment, report);
	size_t size;

	if (!text)
		return NULL;
	/* The last line has no end. */
	size = strlen(text) - 1;
	text[size] = '\0';
	if (size > MAX_COMMENT)
		shorten(text);
	return text;
}

bool packet_print_pcapng(FILE *out, const struct packet_report *report)
{
	const struct slow_packet *bytes = report->bytes;
	uint32_t length = report->flow.length;
	char *comment;

	/* A packet that is not IP has no length. */
	if (!bytes->nr_bytes || !length)
		return false;
	comment = comment_of(report);
	pcapng_print_packet(out,
			    &(struct pcapng_packet){
				    .time_ns = report->packet->time_ns,
				    .bytes = bytes->bytes,
				    /* Short packets have padding behind them. */
				    .nr_bytes = bytes->nr_bytes < length ? bytes->nr_bytes : length,
				    .length = length,
				    .comment = comment ? comment : "",
			    });
	free(comment);
	return true;
}
