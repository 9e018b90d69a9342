/* SPDX-License-Identifier: GPL-2.0 */
/* The output of reports, and what becomes of it. */
#ifndef NETSTACKLAT_OUTPUT_H
#define NETSTACKLAT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Call this first, with signals blocked: it makes standard output wait for a slow consumer, also
 * where it is non-blocking. While it waits, SIGINT, SIGTERM and SIGHUP end that after half a
 * second.
 */
void output_init(void);

/*
 * Lets nobody wait for a slow consumer from now on, as others are served, too: what it does not
 * take within a tenth of a second is kept, and until it has taken that, all that is printed is
 * dropped, which is said.
 */
void output_share(void);

/* The end of that: half a second is left to take what is kept. Returns as output_flush(). */
int output_end_sharing(void);

/*
 * Returns whether one of these signals has come: for whoever waits for a consumer outside of the
 * loop.
 */
bool output_interrupted(void);

/* A file that each report replaces as a whole. */
struct output {
	const char *path;
	int folder; /* of path; -1: none */
	FILE *file; /* between begin and end: what to print to */
	/* Its name in the folder; one that is too long stays so. */
	char temporary[NAME_MAX + 2];
};

/*
 * Opens the folder of path, which is the caller's. From here on, reports go to that very folder,
 * whatever is put at its place. Returns 0 or, after saying what failed, a negative errno. To be
 * closed also on failure.
 */
int output_open(struct output *output, const char *path);
void output_close(struct output *output);

/*
 * Begin and end a report. Readers of the file see the report before until the end of this one. Both
 * return 0 or, after saying what failed, a negative errno.
 */
int output_begin(struct output *output);
int output_end(struct output *output);

/* Instead of the end: what was printed is not to be read. */
void output_cancel(struct output *output);

/* Tries whether reports can be written to path. Returns as output_begin(). */
int output_try(const char *path);

/*
 * Hands on what was printed to standard output. Returns 0 or, after saying what failed, a negative
 * errno; -EPIPE, unsaid, when nobody reads it.
 */
int output_flush(void);

#endif
