/* SPDX-License-Identifier: GPL-2.0 */
/* The answer to --list-probes. */
#ifndef NETSTACKLAT_LIST_PROBES_H
#define NETSTACKLAT_LIST_PROBES_H

#include <stdio.h>

/*
 * Prints the hooks in packet order: what each means, and its kernel functions, with a word about
 * those that the kernel's BTF (see kernel_btf()) does not have. Needs no privileges; whether
 * programs can be attached, only --check finds out.
 */
void list_probes(FILE *out, const char *btf_path);

#endif
