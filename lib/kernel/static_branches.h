/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static branches (enum branch, lib/tables/config.h) in a program: compares of zero with a number
 * that stands for the branch. So does a number for a variable of the kernel.
 */
#ifndef NETSTACKLAT_STATIC_BRANCHES_H
#define NETSTACKLAT_STATIC_BRANCHES_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>

#include "lib/tables/config.h"

/* A program's functions and lines, as BTF has them, in their new places. */
struct moved_info {
	void *functions, *lines;
};

/*
 * Decides each before the program is loaded, and removes what is never reached then. The verifier
 * would do so, too, but takes milliseconds for a thousand instructions that it removes (Linux 7.2).
 * Names the kernel's variables by their BTF ids: 0 for those that no branch leads to. To be called
 * while libbpf prepares the program (prog_prepare_load_fn), with what that is handed: *opts refers
 * to *moved from then on, which is the caller's to free once the program is loaded. Returns 0 or a
 * negative errno.
 */
int static_branches_write(struct bpf_program *program, const bool on[NR_BRANCHES],
			  const __s32 variables[NR_VARIABLES], struct bpf_prog_load_opts *opts,
			  struct moved_info *moved);

void moved_info_free(struct moved_info *moved);

#endif
