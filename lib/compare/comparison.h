/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The comparison of two sides: whether they differ, and how sure that is. Pure arithmetic.
 *
 * Of each row, four figures are compared: the mean, p50, p90 and p99. Each unit of a side (a run)
 * has one of them, on a logarithmic scale, so that differences are factors. How much these vary
 * within a side shows how much the sides may differ by chance: Student's t, with the variance that
 * both sides have in common. All intervals hold together with a probability of 95 % or more,
 * however many figures are compared (Bonferroni): of twenty comparisons of sides without a
 * difference, one says that there is any.
 */
#ifndef NETSTACKLAT_COMPARISON_H
#define NETSTACKLAT_COMPARISON_H

#include "lib/compare/settings.h"
#include "lib/compare/sides.h"

enum figure { FIGURE_MEAN, FIGURE_P50, FIGURE_P90, FIGURE_P99, NR_FIGURES };
extern const char *const figure_names[NR_FIGURES];

#define ALARM_RATE 0.05

struct difference {
	const struct row *row;
	enum figure figure;
	double ns[NR_SIDES];	    /* geometric means over the units */
	double factor, least, most; /* after by before, and the bounds of its interval */
};

struct comparison {
	const struct sides *sides;
	struct difference *differences; /* those that differ first, then the widest last */
	size_t nr, nr_that_differ;
	size_t *left_out; /* numbers of rows that are not in all units, or have too few packets */
	size_t nr_left_out;
	const struct row *load_row; /* where the load differs most, or NULL */
	double load[NR_SIDES];	    /* packets a second there */
	struct setting_changes settings;
};

/* The sides must live as long. Returns 0 or -ENOMEM; to be freed in any case. */
int comparison_make(struct comparison *comparison, const struct sides *sides);
void comparison_free(struct comparison *comparison);

/* Returns whether the interval leaves out that nothing has changed. */
bool difference_is_shown(const struct difference *difference);

/* The one of a row's name and a figure; NULL if that was not compared. */
const struct difference *comparison_find(const struct comparison *comparison, const char *row,
					 enum figure figure);

#endif
