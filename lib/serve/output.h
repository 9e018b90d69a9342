/* SPDX-License-Identifier: GPL-2.0 */
/* Where reports go, and what becomes of them there. */
#ifndef NETSTACKLAT_OUTPUT_H
#define NETSTACKLAT_OUTPUT_H

#include <stdio.h>

/*
 * To be called first, with signals blocked: makes standard output wait for a slow reader, also
 * where it is non-blocking. While it waits, SIGINT, SIGTERM and SIGHUP end that after half a
 * second.
 */
void output_init(void);

/* Standard output, or a file that each report replaces as a whole. */
struct output {
	const char *path; /* NULL: standard output */
	FILE *file;	  /* between begin and end: what to print to */
	char *temporary;  /* beside path */
};

/*
 * Begin and end a report. Readers of a file see the report before until the end of this one. Both
 * return 0 or, after saying what failed, a negative errno; -EPIPE, unsaid, when nobody reads
 * standard output.
 */
int output_begin(struct output *output);
int output_end(struct output *output);

/* Instead of the end: what is printed to a file is not to be read. */
void output_cancel(struct output *output);

/* Tries whether reports can be written to path. Returns as output_begin(). */
int output_try(const char *path);

/* Hands on what was printed to standard output. Returns as output_end(). */
int output_flush(void);

#endif
