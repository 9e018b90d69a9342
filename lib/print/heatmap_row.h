/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of a heatmap: latency runs across, and the more samples, the fuller the cell. */
#ifndef NETSTACKLAT_HEATMAP_ROW_H
#define NETSTACKLAT_HEATMAP_ROW_H

#include <stdio.h>

#include "lib/base/terminal.h"
#include "lib/counts/histogram.h"

/* A row begins with a time of so many characters: "12:00:05 ". */
#define ROW_TIME_WIDTH 9
#define ROWS_PER_AXIS 20

/* The logarithmic axis of latencies. */
struct row_scale {
	unsigned int resolution; /* columns an octave, as that of histograms */
	int width;		 /* in columns */
};

/* Returns what a row takes with its frame, its count and the gap behind that. */
int row_width(unsigned int resolution);

/*
 * Finds the finest scale, up to a resolution, whose rows fit into so many columns; else the
 * coarsest.
 */
struct row_scale row_scale_for(int columns, unsigned int finest);

/* Prints what the characters of all rows mean, on a line. */
void row_print_legend(FILE *out, const struct terminal *terminal);

/* Prints the time at its end, which is wall clock since 1970. */
void row_print_time(FILE *out, uint64_t time_ns);

/* Print an axis, and a row with its count. Both return the gap that is left before the next one. */
int row_print_axis(FILE *out, const struct row_scale *scale);
int row_print(FILE *out, const struct row_scale *scale, const struct terminal *terminal,
	      const struct histogram *latency);

#endif
