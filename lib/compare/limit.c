// SPDX-License-Identifier: GPL-2.0
#include "lib/compare/limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const limit_result_names[NR_LIMIT_RESULTS] = { "kept", "broken", "undecided" };

/* Cuts off the last word, and returns it; NULL if there is one word or none. */
static char *cut_last_word(char *text)
{
	char *space = strrchr(text, ' ');

	if (!space || space == text)
		return NULL;
	*space = '\0';
	return space + 1;
}

static bool read_figure(const char *word, enum figure *figure)
{
	for (*figure = 0; *figure < NR_FIGURES; (*figure)++)
		if (!strcmp(word, figure_names[*figure]))
			return true;
	return false;
}

/* "+20%": 1.2. Nothing gets faster by all of its time. */
static bool read_factor(const char *word, double *factor)
{
	char *end;
	double percent = strtod(word, &end);

	*factor = 1 + percent / 100;
	return (*word == '+' || *word == '-') && end != word + 1 && !strcmp(end, "%") &&
	       *factor > 0 && *factor < 1000 && *factor != 1;
}

int limit_parse(const char *text, struct limit *limit)
{
	char *factor, *figure;

	limit->row = strdup(text);
	if (!limit->row)
		return -ENOMEM;
	factor = cut_last_word(limit->row);
	figure = factor ? cut_last_word(limit->row) : NULL;
	if (figure && read_figure(figure, &limit->figure) && read_factor(factor, &limit->factor))
		return 0;
	free(limit->row);
	limit->row = NULL;
	return -EINVAL;
}

enum limit_result limit_check(const struct limit *limit, const struct difference *difference)
{
	bool is_above = difference->least > limit->factor,
	     is_below = difference->most < limit->factor;

	if (!is_above && !is_below)
		return LIMIT_UNDECIDED;
	return is_above == (limit->factor > 1) ? LIMIT_BROKEN : LIMIT_KEPT;
}
