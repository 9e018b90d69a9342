// SPDX-License-Identifier: GPL-2.0
/*
 * A page for a browser, of a whole recording: page.html, with its data as JSON. The data is
 * compressed, so that an hour of seconds fits into two megabytes, and in base64, so that no name in
 * it can pass for a part of the page.
 */
#include "lib/print/printer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/gzip.h"
#include "lib/base/json_values.h"
#include "lib/base/log.h"
#include "lib/print/columns.h"
#include "lib/print/page.h"
#include "lib/tables/units.h"

/* The page has a zero behind it. */
extern const char page_html[];
__asm__(".section .rodata\n"
	"page_html: .incbin \"lib/print/page.html\"\n"
	".byte 0\n"
	".previous\n");

/* The data that it draws takes this place. */
#define PLACE_OF_DATA "@DATA@"

static void print_string(FILE *out, const char *text)
{
	json_print(out, json_new_string(text));
}

static void print_command(FILE *out, char *const *command)
{
	fputs("\"command\":[", out);
	for (size_t i = 0; command && command[i]; i++) {
		char text[PRINTABLE_SIZE(1024)], argument[1025];

		snprintf(argument, sizeof(argument), "%s", command[i]);
		fputs(i ? "," : "", out);
		print_string(out, printable_copy(text, argument));
	}
	fputc(']', out);
}

/* The bounds of the buckets, the last of which has none. */
static void print_bounds(FILE *out, unsigned int resolution)
{
	fputs("\"le_ns\":[", out);
	for (unsigned int i = 0; i + 1 < NR_BUCKETS(resolution); i++)
		fprintf(out, "%" PRIu64 ",", (uint64_t)bucket_le_ns(i, resolution));
	fputs("null]", out);
}

/*
 * Adds the columns, the oldest first: when they ended and how long they are, in ms; and which are
 * marked.
 */
static void print_columns(FILE *out, const struct timeline *timeline)
{
	fputs("\"columns\":[", out);
	for (size_t age = timeline_nr_columns(timeline); age-- > 0;) {
		const struct timeline_column *column = timeline_column_at(timeline, age);

		fprintf(out, "[%" PRIu64 ",%" PRIu64 ",%d,%d]%s",
			(uint64_t)(column->time_ns / NS_PER_MS),
			(uint64_t)(column->duration_ns / NS_PER_MS), column->clock_changed,
			column->is_gap, age ? "," : "");
	}
	fputc(']', out);
}

/*
 * Adds a column, its sum in ns, the first bucket with samples, and all counts from there to the
 * last.
 */
static void print_cell(FILE *out, size_t column, const struct histogram *latency)
{
	int first = histogram_first(latency), last = histogram_last(latency);

	fprintf(out, "[%zu,%" PRIu64 ",%d", column, histogram_sum_ns(latency), first);
	for (int i = first; i <= last; i++)
		fprintf(out, ",%llu", latency->buckets[i].count);
	fputc(']', out);
}

static void print_panel(FILE *out, const struct timeline *timeline, size_t panel)
{
	const struct timeline_name *name = timeline_name_of(timeline, panel);
	size_t nr = timeline_nr_columns(timeline);
	const char *separator = "";

	fprintf(out, "{\"view\":\"%s\",\"rank\":%u,\"section\":", view_names[name->view],
		name->rank);
	print_string(out, name->section);
	fputs(",\"label\":", out);
	print_string(out, name->label);
	fputs(",\"cells\":[", out);
	for (size_t i = 0; i < nr; i++) {
		struct histogram latency = { .resolution = timeline_resolution(timeline) };

		if (!timeline_latency(timeline, panel, nr - 1 - i, &latency))
			continue;
		fputs(separator, out);
		print_cell(out, i, &latency);
		separator = ",";
	}
	fputs("]}", out);
}

static void print_panels(FILE *out, const struct page *page)
{
	const char *separator = "";

	fputs("\"panels\":[", out);
	for (size_t i = 0; i < timeline_nr_panels(page->timeline); i++) {
		const struct timeline_name *name = timeline_name_of(page->timeline, i);

		if (name->view != VIEW_HOOKS && name->split != page->split)
			continue;
		fputs(separator, out);
		print_panel(out, page->timeline, i);
		separator = ",";
	}
	fputc(']', out);
}

