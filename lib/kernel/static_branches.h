/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static branches of a program (enum branch, lib/tables/config.h): each compares zero with a number
 * that stands for the branch. Other numbers stand for variables of the kernel.
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
 * Decides each branch before the program is loaded, and removes code that is then never reached.
 * The verifier would do so, too, but takes milliseconds for a thousand instructions that it removes
 * (Linux 7.2). Replaces numbers of the kernel's variables by BTF ids: 0 for those that no branch
 * leads to. Call this while libbpf prepares the program (prog_prepare_load_fn), with the options
 * that it hands out. From then on, *opts refers to *moved, which the caller frees once the program
 * is loaded. Returns 0 or a negative errno.
 */
int static_branches_write(struct bpf_program *program, const bool on[NR_BRANCHES],
			  const __s32 variables[NR_VARIABLES], struct bpf_prog_load_opts *opts,
			  struct moved_info *moved);

void moved_info_free(struct moved_info *moved);

#endif
