// SPDX-License-Identifier: GPL-2.0
#include "lib/compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/compare/student.h"
#include "lib/tables/units.h"

const char *const figure_names[NR_FIGURES] = { "mean", "p50", "p90", "p99" };

static const double quantile_of[NR_FIGURES] = {
	[FIGURE_P50] = 0.5,
	[FIGURE_P90] = 0.9,
	[FIGURE_P99] = 0.99,
};

/* So many samples must lie beyond a quantile in each unit. A mean takes as many samples in all. */
#define MIN_BEYOND 5
/* Runs never agree better than this, as quantiles are interpolated and clocks have steps. */
#define LEAST_DEVIATION 0.002
/* Rates that differ by more are another load. */
#define SAME_LOAD 0.05

/* Samples are taken to be evenly spread in the bucket where it lies. */
static double quantile_ns(const struct sides *sides, const struct bucket *buckets, double quantile)
{
	double rank = quantile * buckets_count(buckets, sides->nr_buckets), below = 0;

	for (unsigned int i = 0; i + 1 < sides->nr_buckets; i++) {
		double le_ns = bucket_le_ns(i, sides->resolution), count = buckets[i].count;
		double from_ns = i ? bucket_le_ns(i - 1, sides->resolution) : 0;

		if (count && below + count >= rank)
			return from_ns + (le_ns - from_ns) * (rank - below) / count;
		below += count;
	}
	return LAST_BUCKET_NS;
}

/*
 * Returns a figure of one unit; 0 if that has too few samples, or where they lie above all bounds.
 */
static double figure_ns(const struct sides *sides, const struct unit *unit, enum figure figure)
{
	double count = buckets_count(unit->buckets, sides->nr_buckets), ns;

	/* Half of the samples lie beyond a median. */
	if (unit->seconds <= 0 || count * (1 - quantile_of[figure]) < MIN_BEYOND)
		return 0;
	ns = figure == FIGURE_MEAN ? buckets_sum_ns(unit->buckets, sides->nr_buckets) / count
				   : quantile_ns(sides, unit->buckets, quantile_of[figure]);
	return ns >= 1 && ns < LAST_BUCKET_NS ? ns : 0;
}

/* The logarithms of a row's figure in all units, summed up. */
struct sample {
	const struct row *row;
	enum figure figure;
	double means[NR_SIDES];
	double squares;	 /* of how far each is from its side's mean */
	double products; /* of that and the same of the unit before */
};

static void sum_up(struct sample *sample, enum side side, const double *logs, unsigned int nr)
{
	double sum = 0, before = 0;

	for (unsigned int i = 0; i < nr; i++)
		sum += logs[i];
	sample->means[side] = sum / nr;
	for (unsigned int i = 0; i < nr; i++) {
		double deviation = logs[i] - sample->means[side];

		sample->squares += deviation * deviation;
		sample->products += before * deviation;
		before = deviation;
	}
}

_Static_assert(NR_RUN_PARTS <= MAX_RUNS, "room for each unit");

/* Returns false if a unit lacks that figure. */
static bool take_sample(const struct sides *sides, const struct row *row, enum figure figure,
			struct sample *sample)
{
	*sample = (struct sample){ .row = row, .figure = figure };
	for (enum side side = 0; side < NR_SIDES; side++) {
		double logs[MAX_RUNS];

		for (unsigned int i = 0; i < sides->nr_units[side]; i++) {
			double ns = figure_ns(sides, &row->units[side][i], figure);

			if (!ns)
				return false;
			logs[i] = log(ns);
		}
		sum_up(sample, side, logs, sides->nr_units[side]);
	}
	return true;
}

/*
 * Returns by what factor errors are larger because parts of a run are like the parts before. Over
 * all figures, their correlation is that of an autoregressive process; a few parts show less of it
 * than there is (Kendall 1954). Runs have nothing in common.
 */
static double error_of_likeness(const struct sides *sides, const struct sample *samples, size_t nr)
{
	double products = 0, squares = 0, correlation;

	if (!sides->by_parts)
		return 1;
	for (size_t i = 0; i < nr; i++) {
		products += samples[i].products;
		squares += samples[i].squares;
	}
	correlation = squares > 0 ? products / squares : 0;
	correlation = (correlation * NR_RUN_PARTS + 1) / (NR_RUN_PARTS - 3);
	correlation = fmax(0, fmin(correlation, 0.9));
	return sqrt((1 + correlation) / (1 - correlation));
}

/* An interval goes t standard errors to either side. */
static struct difference make_difference(const struct sides *sides, const struct sample *sample,
					 double t)
{
	double before = sample->means[SIDE_BEFORE], after = sample->means[SIDE_AFTER];
	unsigned int nr_before = sides->nr_units[SIDE_BEFORE];
	unsigned int nr_after = sides->nr_units[SIDE_AFTER];
	double deviation =
		fmax(sqrt(sample->squares / (nr_before + nr_after - 2)), LEAST_DEVIATION);
	double error = deviation * sqrt(1.0 / nr_before + 1.0 / nr_after);

	return (struct difference){
		.row = sample->row,
		.figure = sample->figure,
		.ns = { exp(before), exp(after) },
		.factor = exp(after - before),
		.least = exp(after - before - t * error),
		.most = exp(after - before + t * error),
	};
}

