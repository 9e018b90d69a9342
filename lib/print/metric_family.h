/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Families of metrics in OpenMetrics 1.0, and in the older text format 0.0.4 that it comes from.
 * Their samples are the same, but their headers differ: in OpenMetrics, the name of a counter lacks
 * the _total that its samples have. The older format is the one that node_exporter and promtool
 * read.
 */
#ifndef NETSTACKLAT_METRIC_FAMILY_H
#define NETSTACKLAT_METRIC_FAMILY_H

#include <stdint.h>
#include <stdio.h>

#include "lib/counts/groups.h"

enum metrics_format { TEXT_0_0_4, OPENMETRICS, NR_METRICS_FORMATS };

/* Its media type, for HTTP. */
const char *metrics_type(enum metrics_format format);

/* Names and texts need no escapes: nothing in them is a backslash, a quotation mark or a newline.
 */
struct metric_family {
	const char *name;
	char suffix[8]; /* of its samples, which is part of the older format's name */
	const char *type;
	const char *older_type; /* if that is another one */
	const char *unit;	/* which the name ends in, if any */
	const char *help;
};

/* Prints what comes before the samples of a family. */
void metric_family_print(FILE *out, enum metrics_format format, const struct metric_family *family);

/* A family of one sample, without labels. */
void metric_number_print(FILE *out, enum metrics_format format, const struct metric_family *family,
			 uint64_t number);

/* Prints how many rows for groups are in use, and how many there are; nothing without groups. */
void metric_rows_print(FILE *out, enum metrics_format format, const struct rows_used *rows);

/* ns as seconds, exactly: "0.000001024" */
#define METRIC_SECONDS_SIZE 40
const char *metric_seconds(uint64_t ns, char text[METRIC_SECONDS_SIZE]);

#endif
