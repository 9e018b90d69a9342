/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison for people, or for programs. */
#ifndef NETSTACKLAT_PRINT_COMPARISON_H
#define NETSTACKLAT_PRINT_COMPARISON_H

#include <stdio.h>

#include "lib/compare/limit.h"

/* A sentence for each figure that differs or, in full, for all. */
void comparison_print(FILE *out, const struct comparison *comparison, bool full);

/* "udp-socket-read p99: slower by 21 % (12 to 31 %), from 1.2ms to 1.45ms" */
void difference_print(FILE *out, const struct difference *difference);

/* An object on a line, with all figures; limit is NULL if there is none. */
void comparison_print_json(FILE *out, const struct comparison *comparison,
			   const struct limit *limit, enum limit_result result);

#endif
