/* SPDX-License-Identifier: GPL-2.0 */
/* The output of reports, and what becomes of it. */
#ifndef NETSTACKLAT_OUTPUT_H
#define NETSTACKLAT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Call this first, with signals blocked: it has standard output wait for a slow consumer, even if
 * it is non-blocking. SIGINT, SIGTERM and SIGHUP end such a wait after half a second.
 */
void output_init(void);

/*
 * From now on, nobody waits for a slow consumer, as others are served, too. Output that it does not
 * take within a tenth of a second is kept, and until it has taken that, anything else that is
 * printed is dropped, after saying so.
 */
void output_share(void);

/* Ends that: the consumer has half a second to take what is kept. Returns as output_flush(). */
int output_end_sharing(void);

/*
 * Returns whether one of these signals has come, for code that waits for a consumer outside of the
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
 * whatever replaces it at its path. Returns 0 or, after saying what failed, a negative errno. To be
 * closed also on failure.
 */
int output_open(struct output *output, const char *path);
void output_close(struct output *output);

/*
 * Begin and end a report. Until the end, readers of the file see the report before. Both return 0
 * or, after saying what failed, a negative errno.
 */
int output_begin(struct output *output);
int output_end(struct output *output);

/* Tries whether reports can be written to path. Returns as output_begin(). */
int output_try(const char *path);

/*
 * Hands on what was printed to standard output. Returns 0 or, after saying what failed, a negative
 * errno; -EPIPE, unsaid, when nobody reads it.
 */
int output_flush(void);

#endif
