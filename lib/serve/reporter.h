/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the maps when reports are due, and has them printed where they are to go. */
#ifndef NETSTACKLAT_REPORTER_H
#define NETSTACKLAT_REPORTER_H

#include "lib/kernel/map_reader.h"
#include "lib/report/report.h"

struct reporter_config {
	const struct printer *printer;
	const struct group_order *order;
	bool quiet;	      /* no reports, only how many slow packets were not told of */
	bool cumulative;      /* reports since the start instead of intervals */
	const char *path;     /* of a file that each report replaces; NULL: standard output */
	uint64_t interval_ns; /* at which reports are due */
};

struct reporter;

/* Counts from now on. Keeps the setup, which the caller owns. NULL with errno set. */
struct reporter *reporter_new(const struct reporter_config *config,
			      const struct report_setup *setup, const struct map_fds *maps);
void reporter_free(struct reporter *reporter);

/*
 * Print the report that is due, and the last ones: the interval that just ends and the total. Both
 * return what output_end() does.
 */
int reporter_interval(struct reporter *reporter);
int reporter_end(struct reporter *reporter);

/*
 * To be called when a clock may have been set, and with was_set if the kernel says that the wall
 * clock was. What that may have spoiled is discarded. Returns 0 or, after saying what failed, a
 * negative errno.
 */
int reporter_look_at_clocks(struct reporter *reporter, bool was_set);

#endif
