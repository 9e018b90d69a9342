/* SPDX-License-Identifier: GPL-2.0 */
/* Words of commands that users are offered to paste into a shell. */
#ifndef NETSTACKLAT_SHELL_H
#define NETSTACKLAT_SHELL_H

/*
 * A word of a POSIX shell that stands for text, whatever bytes that has: in single quotes, unless
 * it goes without. To be freed; NULL without memory. What is not printable stays so: see
 * printable_is_same().
 */
char *shell_word(const char *text);

#endif
