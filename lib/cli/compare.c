// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/compare.h"

#include <errno.h>

#include "lib/base/log.h"
#include "lib/cli/exit_status.h"
#include "lib/compare/limit.h"
#include "lib/compare/print.h"
#include "lib/serve/output.h"

static int judge(const struct limit *limit, const struct comparison *comparison)
{
	static const struct {
		const char *text;
		int status;
	} results[] = {
		[LIMIT_KEPT] = { "kept", 0 },
		[LIMIT_BROKEN] = { "broken", STATUS_FINDINGS },
		[LIMIT_UNDECIDED] = { "undecided, as the limit is within the interval",
				      STATUS_UNDECIDED },
	};
	const struct difference *difference =
		comparison_find(comparison, limit->row, limit->figure);
	enum limit_result result;

	if (!difference) {
		log_error("--fail-if: %s %s was not compared; --full shows all that was",
			  limit->row, figure_names[limit->figure]);
		return -EINVAL;
	}
	result = limit_check(limit, difference);
	printf("\nThe limit of %+.3g %% is %s: ", 100 * (limit->factor - 1), results[result].text);
	difference_print(stdout, difference);
	return results[result].status;
}

static int compare_sides(const struct options *options, const struct sides *sides)
{
	struct comparison comparison;
	int err = comparison_make(&comparison, sides), flushed;

	if (err) {
		log_failure(err, "cannot compare");
	} else {
		comparison_print(stdout, &comparison, options->full);
		if (options->fail_if.row)
			err = judge(&options->fail_if, &comparison);
		flushed = output_flush();
		err = err < 0 || !flushed ? err : flushed;
	}
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
