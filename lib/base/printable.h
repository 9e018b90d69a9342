/* SPDX-License-Identifier: GPL-2.0 */
/* Text that others wrote, such as the names of processes, made fit for terminals and parsers. */
#ifndef NETSTACKLAT_PRINTABLE_H
#define NETSTACKLAT_PRINTABLE_H

/*
 * Replaces, in place, control characters and what is no UTF-8 by question marks: the kernel cuts
 * names wherever they get too long, and lets them have any byte. Returns text.
 */
char *make_printable(char *text);

#endif
