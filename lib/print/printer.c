// SPDX-License-Identifier: GPL-2.0
#include "lib/print/printer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct printer *const printers[NR_PRINTERS] = {
	&printer_text,	  &printer_json, &printer_openmetrics, &printer_prometheus,
	&printer_heatmap, &printer_html, &printer_collapsed,   &printer_none,
};

/* This is for runs that only serve what is measured. */
static void print_nothing(FILE *out, const struct report *report)
{
	(void)out;
	(void)report;
}

/* A verdict has them: see lib/diagnose. */
const struct printer printer_collapsed = {
	.name = "collapsed",
	.report = print_nothing,
	.shows_stacks = true,
};

const struct printer printer_none = {
	.name = "none",
	.report = print_nothing,
	.is_silent = true,
};

const struct printer *printer_find(const char *name)
{
	for (int i = 0; i < NR_PRINTERS; i++)
		if (!strcmp(printers[i]->name, name))
			return printers[i];
	return NULL;
}

void printer_print(const struct printer *printer, FILE *out, const struct report *report)
{
	report_look_up_names(report);
	if (printer->begin && (printer->is_document || !report->number))
		printer->begin(out, report);
	printer->report(out, report);
	if (printer->end && printer->is_document)
		printer->end(out);
}

char *printer_print_to_memory(const struct printer *printer, const struct report *report,
			      size_t largest, size_t *size)
{
	/* Pages of it that are not written to take no memory. */
	char *text = malloc(largest + 2), *fitting;
	FILE *out = text ? fmemopen(text, largest + 2, "w") : NULL;
	bool is_too_large;

	if (!out) {
		free(text);
		errno = ENOMEM;
		return NULL;
	}
	printer_print(printer, out, report);
	/* C libraries differ in whether it is an error that a stream is full. */
	is_too_large = fflush(out) || ferror(out);
	*size = ftell(out);
	is_too_large |= *size > largest;
	fclose(out);
	if (is_too_large) {
		free(text);
		errno = EFBIG;
		return NULL;
	}
	fitting = realloc(text, *size + 1);
	return fitting ? fitting : text;
}