static void print_packet(FILE *out, const struct recorded_packet *packet)
{
	fprintf(out, "{\"time_ms\":%" PRIu64 ",\"hook\":\"%s\",\"latency_ns\":%" PRIu64 ",",
		(uint64_t)(packet->time_ns / NS_PER_MS), hooks[packet->hook].name,
		packet->latency_ns);
	if (packet->longest_to < NR_HOOKS)
		fprintf(out, "\"longest_to\":\"%s\",\"longest_ns\":%" PRIu64 ",",
			hooks[packet->longest_to].name, packet->longest_ns);
	fputs("\"text\":", out);
	print_string(out, packet->text);
	fputc('}', out);
}

static void print_packets(FILE *out, const struct recording *recording)
{
	size_t nr = 0;
	const struct recorded_packet *packets =
		recording ? recording_packets(recording, &nr) : NULL;

	fputs("\"packets\":[", out);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? "," : "", out);
		print_packet(out, &packets[i]);
	}
	fputc(']', out);
}

/* The data that the page draws; the script in it knows these names. */
static void print_model(FILE *out, const struct page *page)
{
	fputs("{\"host\":", out);
	print_string(out, page->host);
	fputs(",\"kernel\":", out);
	print_string(out, page->kernel);
	fprintf(out, ",\"version\":\"%s\",", VERSION);
	print_command(out, page->command);
	fputs(",\"verdict\":", out);
	print_string(out, page->verdict ?: "");
	fputc(',', out);
	print_bounds(out, timeline_resolution(page->timeline));
	fprintf(out, ",\"nr_before\":%zu,", page->nr_before);
	print_columns(out, page->timeline);
	fputc(',', out);
	print_panels(out, page);
	fputc(',', out);
	print_packets(out, page->recording);
	fprintf(out, ",\"left_out\":{\"samples\":%" PRIu64 ",\"packets\":%" PRIu64 "},\"total\":",
		timeline_nr_left_out(page->timeline),
		page->recording ? recording_packets_left_out(page->recording) : 0);
	if (page->total)
		printer_json.report(out, page->total);
	else
		fputs("null", out);
	fputs("}\n", out);
}

static void print_base64(FILE *out, const unsigned char *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;

		if (i + 1 < size)
			bits |= (uint32_t)data[i + 1] << 8;
		if (i + 2 < size)
			bits |= data[i + 2];
		fputc(digits[bits >> 18], out);
		fputc(digits[bits >> 12 & 63], out);
		fputc(i + 1 < size ? digits[bits >> 6 & 63] : '=', out);
		fputc(i + 2 < size ? digits[bits & 63] : '=', out);
	}
}

/* Compressed; NULL without memory. */
static char *model_of(const struct page *page, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (out) {
		print_model(out, page);
		fclose(out);
	}
	return text ? gzip_instead(text, size, GZIP_WELL) : NULL;
}

int page_print(FILE *out, const struct page *page)
{
	const char *place = strstr(page_html, PLACE_OF_DATA);
	size_t size;
	char *model = model_of(page, &size);

	if (!model)
		return log_failure(-ENOMEM, "cannot print a page");
	fprintf(out, "%.*s", (int)(place - page_html), page_html);
	print_base64(out, (const unsigned char *)model, size);
	fputs(place + strlen(PLACE_OF_DATA), out);
	free(model);
	return 0;
}

static void print_report(FILE *out, const struct report *report)
{
	struct page page;

	if (report->kind != REPORT_TOTAL)
		return;
	page = (struct page){
		.host = report->setup->host.nodename,
		.kernel = report->setup->host.release,
		.command = report->setup->command,
		.verdict = report->verdict,
		.timeline = recording_timeline(report->recording),
		.split = report->setup->plan.group_by,
		.recording = report->recording,
		.total = report,
	};
	if (page_print(out, &page))
		exit(EXIT_FAILURE);
}

/* Slow packets are in what was recorded. */
static void print_no_packet(FILE *out, const struct packet_report *packet)
{
	(void)out;
	(void)packet;
}

const struct printer printer_html = {
	.name = "html",
	.report = print_report,
	.packet = print_no_packet,
	.is_document = true,
	.records = true,
	.resolution = DEFAULT_RESOLUTION,
};
