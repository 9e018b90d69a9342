/* SPDX-License-Identifier: GPL-2.0 */
/* Compression for the web. */
#ifndef NETSTACKLAT_GZIP_H
#define NETSTACKLAT_GZIP_H

#include <stddef.h>

/*
 * Frees data of *size and returns it compressed: quickly if other events wait meanwhile, else well.
 * NULL, after saying so, without memory.
 */
enum gzip_effort { GZIP_QUICKLY, GZIP_WELL };
char *gzip_instead(char *data, size_t *size, enum gzip_effort effort);

#endif
