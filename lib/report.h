/* SPDX-License-Identifier: GPL-2.0 */
/* Reports: what they say, when they are due, and the printers that put them on paper. */
#ifndef NETSTACKLAT_REPORT_H
#define NETSTACKLAT_REPORT_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "snapshot.h"

enum report_kind {
	REPORT_INTERVAL,
	REPORT_TOTAL,
};

/* By how much the clocks were set, all in all; zero for both if they were not. */
struct clock_change {
	time_t time; /* when it was noticed last */
	int64_t wall_ns;
	int64_t tai_ns; /* of the TAI offset */
};

/* What every printer is given. */
struct report {
	enum report_kind kind;
	time_t time;			  /* wall clock at its end */
	uint64_t duration_ns;		  /* the time it covers */
	const struct hook_counts *hooks;  /* NR_HOOKS of them, counted in that time */
	struct clock_change clock_change; /* in that time */
};

/*
 * Prints a report for people, 80 columns wide. Quantiles and the maximum are upper bounds: that of
 * the bucket which holds them.
 */
void report_text(FILE *out, const struct report *report);

/* Turns readings of the maps into reports on standard output. */
struct reporter;

/* Counts from now on, in maps that started from zero. NULL with errno set. */
struct reporter *reporter_new(const struct snapshot_maps *maps);
void reporter_free(struct reporter *reporter);

/*
 * Report what was counted since the last interval, and since reporter_new() up to the last
 * interval. Both return 0 or, after saying what failed, a negative errno; -EPIPE, unsaid, when
 * nobody reads the output.
 */
int reporter_interval(struct reporter *reporter);
int reporter_total(struct reporter *reporter);

/*
 * To be called when a clock may have been set; reporter_interval() does so, too. What was counted
 * in the current interval is discarded as far as the change may explain it. Returns as above.
 */
int reporter_check_clock(struct reporter *reporter);

#endif
