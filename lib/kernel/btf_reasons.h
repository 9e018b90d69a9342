/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names of reasons to drop a packet, as its BTF has them. */
#ifndef NETSTACKLAT_BTF_REASONS_H
#define NETSTACKLAT_BTF_REASONS_H

#include "lib/host/reasons.h"

struct btf;

/*
 * All reasons that the kernel and its modules have now, to be freed; btf_path as of kernel_btf().
 * NULL with errno set.
 */
struct reason_names *kernel_reason_names(const char *btf_path);

/*
 * Finds the reasons of one BTF, in types from first on: a module's BTF begins with the kernel's
 * types.
 */
int kernel_add_reasons(struct reason_names *names, const struct btf *btf, unsigned int first);

#endif
