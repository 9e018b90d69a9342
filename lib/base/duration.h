/* SPDX-License-Identifier: GPL-2.0 */
/* Durations as people read them. */
#ifndef NETSTACKLAT_DURATION_H
#define NETSTACKLAT_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define DURATION_TEXT_SIZE 16

/*
 * Writes ns (not negative) with an SI prefix and three significant digits, without trailing zeros:
 * "512ns", "4.1us", "1.05ms", "17.2s". Returns text.
 */
const char *duration_text(double ns, char text[DURATION_TEXT_SIZE]);

/*
 * Reads "0", or a number with a unit from ns to d (days): "250us", "1.5ms", "1h". Returns false for
 * anything else, and for more than a hundred years.
 */
bool duration_parse(const char *text, uint64_t *ns);

#endif
