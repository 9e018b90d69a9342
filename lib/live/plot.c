// SPDX-License-Identifier: GPL-2.0
#include "lib/live/plot.h"

#include <math.h>
#include <string.h>

/* Keeps some room, so that the axis does not move with each packet. */
#define OCTAVES_AT_ONCE 2
#define MIN_OCTAVES 8
#define USUAL_FIRST_OCTAVE 10 /* 1 us */

void scale_begin(struct scale *scale, unsigned int resolution)
{
	*scale = (struct scale){ .resolution = resolution, .first = MAX_BUCKETS };
}

void scale_add(struct scale *scale, const struct histogram *latency)
{
	int first = histogram_first(latency), last = histogram_last(latency);

	if (first < 0)
		return;
	if ((unsigned int)first < scale->first)
		scale->first = first;
	if ((unsigned int)last >= scale->end)
		scale->end = last + 1;
	for (int i = first; i <= last; i++)
		if (latency->buckets[i].count > scale->largest)
			scale->largest = latency->buckets[i].count;
}

void scale_end(struct scale *scale)
{
	const struct histogram any = { .resolution = scale->resolution };
	unsigned int step = OCTAVES_AT_ONCE << scale->resolution;
	unsigned int least = MIN_OCTAVES << scale->resolution;
	unsigned int all = histogram_nr_buckets(&any);

	if (!scale->end)
		scale->first = USUAL_FIRST_OCTAVE << scale->resolution;
	scale->first -= scale->first % step;
	scale->end = (scale->end + step - 1) / step * step;
	if (scale->end < scale->first + least)
		scale->end = scale->first + least;
	if (scale->end > all)
		scale->end = all;
}

int scale_pixel(const struct scale *scale, unsigned int bucket, int height)
{
	if (bucket < scale->first)
		return 0;
	return (int)((uint64_t)(bucket - scale->first) * height / (scale->end - scale->first));
}

/* The ratio of a level's least count to that of the level below. */
static double ratio_of(const struct scale *scale)
{
	double ratio = pow(scale->largest, 1.0 / NR_LEVELS);

	return ratio > 1 ? ratio : 1;
}

uint64_t scale_least(const struct scale *scale, int level)
{
	uint64_t least = ceil(pow(ratio_of(scale), level - 1) - 1e-9);

	return least ? least : 1;
}

int scale_level(const struct scale *scale, uint64_t count)
{
	int level = count ? NR_LEVELS : 0;

	while (level > 1 && count < scale_least(scale, level))
		level--;
	return level;
}

static int pixel_of_quantile(const struct scale *scale, const struct histogram *latency,
			     unsigned int permille, int height)
{
	int bucket = histogram_quantile(latency, permille), pixel, begin;

	if (bucket < 0)
		return -1;
	/* The topmost of its bucket, whose upper bound is what figures say. */
	pixel = scale_pixel(scale, bucket + 1, height) - 1;
	begin = scale_pixel(scale, bucket, height);
	if (pixel < begin)
		pixel = begin;
	return pixel < height ? pixel : height - 1;
}

void plot_fill_column(struct plot_column *column, const struct scale *scale,
		      const struct histogram *latency, int height)
{
	memset(column->levels, 0, sizeof(column->levels));
	if (height > MAX_PIXELS)
		height = MAX_PIXELS;
	for (unsigned int i = scale->first; i < scale->end; i++) {
		int level = scale_level(scale, latency->buckets[i].count);
		int pixel = scale_pixel(scale, i, height), end = scale_pixel(scale, i + 1, height);

		if (!level)
			continue;
		do
			if (level > column->levels[pixel])
				column->levels[pixel] = level;
		while (++pixel < end);
	}
	column->p50 = pixel_of_quantile(scale, latency, 500, height);
	column->p99 = pixel_of_quantile(scale, latency, 990, height);
}
