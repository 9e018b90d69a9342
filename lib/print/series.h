/* SPDX-License-Identifier: GPL-2.0 */
/* The groups of a hook, and stages, as time series. None of them is there twice. */
#ifndef NETSTACKLAT_SERIES_H
#define NETSTACKLAT_SERIES_H

#include "lib/report/report.h"

struct series {
	char *labels; /* 'hook="tcp-start",port="80"' or 'from="ip-rcv",to="tcp-start",...' */
	const struct report_group *group;
};

/*
 * Lists one series for each group of a hook, or for each stage: *nr of them, to be freed by
 * series_free(). They are in the order of their labels, so that equal ones stand side by side:
 * there should be none, but one that is printed twice would invalidate all. NULL without memory,
 * after saying so.
 */
struct series *series_of_groups(const struct report *report, enum hook hook, size_t *nr);
struct series *series_of_stages(const struct report *report, size_t *nr);
void series_free(struct series *series, size_t nr);

/*
 * Adds up the first of nr series and the ones behind it with the same labels. Returns how many they
 * are.
 */
size_t series_latency(const struct report *report, const struct series *series, size_t nr,
		      struct histogram *latency);

#endif
