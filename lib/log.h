/* SPDX-License-Identifier: GPL-2.0 */
/* Messages on stderr, one line each. */
#ifndef NETSTACKLAT_LOG_H
#define NETSTACKLAT_LOG_H

#include <stdbool.h>

/* Shows log_verbose() messages and libbpf's own from now on. */
void log_set_verbose(void);
bool log_is_verbose(void);

/* What failed and what the user can do about it, or what is worth a warning: a sentence without its
 * dot. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds what err, a negative errno, means; returns err. */
int log_failure(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What only -v shows. */
void log_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
