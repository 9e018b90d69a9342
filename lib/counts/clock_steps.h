/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the clock was set, and what that invalidates: latencies are differences of the wall clock,
 * at the stamp and at the hook. Pure functions on what was read from the clocks.
 */
#ifndef NETSTACKLAT_CLOCK_STEPS_H
#define NETSTACKLAT_CLOCK_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/counts/snapshot.h"
#include "lib/base/clock.h"

/*
 * The time by which the clocks were set, all in all; zero for both if they were set forth and back.
 */
struct clock_change {
	time_t time; /* when it was noticed last; 0 if there was none */
	int64_t wall_ns;
	int64_t tai_ns; /* of the TAI offset */
};

struct clock_step {
	uint64_t size_ns;    /* either way; 0 for none */
	uint64_t noticed_ns; /* CLOCK_MONOTONIC */
};

/* The oldest are forgotten where there are more at a time. */
#define NR_CLOCK_STEPS 16

struct clock_steps {
	struct clock_offsets offsets; /* when last looked at */
	struct clock_change change;   /* since the last report */
	struct clock_step steps[NR_CLOCK_STEPS];
	unsigned int next;
	uint64_t nr;	     /* of all steps, forgotten ones included */
	bool is_unannounced; /* the last step was seen before the kernel reported it, which it will
			      */
};

void clock_steps_init(struct clock_steps *steps, const struct clock_offsets *offsets);

/*
 * Compares with the offsets of the last time. now is the wall clock, for the report, and now_ns the
 * monotonic one. was_set: the kernel said that somebody set the wall clock. If the offsets are as
 * they were, it was set forth and back meanwhile, nobody knows how far.
 */
void clock_steps_look(struct clock_steps *steps, const struct clock_offsets *offsets, bool was_set,
		      time_t now, uint64_t now_ns);

/*
 * Finds what the steps may have invalidated of all that was counted since started_ns
 * (CLOCK_MONOTONIC). A packet that was stamped before a step forward of s, and seen when age has
 * passed since the step, seems to be late by s + age, or more. One that was stamped before a step
 * back seems to come from the future, as long as age is less than s.
 */
struct clock_invalidated clock_steps_invalidated(const struct clock_steps *steps,
						 uint64_t started_ns);

/* The steps that a report tells. The next report tells only new ones. */
struct clock_change clock_steps_report(struct clock_steps *steps);

#endif
