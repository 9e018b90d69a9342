/* SPDX-License-Identifier: GPL-2.0 */
/* Reads why packets waited for readers, from maps that the caller keeps open. */
#ifndef NETSTACKLAT_READER_WAITS_H
#define NETSTACKLAT_READER_WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/tables/reader_wait.h"

/* File descriptors; negative if these are not kept. */
struct reader_wait_maps {
	int reads, answers;
};

/* Finds how a process waits before it reads, or answers at a port; false if nothing is known. */
bool reader_waits_find(const struct reader_wait_maps *maps, pid_t pid, struct reader_wait *wait);
bool reader_waits_find_answer(const struct reader_wait_maps *maps, pid_t pid, uint16_t port,
			      struct answer_wait *wait);

/* Forgets what was. */
void reader_waits_clear(const struct reader_wait_maps *maps);

#endif
