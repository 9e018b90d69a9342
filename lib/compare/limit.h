/* SPDX-License-Identifier: GPL-2.0 */
/* A limit says what a change may cost: "udp-socket-read p99 +20%". */
#ifndef NETSTACKLAT_LIMIT_H
#define NETSTACKLAT_LIMIT_H

#include "lib/compare/comparison.h"

struct limit {
	char *row; /* to be freed */
	enum figure figure;
	double factor; /* 1.2; less than 1: whoever gets as much faster is beyond it */
};

/*
 * Reads "ROW FIGURE +N%" or "ROW FIGURE -N%", with a row's name as it is printed. Returns 0,
 * -EINVAL for anything else, or -ENOMEM.
 */
int limit_parse(const char *text, struct limit *limit);

enum limit_result { LIMIT_KEPT, LIMIT_BROKEN, LIMIT_UNDECIDED, NR_LIMIT_RESULTS };
extern const char *const limit_result_names[NR_LIMIT_RESULTS];

/* A limit is broken or kept only if all of the interval says so; else it is undecided. */
enum limit_result limit_check(const struct limit *limit, const struct difference *difference);

#endif
