/* SPDX-License-Identifier: GPL-2.0 */
/* The answer to --list-probes. */
#ifndef NETSTACKLAT_LIST_PROBES_H
#define NETSTACKLAT_LIST_PROBES_H

#include <stdio.h>

/*
 * Prints the hooks in packet order: what each means, its kernel functions, and which of these the
 * kernel's BTF (see kernel_btf()) lacks. It needs no privileges; only --check finds out whether
 * programs can be attached.
 */
void list_probes(FILE *out, const char *btf_path);

#endif
