// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "bucket.h"
#include "duration.h"
#include "hooks.h"

#define BAR_WIDTH 48

static const char *const kind_names[] = {
	[REPORT_INTERVAL] = "interval",
	[REPORT_TOTAL] = "total",
};

static const char *const discard_names[NR_DISCARDS] = {
	[DISCARD_NO_STAMP] = "no stamp",
	[DISCARD_FUTURE] = "stamp in the future",
	[DISCARD_NOT_RX] = "not an RX stamp",
	[DISCARD_FILTERED] = "filtered",
	[DISCARD_CLOCK_CHANGE] = "across a clock change",
};

static uint64_t sum_discards(const struct hook_counts *hook)
{
	uint64_t sum = 0;

	for (int cause = 0; cause < NR_DISCARDS; cause++)
		sum += hook->discarded[cause];
	return sum;
}

static void print_header(FILE *out, const struct report *report)
{
	char time_text[32];

	strftime(time_text, sizeof(time_text), "%Y-%m-%d %H:%M:%S", localtime(&report->time));
	fprintf(out, "%s  %s %.2f s\n", time_text, kind_names[report->kind],
		report->duration_ns / 1e9);
}

/* "clock changed at 12:00:03: wall clock +3600 s", for what changed. */
static void print_clock_change(FILE *out, const struct clock_change *change)
{
	const char *separator = ":";
	char time_text[16];

	strftime(time_text, sizeof(time_text), "%H:%M:%S", localtime(&change->time));
	fprintf(out, "clock changed at %s", time_text);
	if (change->wall_ns) {
		fprintf(out, "%s wall clock %+.3f s", separator, change->wall_ns / 1e9);
		separator = ",";
	}
	if (change->tai_ns)
		fprintf(out, "%s TAI offset %+.0f s", separator, change->tai_ns / 1e9);
	fputc('\n', out);
}

static void print_bucket(FILE *out, int bucket, uint64_t count, uint64_t largest_count)
{
	char lower[DURATION_TEXT_SIZE] = "0ns", upper[DURATION_TEXT_SIZE] = "inf";
	char range[2 * DURATION_TEXT_SIZE + 8], bar[BAR_WIDTH];
	/* 128 bits: the product must not wrap, whatever the count */
	int length = ((unsigned __int128)count * BAR_WIDTH + largest_count / 2) / largest_count;

	if (bucket > 0)
		duration_text(bucket_le_ns(bucket - 1), lower);
	if (bucket < BUCKET_OVERFLOW)
		duration_text(bucket_le_ns(bucket), upper);
	snprintf(range, sizeof(range), "%c%s, %s%c", bucket > 0 ? '(' : '[', lower, upper,
		 bucket < BUCKET_OVERFLOW ? ']' : ')');

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '@', length);
	fprintf(out, "%-16s %11" PRIu64 " |%.*s|\n", range, count, BAR_WIDTH, bar);
}

static void print_buckets(FILE *out, const struct histogram *latency)
{
	int first = histogram_first(latency), last = histogram_last(latency);
	uint64_t largest_count = 0;

	for (int i = first; i <= last; i++)
		if (latency->buckets[i].count > largest_count)
			largest_count = latency->buckets[i].count;
	for (int i = first; i <= last; i++)
		print_bucket(out, i, latency->buckets[i].count, largest_count);
}

/* A figure that lies somewhere in this bucket, given as the largest latency that it holds. */
static void print_bound(FILE *out, const char *label, int bucket)
{
	char text[DURATION_TEXT_SIZE];

	if (bucket < BUCKET_OVERFLOW)
		fprintf(out, "  %s %s", label, duration_text(bucket_le_ns(bucket), text));
	else
		fprintf(out, "  %s >%s", label,
			duration_text(bucket_le_ns(BUCKET_OVERFLOW - 1), text));
}

static void print_summary(FILE *out, const struct histogram *latency)
{
	char mean[DURATION_TEXT_SIZE];
	uint64_t count = histogram_count(latency);

	fprintf(out, "count %" PRIu64, count);
	if (count) {
		fprintf(out, "  mean %s", duration_text(histogram_mean_ns(latency), mean));
		print_bound(out, "p50", histogram_quantile(latency, 500));
		print_bound(out, "p90", histogram_quantile(latency, 900));
		print_bound(out, "p99", histogram_quantile(latency, 990));
		print_bound(out, "max", histogram_last(latency));
	}
	fputc('\n', out);
}

static void print_discards(FILE *out, const struct hook_counts *hook)
{
	const char *separator = ": ";

	fprintf(out, "discarded %" PRIu64, sum_discards(hook));
	for (int cause = 0; cause < NR_DISCARDS; cause++) {
		if (!hook->discarded[cause])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", separator, hook->discarded[cause],
			discard_names[cause]);
		separator = ", ";
	}
	fputc('\n', out);
}

static bool is_empty(const struct hook_counts *hook)
{
	return histogram_first(&hook->latency) < 0 && !sum_discards(hook);
}

static void print_hook(FILE *out, enum hook id, const struct hook_counts *hook)
{
	fprintf(out, "%s:\n", hooks[id].name);
	if (histogram_first(&hook->latency) >= 0)
		print_buckets(out, &hook->latency);
	print_summary(out, &hook->latency);
	if (sum_discards(hook))
		print_discards(out, hook);
	fputc('\n', out);
}

void report_text(FILE *out, const struct report *report)
{
	bool nothing = true;

	print_header(out, report);
	if (report->clock_change.time)
		print_clock_change(out, &report->clock_change);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (is_empty(&report->hooks[hook]))
			continue;
		print_hook(out, hook, &report->hooks[hook]);
		nothing = false;
	}
	if (nothing)
		fputs("no packets\n\n", out);
}
