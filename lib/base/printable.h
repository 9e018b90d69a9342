/* SPDX-License-Identifier: GPL-2.0 */
/* Text that others wrote, such as the names of processes, made fit for terminals and parsers. */
#ifndef NETSTACKLAT_PRINTABLE_H
#define NETSTACKLAT_PRINTABLE_H

#include <stdbool.h>

/* The most that it takes to print text of so many bytes. */
#define PRINTABLE_SIZE(length) (4 * (length) + 1)

/*
 * Copies text, with each byte as \x1b, in lower case, that belongs to a control or format character
 * (such as one that makes a terminal write from right to left) or to no character: the kernel cuts
 * names wherever they get too long, and lets them have any byte. What is different stays different:
 * a backslash that would read like the start of such a byte is written as \x5c. All others stay, as
 * does the \x2d of systemd's units. Returns copy, which has room for PRINTABLE_SIZE().
 */
char *printable_copy(char *copy, const char *text);

/* Returns whether a copy would be the text itself: there is nothing to escape. */
bool printable_is_same(const char *copy);

/*
 * The same into memory, to be freed. NULL without memory, or if it takes more than MAX_PRINTABLE
 * bytes: others choose names, and those in each line of a report must not make it a hundred times
 * as long. The paths of Kubernetes' containers within containers take 322.
 */
#define MAX_PRINTABLE 512
char *printable_dup(const char *text);

/* Returns whether text that others wrote can be printed, or stand in a command, as it is. */
bool printable_is_plain(const char *text);

/*
 * Escapes from now on all characters that are not ASCII: a terminal with another character set than
 * UTF-8 would take the bytes of one for several, and act on those from 0x80 to 0x9f.
 */
void printable_limit_to_ascii(void);

#endif
