/* SPDX-License-Identifier: GPL-2.0 */
/* Reports that are written to a file by a process of its own, which keeps the right to. */
#ifndef NETSTACKLAT_WRITER_H
#define NETSTACKLAT_WRITER_H

#include <stddef.h>

/*
 * Has path be what comes in at a socket, again and again, until its other end is closed; or ends at
 * once if there is no folder to write to, after saying so.
 */
void writer_serve(int socket, const char *path);

/*
 * Sends a report there, and waits until it is written. Returns 0 or, after what failed was said, a
 * negative errno.
 */
int writer_write(int socket, const char *report, size_t size);

#endif
