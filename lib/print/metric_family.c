// SPDX-License-Identifier: GPL-2.0
#include "lib/print/metric_family.h"

#include <inttypes.h>
#include <stdbool.h>

#include "lib/tables/units.h"

const char *metrics_type(enum metrics_format format)
{
	return format == OPENMETRICS ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				     : "text/plain; version=0.0.4; charset=utf-8";
}

void metric_family_print(FILE *out, enum metrics_format format, const struct metric_family *family)
{
	bool older = format == TEXT_0_0_4;
	char name[64];

	snprintf(name, sizeof(name), "%s%s", family->name, older ? family->suffix : "");
	fprintf(out, "# TYPE %s %s\n", name,
		older && family->older_type ? family->older_type : family->type);
	if (family->unit && !older)
		fprintf(out, "# UNIT %s %s\n", name, family->unit);
	fprintf(out, "# HELP %s %s\n", name, family->help);
}

void metric_number_print(FILE *out, enum metrics_format format, const struct metric_family *family,
			 uint64_t number)
{
	metric_family_print(out, format, family);
	fprintf(out, "%s%s %" PRIu64 "\n", family->name, family->suffix, number);
}

static const struct metric_family rows_family = {
	.name = "netstacklat_group_rows",
	.type = "gauge",
	.help = "Rows for groups that are in use, and are not given back.",
};

static const struct metric_family max_rows_family = {
	.name = "netstacklat_group_rows_limit",
	.type = "gauge",
	.help = "Rows for groups that there are.",
};

void metric_rows_print(FILE *out, enum metrics_format format, const struct rows_used *rows)
{
	if (!rows->max)
		return;
	metric_number_print(out, format, &rows_family, rows->used);
	metric_number_print(out, format, &max_rows_family, rows->max);
}

const char *metric_seconds(uint64_t ns, char text[METRIC_SECONDS_SIZE])
{
	int length = sprintf(text, "%" PRIu64 ".%09u", (uint64_t)(ns / NS_PER_S),
			     (unsigned int)(ns % NS_PER_S));

	/* Prints up to the first digit after the point. */
	while (text[length - 1] == '0' && text[length - 2] != '.')
		text[--length] = '\0';
	return text;
}
