// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/histogram.h"

#include "lib/tables/bucket.h"

unsigned int histogram_nr_buckets(const struct histogram *histogram)
{
	return NR_BUCKETS(histogram->resolution);
}

unsigned int histogram_overflow(const struct histogram *histogram)
{
	return histogram_nr_buckets(histogram) - 1;
}

uint64_t histogram_le_ns(const struct histogram *histogram, unsigned int bucket)
{
	return bucket_le_ns(bucket, histogram->resolution);
}

void buckets_add(struct bucket *into, const struct bucket *other, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		into[i].count += other[i].count;
		into[i].sum_ns += other[i].sum_ns;
	}
}

void buckets_subtract(struct bucket *into, const struct bucket *earlier, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		into[i].count -= earlier[i].count;
		into[i].sum_ns -= earlier[i].sum_ns;
	}
}

uint64_t buckets_count(const struct bucket *buckets, size_t nr)
{
	uint64_t count = 0;

	for (size_t i = 0; i < nr; i++)
		count += buckets[i].count;
	return count;
}

uint64_t buckets_sum_ns(const struct bucket *buckets, size_t nr)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < nr; i++)
		sum_ns += buckets[i].sum_ns;
	return sum_ns;
}

int buckets_quantile(const struct bucket *buckets, size_t nr, unsigned int permille)
{
	/* 128 bits: the product of a 64-bit count and permille must not wrap */
	unsigned __int128 rank =
		((unsigned __int128)buckets_count(buckets, nr) * permille + 999) / 1000;
	uint64_t seen = 0;

	for (size_t i = 0; i < nr; i++) {
		seen += buckets[i].count;
		if (seen && seen >= rank)
			return (int)i;
	}
	return -1;
}

void histogram_add(struct histogram *into, const struct histogram *other)
{
	buckets_add(into->buckets, other->buckets, histogram_nr_buckets(into));
}

void histogram_subtract(struct histogram *into, const struct histogram *earlier)
{
	buckets_subtract(into->buckets, earlier->buckets, histogram_nr_buckets(into));
}

struct histogram histogram_coarsen(const struct histogram *histogram, unsigned int resolution)
{
	struct histogram coarse = { .resolution = resolution };
	unsigned int overflow = histogram_overflow(histogram);

	for (unsigned int i = 0; i <= overflow; i++) {
		struct bucket *bucket = &coarse.buckets[histogram_overflow(&coarse)];

		if (i < overflow)
			bucket = &coarse.buckets[bucket_index(histogram_le_ns(histogram, i),
							      resolution)];
		bucket->count += histogram->buckets[i].count;
		bucket->sum_ns += histogram->buckets[i].sum_ns;
	}
	return coarse;
}

uint64_t histogram_count(const struct histogram *histogram)
{
	return buckets_count(histogram->buckets, histogram_nr_buckets(histogram));
}

uint64_t histogram_sum_ns(const struct histogram *histogram)
{
	return buckets_sum_ns(histogram->buckets, histogram_nr_buckets(histogram));
}

double histogram_mean_ns(const struct histogram *histogram)
{
	uint64_t count = histogram_count(histogram);

	return count ? (double)histogram_sum_ns(histogram) / count : 0;
}

int histogram_first(const struct histogram *histogram)
{
	for (unsigned int i = 0; i < histogram_nr_buckets(histogram); i++)
		if (histogram->buckets[i].count)
			return i;
	return -1;
}

int histogram_last(const struct histogram *histogram)
{
	for (int i = histogram_overflow(histogram); i >= 0; i--)
		if (histogram->buckets[i].count)
			return i;
	return -1;
}

const struct quantile quantiles[NR_QUANTILES] = {
	{ "p50", "p50_ns", 500 },
	{ "p90", "p90_ns", 900 },
	{ "p99", "p99_ns", 990 },
	{ "p99.9", "p999_ns", 999 },
};

int histogram_quantile(const struct histogram *histogram, unsigned int permille)
{
	return buckets_quantile(histogram->buckets, histogram_nr_buckets(histogram), permille);
}
