/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static branches (enum branch, lib/tables/config.h) in a program: compares of zero with a number
 * that stands for the branch.
 */
#ifndef NETSTACKLAT_STATIC_BRANCHES_H
#define NETSTACKLAT_STATIC_BRANCHES_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "lib/tables/config.h"

/*
 * Decides each before the program is loaded: zero is compared with 0 where the answer is yes, else
 * with
 * 1. The verifier knows how that ends, and drops compare and dead code. To be called while libbpf
 * prepares the program (prog_prepare_load_fn). Returns 0 or a negative errno.
 */
int static_branches_write(struct bpf_program *program, const bool on[NR_BRANCHES]);

#endif
