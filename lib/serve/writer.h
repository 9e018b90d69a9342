/* SPDX-License-Identifier: GPL-2.0 */
/* Reports that are written to a file by a process of its own, which keeps the right to. */
#ifndef NETSTACKLAT_WRITER_H
#define NETSTACKLAT_WRITER_H

#include <stddef.h>

#include "lib/serve/output.h"

/*
 * Has a file be what comes in at a socket, again and again, until its other end is closed. The
 * output is open, and is closed then.
 */
void writer_serve(int socket, struct output *output);

/*
 * Sends a report there, and waits for a second until it is written. While the one before is not
 * written, as the file system hangs, those behind it are dropped, which is said. Returns 0 or,
 * after what failed was said, a negative errno: of this report, or of the one before.
 */
int writer_write(int socket, const char *report, size_t size);

/* Waits for as long until what was sent is written. Returns as writer_write(). */
int writer_finish(int socket);

#endif