bool difference_is_shown(const struct difference *difference)
{
	return difference->least > 1 || difference->most < 1;
}

/*
 * Differences that are shown come first, in the order of their size; others follow, in the order of
 * what they may be at most.
 */
static double size_of(const struct difference *difference)
{
	return difference_is_shown(difference) ? fabs(log(difference->factor))
					       : log(difference->most / difference->least);
}

static int compare(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;
	double x_size = size_of(x), y_size = size_of(y);

	if (difference_is_shown(x) != difference_is_shown(y))
		return difference_is_shown(x) ? -1 : 1;
	if (x_size != y_size)
		return (x_size > y_size) == difference_is_shown(x) ? -1 : 1;
	if (x->row != y->row)
		return strcmp(x->row->name, y->row->name);
	return (int)x->figure - (int)y->figure;
}

static double rate_of(const struct sides *sides, const struct row *row, enum side side)
{
	double count = 0, seconds = 0;

	for (unsigned int i = 0; i < sides->nr_units[side]; i++) {
		count += buckets_count(row->units[side][i].buckets, sides->nr_buckets);
		seconds += row->units[side][i].seconds;
	}
	return seconds > 0 ? count / seconds : 0;
}

static void look_at_load(struct comparison *comparison, const struct row *row)
{
	double before = rate_of(comparison->sides, row, SIDE_BEFORE);
	double after = rate_of(comparison->sides, row, SIDE_AFTER);
	double known = comparison->load_row ? fabs(log(comparison->load[1] / comparison->load[0]))
					    : SAME_LOAD;

	if (fabs(log(after / before)) <= known)
		return;
	comparison->load_row = row;
	comparison->load[SIDE_BEFORE] = before;
	comparison->load[SIDE_AFTER] = after;
}

/* Takes a row's samples, or notes that there are none. Returns how many there are. */
static size_t look_at_row(struct comparison *comparison, const struct row *row,
			  struct sample *samples)
{
	const struct sides *sides = comparison->sides;
	size_t nr = 0;

	for (enum figure figure = 0; figure < NR_FIGURES; figure++)
		nr += take_sample(sides, row, figure, &samples[nr]);
	if (nr)
		look_at_load(comparison, row);
	else if (rate_of(sides, row, SIDE_BEFORE) > 0 || rate_of(sides, row, SIDE_AFTER) > 0)
		comparison->left_out[comparison->nr_left_out++] = row - sides->rows;
	return nr;
}

static void compare_samples(struct comparison *comparison, const struct sample *samples, size_t nr)
{
	const struct sides *sides = comparison->sides;
	unsigned int degrees = sides->nr_units[SIDE_BEFORE] + sides->nr_units[SIDE_AFTER] - 2;
	double t = nr ? student_upper(ALARM_RATE / 2 / nr, degrees) *
				   error_of_likeness(sides, samples, nr)
		      : 0;

	for (; comparison->nr < nr; comparison->nr++) {
		struct difference *difference = &comparison->differences[comparison->nr];

		*difference = make_difference(sides, &samples[comparison->nr], t);
		comparison->nr_that_differ += difference_is_shown(difference);
	}
	qsort(comparison->differences, nr, sizeof(*comparison->differences), compare);
}

int comparison_make(struct comparison *comparison, const struct sides *sides)
{
	size_t most = sides->nr_rows * NR_FIGURES + 1, nr = 0;
	struct sample *samples = calloc(most, sizeof(*samples));

	*comparison = (struct comparison){ .sides = sides };
	comparison->differences = calloc(most, sizeof(*comparison->differences));
	comparison->left_out = calloc(sides->nr_rows + 1, sizeof(*comparison->left_out));
	if (!samples || !comparison->differences || !comparison->left_out) {
		free(samples);
		return -ENOMEM;
	}
	for (size_t i = 0; i < sides->nr_rows; i++)
		nr += look_at_row(comparison, &sides->rows[i], &samples[nr]);
	compare_samples(comparison, samples, nr);
	free(samples);
	return setting_changes_find(&comparison->settings, sides);
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->differences);
	free(comparison->left_out);
	setting_changes_free(&comparison->settings);
	*comparison = (struct comparison){ 0 };
}

const struct difference *comparison_find(const struct comparison *comparison, const char *row,
					 enum figure figure)
{
	for (size_t i = 0; i < comparison->nr; i++)
		if (comparison->differences[i].figure == figure &&
		    !strcmp(comparison->differences[i].row->name, row))
			return &comparison->differences[i];
	return NULL;
}
