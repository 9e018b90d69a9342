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
 * Reads "0", or a number with one of these units: "250us", "1.5ms". Returns false if it is anything
 * else, or longer than a day.
 */
bool duration_parse(const char *text, uint64_t *ns);

#endif
