/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the maps, watches the clocks, and fills in reports, at any moment. Each reporter has
 * intervals of its own, so that none disturbs another's.
 */
#ifndef NETSTACKLAT_METER_H
#define NETSTACKLAT_METER_H

#include "lib/counts/intervals.h"
#include "lib/kernel/counters.h"
#include "lib/report/group_order.h"
#include "lib/report/report.h"

struct meter;

/* Counts from now on. Keeps the setup, which the caller owns. NULL with errno set. */
struct meter *meter_new(const struct report_setup *setup, const struct map_fds *maps);
void meter_free(struct meter *meter);
const struct report_setup *meter_setup(const struct meter *meter);

/*
 * Begins intervals at the moment at which the meter was made. They must live as long as the meter,
 * and are freed with intervals_free(). Returns 0 or -ENOMEM.
 */
int meter_begin(struct meter *meter, struct intervals *intervals);

/*
 * Ends the current interval. Unless forget_ns is 0, also forgets groups, see intervals_forget(), so
 * that others can have their rows. Returns 0 or, after saying what failed, a negative errno.
 */
int meter_advance(struct meter *meter, struct intervals *intervals, uint64_t forget_ns);

/*
 * Moves the counts of all groups in the total to one group, as if they were forgotten. Returns as
 * above.
 */
int meter_fold_groups(struct meter *meter, struct intervals *intervals);

/*
 * Call this when a clock may have been set, with was_set if the kernel says that the wall clock
 * was. Discards what that may have invalidated. Returns as meter_advance().
 */
int meter_look_at_clocks(struct meter *meter, bool was_set);

/* The changes of the clocks since this was asked last. */
struct clock_change meter_clock_change(struct meter *meter);

/* Counts so many intervals as without a report of their own. */
void meter_count_missed(struct meter *meter, uint64_t nr);

/*
 * Fills in these counts, with groups in this order, and the state of this moment, but not what the
 * report is of, and for whom. To be freed with meter_free_report(), also after a failure. Returns
 * as meter_advance().
 */
int meter_report(struct meter *meter, const struct group_order *order,
		 const struct snapshot *counts, struct report *report);
void meter_free_report(struct report *report);

#endif
