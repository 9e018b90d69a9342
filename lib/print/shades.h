/* SPDX-License-Identifier: GPL-2.0 */
/* The number of samples in a cell of a heatmap or panel: by colour, or by how full it is. */
#ifndef NETSTACKLAT_SHADES_H
#define NETSTACKLAT_SHADES_H

#include <stdbool.h>

/* Two levels share a shade. */
#define NR_LEVELS 8

/* They go from dark violet to light yellow, in steps that look alike: some of 256 colours. */
extern const int level_colours[NR_LEVELS];

/* Returns that of a level, from 1 on; with unicode, blocks of UTF-8. */
const char *level_shade(int level, bool unicode);

#endif
