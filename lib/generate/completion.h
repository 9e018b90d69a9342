/* SPDX-License-Identifier: GPL-2.0 */
/* Completion for shells, from the table of options. A unit test holds contrib/completion to it. */
#ifndef NETSTACKLAT_COMPLETION_H
#define NETSTACKLAT_COMPLETION_H

#include <stdio.h>

void completion_print_bash(FILE *out);
void completion_print_zsh(FILE *out);
void completion_print_fish(FILE *out);

#endif
