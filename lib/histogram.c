// SPDX-License-Identifier: GPL-2.0
#include "histogram.h"

void histogram_add(struct histogram *into, const struct histogram *other)
{
	for (int i = 0; i < NR_BUCKETS; i++) {
		into->buckets[i].count += other->buckets[i].count;
		into->buckets[i].sum_ns += other->buckets[i].sum_ns;
	}
}

void histogram_subtract(struct histogram *into, const struct histogram *earlier)
{
	for (int i = 0; i < NR_BUCKETS; i++) {
		into->buckets[i].count -= earlier->buckets[i].count;
		into->buckets[i].sum_ns -= earlier->buckets[i].sum_ns;
	}
}

uint64_t histogram_count(const struct histogram *histogram)
{
	uint64_t count = 0;

	for (int i = 0; i < NR_BUCKETS; i++)
		count += histogram->buckets[i].count;
	return count;
}

uint64_t histogram_sum_ns(const struct histogram *histogram)
{
	uint64_t sum_ns = 0;

	for (int i = 0; i < NR_BUCKETS; i++)
		sum_ns += histogram->buckets[i].sum_ns;
	return sum_ns;
}

double histogram_mean_ns(const struct histogram *histogram)
{
	uint64_t count = histogram_count(histogram);

	return count ? (double)histogram_sum_ns(histogram) / count : 0;
}

int histogram_first(const struct histogram *histogram)
{
	for (int i = 0; i < NR_BUCKETS; i++)
		if (histogram->buckets[i].count)
			return i;
	return -1;
}

int histogram_last(const struct histogram *histogram)
{
	for (int i = NR_BUCKETS - 1; i >= 0; i--)
		if (histogram->buckets[i].count)
			return i;
	return -1;
}

int histogram_quantile(const struct histogram *histogram, unsigned int permille)
{
	/* 128 bits: the product of a 64-bit count and permille must not wrap */
	unsigned __int128 rank =
		((unsigned __int128)histogram_count(histogram) * permille + 999) / 1000;
	uint64_t seen = 0;

	for (int i = 0; i < NR_BUCKETS; i++) {
		seen += histogram->buckets[i].count;
		if (seen && seen >= rank)
			return i;
	}
	return -1;
}
