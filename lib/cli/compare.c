// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/compare.h"

#include <errno.h>

#include "lib/base/log.h"
#include "lib/cli/compare_page.h"
#include "lib/cli/exit_status.h"
#include "lib/compare/print.h"
#include "lib/print/printer.h"
#include "lib/serve/output.h"

static const int statuses[NR_LIMIT_RESULTS] = {
	[LIMIT_BROKEN] = STATUS_FINDINGS,
	[LIMIT_UNDECIDED] = STATUS_UNDECIDED,
};

static void print_limit(const struct limit *limit, const struct difference *difference,
			enum limit_result result)
{
	printf("\nThe limit of %+.3g %% is %s%s: ", 100 * (limit->factor - 1),
	       limit_result_names[result],
	       result == LIMIT_UNDECIDED ? ", as it is within the interval" : "");
	difference_print(stdout, difference);
}

/* Prints the comparison, and returns whether the limit is kept. Without a limit, it is. */
static int print(const struct options *options, const struct comparison *comparison)
{
	const struct limit *limit = options->fail_if.row ? &options->fail_if : NULL;
	const struct difference *difference =
		limit ? comparison_find(comparison, limit->row, limit->figure) : NULL;
	enum limit_result result = difference ? limit_check(limit, difference) : LIMIT_KEPT;
	int err;

	if (limit && !difference) {
		log_error("--fail-if: %s %s was not compared; --full shows all that was",
			  limit->row, figure_names[limit->figure]);
		return -EINVAL;
	}
	if (options->reports.printer == &printer_html) {
		err = compare_page_print(stdout, comparison, options->full, options->command);
		if (err)
			return err;
	} else if (options->reports.printer == &printer_json) {
		comparison_print_json(stdout, comparison, limit, result);
	} else {
		comparison_print(stdout, comparison, options->full);
		if (limit)
			print_limit(limit, difference, result);
	}
	err = output_flush();
	return err ? err : statuses[result];
}

static int compare_sides(const struct options *options, const struct sides *sides)
{
	struct comparison comparison;
	int err = comparison_make(&comparison, sides);

	err = err ? log_failure(err, "cannot compare") : print(options, &comparison);
	comparison_free(&comparison);
	return err;
}

int compare_files(const struct options *options)
{
	const char *const *const paths[NR_SIDES] = { options->compared[SIDE_BEFORE],
						     options->compared[SIDE_AFTER] };
	struct sides sides;
	int err = sides_read(&sides, paths, options->nr_compared);

	if (!err)
		err = compare_sides(options, &sides);
	sides_free(&sides);
	return err;
}
