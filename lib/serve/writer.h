/* SPDX-License-Identifier: GPL-2.0 */
/* Reports that are written to a file by a process of its own, which keeps the right to do so. */
#ifndef NETSTACKLAT_WRITER_H
#define NETSTACKLAT_WRITER_H

#include <stddef.h>

#include "lib/serve/output.h"

/*
 * Writes each report that comes in at a socket to a file, in place of the one before, until the
 * socket's other end is closed. The output is open, and is closed then.
 */
void writer_serve(int socket, struct output *output);

/*
 * Sends a report there, and waits for up to a second until it is written. If the one before is
 * still not written, as the file system hangs, reports are dropped, after saying so. Returns 0 or,
 * after saying what failed, a negative errno: of this report, or of the one before.
 */
int writer_write(int socket, const char *report, size_t size);

/* Waits for as long until what was sent is written. Returns as writer_write(). */
int writer_finish(int socket);

#endif
