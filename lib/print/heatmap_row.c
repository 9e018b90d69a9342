// SPDX-License-Identifier: GPL-2.0
#include "lib/print/heatmap_row.h"

#include <time.h>

#include "lib/base/duration.h"
#include "lib/print/figures.h"
#include "lib/print/shades.h"
#include "lib/tables/bucket.h"
#include "lib/tables/units.h"

/* The first column holds all latencies up to this, and the last one all beyond the last bound. */
#define FIRST_OCTAVE 8 /* 256 ns */
#define SCALE_WIDTH(resolution) (((NR_OCTAVES - FIRST_OCTAVE) << (resolution)) + 2)

#define COUNT_WIDTH 6 /* "18.3k " */
#define FRAME_WIDTH (2 + COUNT_WIDTH)

int row_width(unsigned int resolution)
{
	return SCALE_WIDTH(resolution) + FRAME_WIDTH;
}

struct row_scale row_scale_for(int columns, unsigned int finest)
{
	unsigned int resolution = 0;

	while (resolution < finest && row_width(resolution + 1) <= columns)
		resolution++;
	return (struct row_scale){ resolution, SCALE_WIDTH(resolution) };
}

/* The column of a latency; all beyond the last bound share one. */
static int column_of(const struct row_scale *scale, uint64_t ns)
{
	int column = bucket_index(ns, scale->resolution) -
		     bucket_index(1ULL << FIRST_OCTAVE, scale->resolution);

	return column > 0 ? column : 0;
}

static int column_of_bucket(const struct row_scale *scale, const struct histogram *latency,
			    unsigned int bucket)
{
	if (bucket == histogram_overflow(latency))
		return scale->width - 1;
	return column_of(scale, histogram_le_ns(latency, bucket));
}

/*
 * A power of two below the largest count of the row: from 1, for any count at all, to NR_LEVELS.
 */
static int level_of(uint64_t count, uint64_t largest)
{
	int level = NR_LEVELS;

	while (level > 1 && count <= largest / 2) {
		largest /= 2;
		level--;
	}
	return level;
}

static void print_cell(FILE *out, const struct terminal *terminal, int level)
{
	if (!level)
		fputc(' ', out);
	else if (terminal->colour)
		fprintf(out, "\033[38;5;%dm%s\033[0m", level_colours[level - 1],
			level_shade(level, terminal->unicode));
	else
		fputs(level_shade(level, terminal->unicode), out);
}

static void print_mark(FILE *out, const struct terminal *terminal, char mark)
{
	fprintf(out, terminal->colour ? "\033[1m%c\033[0m" : "%c", mark);
}

static void print_cells(FILE *out, const struct row_scale *scale, const struct terminal *terminal,
			const struct histogram *latency)
{
	uint64_t counts[SCALE_WIDTH(MAX_RESOLUTION)] = { 0 }, largest = 0;
	int last = histogram_last(latency), p50 = -1, p99 = -1;

	for (int i = 0; i <= last; i++) {
		uint64_t *count = &counts[column_of_bucket(scale, latency, i)];

		*count += latency->buckets[i].count;
		if (*count > largest)
			largest = *count;
	}
	if (largest) {
		p50 = column_of_bucket(scale, latency, histogram_quantile(latency, 500));
		p99 = column_of_bucket(scale, latency, histogram_quantile(latency, 990));
	}

	for (int column = 0; column < scale->width; column++)
		if (column == p50 || column == p99)
			print_mark(out, terminal, column == p50 ? '5' : '9');
		else
			print_cell(out, terminal,
				   counts[column] ? level_of(counts[column], largest) : 0);
}

int row_print(FILE *out, const struct row_scale *scale, const struct terminal *terminal,
	      const struct histogram *latency)
{
	char count[COUNT_TEXT_SIZE];

	fputc('|', out);
	print_cells(out, scale, terminal, latency);
	return COUNT_WIDTH + 1 - fprintf(out, "|%s", count_text(histogram_count(latency), count));
}

/* Prints a label for each decade, or for every third if they stand close, each behind a tick. */
int row_print_axis(FILE *out, const struct row_scale *scale)
{
	int step = scale->resolution ? 10 : 1000, written = 0;
	char label[DURATION_TEXT_SIZE + 1] = "|";

	for (uint64_t ns = 1000; ns <= 10 * NS_PER_S; ns *= step) {
		int column = column_of(scale, ns);

		duration_text(ns, label + 1);
		if (column >= written)
			written += fprintf(out, "%*s%s", column - written, "", label);
	}
	return scale->width + FRAME_WIDTH - written;
}

void row_print_legend(FILE *out, const struct terminal *terminal)
{
	bool unicode = terminal->unicode;

	fprintf(out,
		"5 = p50, 9 = p99; %s %s %s %s = above 1/4, 1/16, 1/64, 0 of the row's fullest cell\n",
		level_shade(8, unicode), level_shade(6, unicode), level_shade(4, unicode),
		level_shade(2, unicode));
}

void row_print_time(FILE *out, uint64_t time_ns)
{
	time_t time = time_ns / NS_PER_S;
	char text[ROW_TIME_WIDTH];

	strftime(text, sizeof(text), "%H:%M:%S", localtime(&time));
	fprintf(out, "%-*s", ROW_TIME_WIDTH, text);
}
