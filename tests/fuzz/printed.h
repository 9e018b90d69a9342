/* SPDX-License-Identifier: GPL-2.0 */
/* What printers print, and what must be true of it whatever they were given. */
#ifndef NETSTACKLAT_FUZZ_PRINTED_H
#define NETSTACKLAT_FUZZ_PRINTED_H

#include "tests/fuzz/fuzz.h"

#include <json-c/json.h>

#include "lib/packet/packet.h"
#include "lib/packet/pcapng.h"

/* A line of JSON. */
static inline void require_json(const char *text, size_t size)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object;

	require(tokener && size && text[size - 1] == '\n');
	require(!memchr(text, '\n', size - 1));
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, size - 1);
	require(json_object_is_type(object, json_type_object));
	json_object_put(object);
	json_tokener_free(tokener);
}

/* Blocks that say at both ends how long they are. */
static inline void require_pcapng(const char *text, size_t size)
{
	while (size) {
		uint32_t first, last;

		require(size >= 3 * sizeof(first));
		memcpy(&first, text + sizeof(first), sizeof(first));
		require(first >= 3 * sizeof(first) && first % sizeof(first) == 0 && first <= size);
		memcpy(&last, text + first - sizeof(last), sizeof(last));
		require(first == last);
		text += first;
		size -= first;
	}
}

static inline unsigned int nr_lines(const char *text)
{
	unsigned int nr = 0;

	while ((text = strchr(text, '\n'))) {
		nr++;
		text++;
	}
	return nr;
}

/* In all formats. */
static inline void print_packet(const struct packet_report *report)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	packet_print_text(out, report);
	fflush(out);
	require(size == strlen(text));
	require_printable(text);
	require(nr_lines(text) ==
		1 + report->nr_steps + (report->reader.state != READER_UNKNOWN ? 1 : 0));
	rewind(out);
	packet_print_json(out, report);
	fflush(out);
	require_json(text, size);
	rewind(out);
	if (packet_print_pcapng(out, report)) {
		fflush(out);
		require(size <= PIPE_BUF);
		require_pcapng(text, size);
	}
	fclose(out);
	free(text);
}

#endif
