/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two sides to compare, each of some runs: files with the lines of netstacklat -j. From a run, it
 * reads a histogram of each of its parts for each row: a hook or a stage, and a group.
 */
#ifndef NETSTACKLAT_SIDES_H
#define NETSTACKLAT_SIDES_H

#include <stdbool.h>

#include "lib/counts/histogram.h"

enum side { SIDE_BEFORE, SIDE_AFTER, NR_SIDES };

#define MAX_RUNS 64
/*
 * A side of one run is cut into so many parts of some intervals each. Packets that follow each
 * other have much in common, and parts of a run have less (batch means).
 */
#define NR_RUN_PARTS 10

struct json_object;
struct compared_run {
	double seconds;
	unsigned int nr_intervals;
	unsigned int resolution;
	char kernel[128];
	struct json_object *host; /* its settings, by name; NULL if it does not tell them */
};

/* A unit varies by chance: a run or, with one run a side, a part of it. */
struct unit {
	double seconds; /* of the intervals in which the row was there */
	struct bucket *buckets;
};

struct row {
	char *name; /* printable: "tcp-start", "ip-rcv to tcp-start, IPv4", "tcp-start, port 80" */
	bool is_stage;
	struct unit *units[NR_SIDES];
};

struct sides {
	bool by_parts; /* each side has one run, which is taken apart */
	unsigned int nr_runs[NR_SIDES], nr_units[NR_SIDES];
	struct compared_run runs[NR_SIDES][MAX_RUNS];
	unsigned int resolution, nr_buckets;
	struct row *rows;
	size_t nr_rows;
};

/*
 * Reads all runs, 1 to MAX_RUNS a side. Returns 0 or, after saying what failed, a negative errno: a
 * file cannot be read, does not come from netstacklat -j, or has another resolution. To be freed in
 * any case.
 */
int sides_read(struct sides *sides, const char *const *const paths[NR_SIDES],
	       const unsigned int nr_paths[NR_SIDES]);
void sides_free(struct sides *sides);

/* Returns how long a unit is: a run or a part of one. */
double unit_seconds(const struct sides *sides, enum side side, unsigned int unit);

/* Returns how long all runs of a side took together, in how many intervals. */
struct compared_run side_total(const struct sides *sides, enum side side);

#endif
