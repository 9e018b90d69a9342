/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the clock was set, and what that spoils: latencies are differences of the wall clock, at the
 * stamp and at the hook. Pure functions on what was read from the clocks.
 */
#ifndef NETSTACKLAT_CLOCK_STEPS_H
#define NETSTACKLAT_CLOCK_STEPS_H

#include <stdint.h>
#include <time.h>

#include "lib/host/clock.h"

/* By how much the clocks were set, all in all; zero for both if they were not. */
struct clock_change {
	time_t time; /* when it was noticed last; 0 if there was none */
	int64_t wall_ns;
	int64_t tai_ns; /* of the TAI offset */
};

struct clock_steps {
	struct clock_offsets offsets; /* when last looked at */
	struct clock_change change;   /* since the last report */
	uint64_t step_ns;	      /* the largest one in this interval ... */
	uint64_t last_step_ns;	      /* ... and in the one before */
};

void clock_steps_init(struct clock_steps *steps, const struct clock_offsets *offsets);

/* Compares with the offsets of the last time. now is the wall clock, for the report. */
void clock_steps_look(struct clock_steps *steps, const struct clock_offsets *offsets, time_t now);

/*
 * Ends an interval. Returns the size in ns of the largest step that may have spoiled what was
 * counted in it, either way; 0 for none. That of the interval before counts, too: packets may have
 * been waiting to be read when the clock was set.
 */
uint64_t clock_steps_end_interval(struct clock_steps *steps);

/* What a report is to tell; the next one tells only what is new. */
struct clock_change clock_steps_report(struct clock_steps *steps);

#endif
