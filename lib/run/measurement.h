/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A measurement, from its plan to its end. All functions return 0 or, after saying what failed, a
 * negative errno.
 */
#ifndef NETSTACKLAT_MEASUREMENT_H
#define NETSTACKLAT_MEASUREMENT_H

#include "lib/base/loop.h"
#include "lib/cli/options.h"

/* Descriptors are -1 where there is none. */
struct measurement {
	const struct options *options;
	struct report_setup setup; /* with the plan, that of the options until filters are found */
	struct settings settings;  /* of this host, if they are reported */
	int timestamping, statistics;
	struct loader *loader;
	struct meter *meter;
	struct cgroup_watch *cgroups; /* NULL: they are not filtered by */
};

/* The options are the caller's, and stay. */
struct measurement measurement_of(const struct options *options);

/* Looks up the names in filters, and leaves out of the plan the hooks that cannot apply these. */
int measurement_find_filters(struct measurement *measurement);

/* The same, and what reports name: before anything runs. */
int measurement_find(struct measurement *measurement);

/* Turns on time stamps, attaches the programs, and begins to count. */
int measurement_start(struct measurement *measurement);

/* Follows clocks that are set and cgroups that come back, at their events ... */
int measurement_watch(struct measurement *measurement, struct loop *loop);

/* ... and at those that have none: to be called once in a while. */
int measurement_look(struct measurement *measurement);

/* Accepts a measurement that never started. Nobody may use its setup or meter any more. */
void measurement_end(struct measurement *measurement);

#endif
