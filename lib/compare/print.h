/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison for people. */
#ifndef NETSTACKLAT_PRINT_COMPARISON_H
#define NETSTACKLAT_PRINT_COMPARISON_H

#include <stdio.h>

#include "lib/compare/comparison.h"

/* A sentence for each figure that differs or, in full, for all. */
void comparison_print(FILE *out, const struct comparison *comparison, bool full);

/* "udp-socket-read p99: slower by 21 % (12 to 31 %), from 1.2ms to 1.45ms" */
void difference_print(FILE *out, const struct difference *difference);

#endif
