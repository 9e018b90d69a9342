/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of a histogram as people read them: durations, or "-" without samples. */
#ifndef NETSTACKLAT_FIGURES_H
#define NETSTACKLAT_FIGURES_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/duration.h"
#include "lib/counts/histogram.h"

struct figure {
	const char *name;      /* over its column */
	unsigned int permille; /* of samples that are no larger; 1000: all; or FIGURE_MEAN */
};
#define FIGURE_MEAN 0

/* The width of a column, with a space at its left. */
#define FIGURE_WIDTH 7
#define FIGURE_TEXT_SIZE (DURATION_TEXT_SIZE + 1)

/*
 * The mean is exact. A quantile lies somewhere in its bucket, and is printed as the bucket's
 * largest latency: "8.19us"; above the last bound, ">17.2s". Returns text.
 */
const char *figure_text(const struct histogram *latency, unsigned int permille,
			char text[FIGURE_TEXT_SIZE]);

/* Three digits and a prefix: "18.3k". Returns text. */
#define COUNT_TEXT_SIZE 16
const char *count_text(uint64_t count, char text[COUNT_TEXT_SIZE]);

/* A column for each. Both return how much of the line that takes. */
int print_figure_names(FILE *out, const struct figure *figures, size_t nr);
int print_figures(FILE *out, const struct histogram *latency, const struct figure *figures,
		  size_t nr);

#endif
