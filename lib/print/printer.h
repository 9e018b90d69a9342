/* SPDX-License-Identifier: GPL-2.0 */
/* The printers that put a report on paper: one model, many printers. */
#ifndef NETSTACKLAT_PRINTER_H
#define NETSTACKLAT_PRINTER_H

#include "lib/report/report.h"

/*
 * A way to print a report. A document has a beginning, reports and an end. Either each report is a
 * document of its own, or all reports are one.
 */
struct packet_report;
struct printer {
	const char *name;				      /* as users choose it: -o name */
	void (*begin)(FILE *out, const struct report *first); /* NULL: nothing to print */
	void (*report)(FILE *out, const struct report *report);
	void (*end)(FILE *out);
	void (*packet)(FILE *out, const struct packet_report *packet); /* NULL: has no room */
	bool is_document;	 /* each report, so that it may replace a file as a whole */
	bool cumulative;	 /* makes sense only for all since the start */
	bool is_silent;		 /* prints nothing, so nobody need count for it */
	bool records;		 /* prints the last report alone, with what was recorded by then */
	bool shows_stacks;	 /* of a verdict, and nothing else */
	bool no_verdict;	 /* has no form for one */
	bool no_groups;		 /* has no room for groups */
	bool no_overhead;	 /* nor for what the programs cost */
	unsigned int resolution; /* unless users choose another one */
};

#define NR_PRINTERS 8
extern const struct printer *const printers[NR_PRINTERS];

/* NULL if there is none of that name. */
const struct printer *printer_find(const char *name);

/*
 * Prints a report, after the document's beginning if it is the first, and before the end if it is
 * the only one.
 */
void printer_print(const struct printer *printer, FILE *out, const struct report *report);

/*
 * Prints the same into memory, to be freed; *size does not count the zero behind it. NULL with
 * errno set: ENOMEM, or EFBIG if it would take more than so many bytes.
 */
char *printer_print_to_memory(const struct printer *printer, const struct report *report,
			      size_t largest, size_t *size);

/* The printers. What they print is described in the manual page. */
extern const struct printer printer_text, printer_json, printer_openmetrics, printer_prometheus,
	printer_heatmap, printer_heatmap_blocks, printer_html, printer_collapsed, printer_none;

#endif
