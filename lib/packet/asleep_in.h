/* SPDX-License-Identifier: GPL-2.0 */
/* The way in which a reader was asleep, and in what, in words. */
#ifndef NETSTACKLAT_ASLEEP_IN_H
#define NETSTACKLAT_ASLEEP_IN_H

#include <stdbool.h>

#include "lib/tables/reader_wait.h"

#define ASLEEP_IN_TEXT_SIZE 64

/* "asleep", "uninterruptible", "io", "stopped" or "frozen". */
const char *asleep_how_name(__u32 asleep_in);

/* Returns whether something stopped it, other than what it does itself. */
bool asleep_is_stopped(__u32 asleep_in);

/*
 * Returns whether it sleeps in a call that waits until somebody sends something, and is not
 * stopped.
 */
bool asleep_is_for_sockets(__u32 asleep_in);

/*
 * The name of the system call ("clock_nanosleep"), or its number if it has none that libseccomp
 * knows. Returns text, or NULL for none.
 */
const char *asleep_in_syscall(__u32 asleep_in, char text[ASLEEP_IN_TEXT_SIZE]);

/*
 * Returns the same, or "a page fault" where it sleeps without a call. NULL if it was stopped in the
 * call, too.
 */
const char *asleep_by_itself_in(__u32 asleep_in, char text[ASLEEP_IN_TEXT_SIZE]);

#endif
