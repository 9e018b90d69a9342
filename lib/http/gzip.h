/* SPDX-License-Identifier: GPL-2.0 */
/* Compression for the web. */
#ifndef NETSTACKLAT_GZIP_H
#define NETSTACKLAT_GZIP_H

#include <stddef.h>

/*
 * Frees data of *size and returns it compressed, quickly rather than well, for other events wait
 * meanwhile. NULL, after saying so, without memory.
 */
char *gzip_instead(char *data, size_t *size);

#endif
