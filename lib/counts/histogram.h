/* SPDX-License-Identifier: GPL-2.0 */
/* Histogram maths: pure functions on counts, without BPF and without I/O. */
#ifndef NETSTACKLAT_HISTOGRAM_H
#define NETSTACKLAT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "lib/tables/bucket.h"

struct histogram {
	unsigned int resolution; /* see bucket.h */
	struct bucket buckets[MAX_BUCKETS];
};

/* Return how many of its buckets are in use, and which one holds all above the last bound. */
unsigned int histogram_nr_buckets(const struct histogram *histogram);
unsigned int histogram_overflow(const struct histogram *histogram);

/* The largest latency in ns that belongs to a bucket, which is not the overflow. */
uint64_t histogram_le_ns(const struct histogram *histogram, unsigned int bucket);

/* into += other and into -= earlier, for as many buckets */
void buckets_add(struct bucket *into, const struct bucket *other, size_t nr);
void buckets_subtract(struct bucket *into, const struct bucket *earlier, size_t nr);

uint64_t buckets_count(const struct bucket *buckets, size_t nr);
uint64_t buckets_sum_ns(const struct bucket *buckets, size_t nr);

/*
 * Returns the bucket with the sample that permille/1000 of all samples do not exceed (nearest rank,
 * so it is one of the samples), or -1 without samples. The sample may lie anywhere in that bucket.
 */
int buckets_quantile(const struct bucket *buckets, size_t nr, unsigned int permille);

/* into += other, of the same resolution */
void histogram_add(struct histogram *into, const struct histogram *other);

/* into -= earlier, where earlier is an earlier reading of the same histogram */
void histogram_subtract(struct histogram *into, const struct histogram *earlier);

/* The same samples at a resolution that is not higher. */
struct histogram histogram_coarsen(const struct histogram *histogram, unsigned int resolution);

/* The count and the sum of all its buckets. */
uint64_t histogram_count(const struct histogram *histogram);
uint64_t histogram_sum_ns(const struct histogram *histogram);
int histogram_quantile(const struct histogram *histogram, unsigned int permille);

/* Sum over count in ns: exact, not estimated from the buckets; 0 without samples. */
double histogram_mean_ns(const struct histogram *histogram);

/* The first and the last bucket with samples, or -1 without samples. */
int histogram_first(const struct histogram *histogram);
int histogram_last(const struct histogram *histogram);

/* The quantiles that every report has. */
struct quantile {
	const char *label; /* for people: "p99.9" */
	const char *field; /* for programs: "p999_ns" */
	unsigned int permille;
};

#define NR_QUANTILES 4
extern const struct quantile quantiles[NR_QUANTILES];

#endif
