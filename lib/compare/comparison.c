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

/* So many samples must lie beyond a quantile, in each unit, and in all for a mean. */
#define MIN_BEYOND 5
/* Runs never agree better than this: quantiles are interpolated, and clocks have steps. */
#define LEAST_DEVIATION 0.002
/* Rates that differ by more are another load. */
#define SAME_LOAD 0.05

/* In the bucket where it lies, samples are taken to be evenly spread. */
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

static double figure_ns(const struct sides *sides, const struct unit *unit, enum figure figure)
{
	if (figure == FIGURE_MEAN)
		return (double)buckets_sum_ns(unit->buckets, sides->nr_buckets) /
		       buckets_count(unit->buckets, sides->nr_buckets);
	return quantile_ns(sides, unit->buckets, quantile_of[figure]);
}

/* Half of the samples lie beyond a median; what lies above all bounds has no figure. */
static bool has_figure(const struct sides *sides, const struct unit *unit, enum figure figure)
{
	double count = buckets_count(unit->buckets, sides->nr_buckets);

	if (unit->seconds <= 0 || count * (1 - quantile_of[figure]) < MIN_BEYOND)
		return false;
	return figure_ns(sides, unit, figure) >= 1 &&
	       figure_ns(sides, unit, figure) < LAST_BUCKET_NS;
}

static bool all_have_figure(const struct sides *sides, const struct row *row, enum figure figure)
{
	for (enum side side = 0; side < NR_SIDES; side++)
		for (unsigned int i = 0; i < sides->nr_units[side]; i++)
			if (!has_figure(sides, &row->units[side][i], figure))
				return false;
	return true;
}

/* The mean of a side's logarithms; *squares gets what their squared deviations add. */
static double mean_of_logs(const struct sides *sides, const struct row *row, enum figure figure,
			   enum side side, double *squares)
{
	unsigned int nr = sides->nr_units[side];
	double sum = 0, mean;

	for (unsigned int i = 0; i < nr; i++)
		sum += log(figure_ns(sides, &row->units[side][i], figure));
	mean = sum / nr;
	for (unsigned int i = 0; i < nr; i++) {
		double deviation = log(figure_ns(sides, &row->units[side][i], figure)) - mean;

		*squares += deviation * deviation;
	}
	return mean;
}

/* What a side's logarithms have in common with those before: products of deviations, and squares.
 */
static void add_likeness(const struct sides *sides, const struct row *row, enum figure figure,
			 enum side side, double *products, double *squares)
{
	double mean = mean_of_logs(sides, row, figure, side, squares), before = 0;

	for (unsigned int i = 0; i < sides->nr_units[side]; i++) {
		double now = log(figure_ns(sides, &row->units[side][i], figure)) - mean;

		*products += before * now;
		before = now;
	}
}

/*
 * By how many times errors are larger as parts of a run are like those before: their correlation,
 * over all figures, is that of an autoregressive process; a few parts show less of it than there is
 * (Kendall 1954). Runs have nothing in common.
 */
static double error_of_likeness(const struct sides *sides)
{
	double products = 0, squares = 0, correlation;

	if (!sides->by_parts)
		return 1;
	for (size_t i = 0; i < sides->nr_rows; i++)
		for (enum figure figure = 0; figure < NR_FIGURES; figure++)
			for (enum side side = 0; side < NR_SIDES; side++)
				if (all_have_figure(sides, &sides->rows[i], figure))
					add_likeness(sides, &sides->rows[i], figure, side,
						     &products, &squares);
	correlation = squares > 0 ? products / squares : 0;
	correlation = (correlation * NR_RUN_PARTS + 1) / (NR_RUN_PARTS - 3);
	correlation = fmax(0, fmin(correlation, 0.9));
	return sqrt((1 + correlation) / (1 - correlation));
}

/* t is how many standard errors an interval goes to either side. */
static struct difference make_difference(const struct sides *sides, const struct row *row,
					 enum figure figure, double t)
{
	double squares = 0, before, after, deviation, error;
	unsigned int nr_before = sides->nr_units[SIDE_BEFORE];
	unsigned int nr_after = sides->nr_units[SIDE_AFTER];

	before = mean_of_logs(sides, row, figure, SIDE_BEFORE, &squares);
	after = mean_of_logs(sides, row, figure, SIDE_AFTER, &squares);
	deviation = fmax(sqrt(squares / (nr_before + nr_after - 2)), LEAST_DEVIATION);
	error = deviation * sqrt(1.0 / nr_before + 1.0 / nr_after);
	return (struct difference){
		.row = row,
		.figure = figure,
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

/* Those that are shown by how large they are, and the others by how large they may be. */
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

static size_t count_figures(const struct sides *sides)
{
	size_t nr = 0;

	for (size_t i = 0; i < sides->nr_rows; i++)
		for (enum figure figure = 0; figure < NR_FIGURES; figure++)
			nr += all_have_figure(sides, &sides->rows[i], figure);
	return nr;
}

static void add_row(struct comparison *comparison, const struct row *row, double t)
{
	const struct sides *sides = comparison->sides;
	size_t before = comparison->nr;

	for (enum figure figure = 0; figure < NR_FIGURES; figure++)
		if (all_have_figure(sides, row, figure))
			comparison->differences[comparison->nr++] =
				make_difference(sides, row, figure, t);
	if (comparison->nr > before)
		look_at_load(comparison, row);
	else if (rate_of(sides, row, SIDE_BEFORE) > 0 || rate_of(sides, row, SIDE_AFTER) > 0)
		comparison->left_out[comparison->nr_left_out++] = row - sides->rows;
}

int comparison_make(struct comparison *comparison, const struct sides *sides)
{
	unsigned int degrees = sides->nr_units[SIDE_BEFORE] + sides->nr_units[SIDE_AFTER] - 2;
	size_t nr = count_figures(sides);
	double t = nr ? student_upper(ALARM_RATE / 2 / nr, degrees) * error_of_likeness(sides) : 0;

	*comparison = (struct comparison){ .sides = sides };
	comparison->differences = calloc(nr + 1, sizeof(*comparison->differences));
	comparison->left_out = calloc(sides->nr_rows + 1, sizeof(*comparison->left_out));
	if (!comparison->differences || !comparison->left_out)
		return -ENOMEM;
	for (size_t i = 0; i < sides->nr_rows; i++)
		add_row(comparison, &sides->rows[i], t);
	qsort(comparison->differences, comparison->nr, sizeof(*comparison->differences), compare);
	for (size_t i = 0; i < comparison->nr; i++)
		comparison->nr_that_differ += difference_is_shown(&comparison->differences[i]);
	return 0;
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->differences);
	free(comparison->left_out);
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
