/* SPDX-License-Identifier: GPL-2.0 */
/* Pure functions that make of histograms the pixels of a panel, latency up. */
#ifndef NETSTACKLAT_LIVE_PLOT_H
#define NETSTACKLAT_LIVE_PLOT_H

#include "lib/counts/histogram.h"
#include "lib/print/shades.h"

/* All panels have one scale. */
struct scale {
	unsigned int resolution; /* of what is drawn */
	unsigned int first, end; /* buckets, the latter past the last one that is drawn */
	uint64_t largest;	 /* count of a bucket */
};

/*
 * Takes a histogram of this resolution into account, and completes the scale: whole octaves, some
 * even if there is nothing to draw.
 */
void scale_begin(struct scale *scale, unsigned int resolution);
void scale_add(struct scale *scale, const struct histogram *latency);
void scale_end(struct scale *scale);

/* Returns how high up a bucket begins, in pixels. */
int scale_pixel(const struct scale *scale, unsigned int bucket, int height);

/* Each level is so many times the one below it; the last one is the largest count. */
int scale_level(const struct scale *scale, uint64_t count);
uint64_t scale_least(const struct scale *scale, int level);

/*
 * A column, from the bottom up: for each pixel, the level of the fullest bucket in it, 0 for none;
 * and the places of p50 and p99, or -1 without samples.
 */
#define MAX_PIXELS 1024
struct plot_column {
	unsigned char levels[MAX_PIXELS];
	int p50, p99;
};
void plot_fill_column(struct plot_column *column, const struct scale *scale,
		      const struct histogram *latency, int height);

#endif
