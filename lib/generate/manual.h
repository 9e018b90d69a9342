/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the manual page that derive from tables, as roff. A unit test holds the page to
 * them. */
#ifndef NETSTACKLAT_MANUAL_H
#define NETSTACKLAT_MANUAL_H

#include <stdio.h>

/* All options, and all hooks in packet order. */
void manual_print_options(FILE *out);
void manual_print_hooks(FILE *out);

#endif
