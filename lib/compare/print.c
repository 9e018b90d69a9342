// SPDX-License-Identifier: GPL-2.0
#include "lib/compare/print.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/duration.h"
#include "lib/base/printable.h"

/* Returns how many percent more or less it is. */
static double percent(double factor)
{
	return 100 * (factor - 1);
}

/* Percents say little from there on. */
#define MANY_TIMES 2

void difference_print(FILE *out, const struct difference *difference)
{
	char before[DURATION_TEXT_SIZE], after[DURATION_TEXT_SIZE];
	double least = percent(difference->least), most = percent(difference->most);

	fprintf(out, "%s %s: ", difference->row->name, figure_names[difference->figure]);
	if (difference->least > MANY_TIMES)
		fprintf(out, "%.3g times as long (%.3g to %.3g)", difference->factor,
			difference->least, difference->most);
	else if (difference->least > 1)
		fprintf(out, "slower by %.3g %% (%.3g to %.3g %%)", percent(difference->factor),
			least, most);
	else if (difference->most < 1)
		fprintf(out, "faster by %.3g %% (%.3g to %.3g %%)", -percent(difference->factor),
			-most, -least);
	else
		fprintf(out, "no difference shown (%+.3g to %+.3g %%)", least, most);
	fprintf(out, ", from %s to %s\n", duration_text(difference->ns[SIDE_BEFORE], before),
		duration_text(difference->ns[SIDE_AFTER], after));
}

static void print_side(FILE *out, const struct sides *sides, enum side side)
{
	const struct compared_run total = side_total(sides, side);

	fprintf(out, "%s %u run%s: %u intervals, %.4g s.\n", side ? "After, " : "Before,",
		sides->nr_runs[side], sides->nr_runs[side] == 1 ? "" : "s", total.nr_intervals,
		total.seconds);
}

static void print_load(FILE *out, const struct comparison *comparison)
{
	if (comparison->load_row)
		fprintf(out, "The load differs: %.3g packets a second at %s, and %.3g after.\n",
			comparison->load[SIDE_BEFORE], comparison->load_row->name,
			comparison->load[SIDE_AFTER]);
}

/* Files may hold anything. */
static void print_printable(FILE *out, const char *text)
{
	char *printable = printable_dup(text);

	fputs(printable ? printable : "(too long to print)", out);
	free(printable);
}

static void print_value(FILE *out, const struct setting_change *change, enum side side)
{
	if (change->varies[side])
		fputs("several values", out);
	else if (!change->values[side])
		fputs("none", out);
	else
		print_printable(out, *change->values[side] ? change->values[side] : "empty");
	fputs(side ? " after\n" : " before, ", out);
}

/* More rows would hide the rest: containers bring interfaces, and take them away. */
#define MAX_SETTINGS_SHOWN 20

/* Prints the settings that differ: these may have made a difference, too. */
static void print_settings(FILE *out, const struct setting_changes *settings, bool full)
{
	size_t nr = full || settings->nr < MAX_SETTINGS_SHOWN ? settings->nr : MAX_SETTINGS_SHOWN;

	if (!settings->nr)
		return;
	fprintf(out, "The host was set up differently, in %zu setting%s:\n", settings->nr,
		settings->nr == 1 ? "" : "s");
	for (size_t i = 0; i < nr; i++) {
		fputs("    ", out);
		print_printable(out, settings->changes[i].name);
		fputs(": ", out);
		print_value(out, &settings->changes[i], SIDE_BEFORE);
		print_value(out, &settings->changes[i], SIDE_AFTER);
	}
	if (nr < settings->nr)
		fprintf(out, "    and %zu more, see --full\n", settings->nr - nr);
}

/*
 * The result is about the sides. If each is one run, it is about these two runs: nobody knows what
 * others would show.
 */
static void print_result(FILE *out, const struct comparison *comparison)
{
	const char *what = comparison->sides->by_parts ? "These two runs" : "The sides";

	if (!comparison->nr)
		fprintf(out, "There is nothing to compare.\n");
	else if (!comparison->nr_that_differ)
		fprintf(out, "%s differ in none of %zu figures, as far as that is shown.\n", what,
			comparison->nr);
	else
		fprintf(out, "%s differ in %zu of %zu figures:\n", what, comparison->nr_that_differ,
			comparison->nr);
}

static void print_caution(FILE *out, const struct comparison *comparison)
{
	if (comparison->sides->by_parts && comparison->nr)
		fprintf(out, "Runs vary, and one a side does not tell how much: whether a change "
			     "helped is seen from three or more a side.\n");
}

/* Says how large a difference would have been shown for half of the figures that show none. */
static void print_rest(FILE *out, const struct comparison *comparison)
{
	size_t nr = comparison->nr - comparison->nr_that_differ;
	const struct difference *middle;

	if (!nr)
		return;
	middle = &comparison->differences[comparison->nr_that_differ + nr / 2];
	fprintf(out,
		"No difference is shown in %s%zu: of half of these, one of %.2g %% would be.\n",
		comparison->nr_that_differ ? "the other " : "", nr,
		percent(sqrt(middle->most / middle->least)));
}

static void print_left_out(FILE *out, const struct comparison *comparison)
{
	if (!comparison->nr_left_out)
		return;
	fprintf(out, "Not compared, as they are not in all runs, or have too few packets: ");
	for (size_t i = 0; i < comparison->nr_left_out; i++)
		fprintf(out, "%s%s", i ? "; " : "",
			comparison->sides->rows[comparison->left_out[i]].name);
	fprintf(out, ".\n");
}

void comparison_print(FILE *out, const struct comparison *comparison, bool full)
{
	size_t nr = full ? comparison->nr : comparison->nr_that_differ;

	for (enum side side = 0; side < NR_SIDES; side++)
		print_side(out, comparison->sides, side);
	print_load(out, comparison);
	print_settings(out, &comparison->settings, full);
	fputc('\n', out);
	print_result(out, comparison);
	for (size_t i = 0; i < nr; i++) {
		fputs("    ", out);
		difference_print(out, &comparison->differences[i]);
	}
	if (comparison->nr || comparison->nr_left_out)
		fputc('\n', out);
	print_rest(out, comparison);
	print_caution(out, comparison);
	print_left_out(out, comparison);
}
