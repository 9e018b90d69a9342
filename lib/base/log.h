/* SPDX-License-Identifier: GPL-2.0 */
/* Messages on stderr, one line each. */
#ifndef NETSTACKLAT_LOG_H
#define NETSTACKLAT_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,   /* shown always */
	LOG_LEVEL_NOTICE,  /* likewise */
	LOG_LEVEL_INFO,	   /* shown with -v, and to people at a terminal */
	LOG_LEVEL_VERBOSE, /* shown with -v */
};

/* Call this before any other; verbose says whether -v was given. */
void log_init(bool verbose);
bool log_is_verbose(void);

/* Prints a message of a level that is shown, and what err (-errno or 0) means. Returns err. */
int log_line(enum log_level level, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * While something else is on the terminal, messages are held: the last one is given back, without
 * its end of line, or NULL. Then all are printed.
 */
void log_hold(void);
const char *log_held(void);
void log_release(void);

/* A failure, or something that does not work as it should, and what the user can do about it. */
#define log_error(...) log_line(LOG_LEVEL_ERROR, 0, __VA_ARGS__)
#define log_failure(err, ...) log_line(LOG_LEVEL_ERROR, err, __VA_ARGS__)

/* Lines for which scripts wait. */
#define log_notice(...) log_line(LOG_LEVEL_NOTICE, 0, __VA_ARGS__)

#define log_info(...) log_line(LOG_LEVEL_INFO, 0, __VA_ARGS__)
#define log_verbose(...) log_line(LOG_LEVEL_VERBOSE, 0, __VA_ARGS__)

#endif
