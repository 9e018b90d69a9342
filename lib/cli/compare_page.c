// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/compare_page.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/compare/print.h"
#include "lib/print/columns.h"
#include "lib/print/page.h"
#include "lib/tables/units.h"

static int add_unit(struct timeline *timeline, const struct sides *sides, enum side side,
		    unsigned int unit)
{
	const struct timeline_column column = {
		.duration_ns = unit_seconds(sides, side, unit) * NS_PER_S,
	};
	int err = timeline_begin_column(timeline, &column);

	for (size_t i = 0; i < sides->nr_rows && !err; i++) {
		const struct row *row = &sides->rows[i];
		const struct timeline_name name = {
			.view = row->is_stage ? VIEW_STAGES : VIEW_HOOKS,
			.rank = i,
			.section = "",
			.label = row->name,
		};

		err = timeline_add(timeline, &name, row->units[side][unit].buckets);
	}
	return err;
}

/* A column for each unit, those before first. NULL without memory. */
static struct timeline *timeline_of(const struct sides *sides)
{
	struct timeline *timeline =
		timeline_new(KEEPS_ALL, sides->resolution, NR_SIDES * MAX_RUNS, sides->nr_rows + 1);
	int err = timeline ? 0 : -ENOMEM;

	for (enum side side = 0; side < NR_SIDES; side++)
		for (unsigned int unit = 0; unit < sides->nr_units[side] && !err; unit++)
			err = add_unit(timeline, sides, side, unit);
	if (!err)
		return timeline;
	timeline_free(timeline);
	return NULL;
}

/* The sentences, to be freed; NULL without memory. */
static char *text_of(const struct comparison *comparison, bool full)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		comparison_print(out, comparison, full);
		fclose(out);
	}
	return text;
}

int compare_page_print(FILE *out, const struct comparison *comparison, bool full,
		       char *const *command)
{
	const struct sides *sides = comparison->sides;
	struct timeline *timeline = timeline_of(sides);
	char *text = text_of(comparison, full);
	const struct page page = {
		.host = "two sides",
		.kernel = sides->runs[SIDE_BEFORE][0].kernel,
		.command = command,
		.verdict = text,
		.timeline = timeline,
		.nr_before = sides->nr_units[SIDE_BEFORE],
	};
	int err = timeline && text ? page_print(out, &page)
				   : log_failure(-ENOMEM, "cannot print a page");

	free(text);
	timeline_free(timeline);
	return err;
}
