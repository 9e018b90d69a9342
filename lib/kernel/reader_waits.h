/* SPDX-License-Identifier: GPL-2.0 */
/* Reads why packets waited for readers, from a map that the caller keeps open. */
#ifndef NETSTACKLAT_READER_WAITS_H
#define NETSTACKLAT_READER_WAITS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/tables/reader_wait.h"

/* Finds how a process waits; false if nothing is known. */
bool reader_waits_find(int map, pid_t pid, struct reader_wait *wait);

/* Forgets what was. */
void reader_waits_clear(int map);

#endif
