/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's functions and types, as its BTF tells. */
#ifndef NETSTACKLAT_BTF_H
#define NETSTACKLAT_BTF_H

#include <linux/types.h>
#include <stdbool.h>

#include "lib/tables/config.h"
#include "lib/tables/hooks.h"

struct btf;

/*
 * The kernel's BTF, to be freed with btf__free(), from a file that holds it or, if path is NULL,
 * from where kernels have it: /sys/kernel/btf/vmlinux or a vmlinux in /boot and /lib/modules. NULL
 * with errno set if there is none.
 */
struct btf *kernel_btf(const char *path);

/*
 * Returns the name that BTF has at an offset, on loan. It is empty if there is none: BTF of another
 * kernel's module, or of a damaged file, may have offsets beyond its end.
 */
const char *kernel_btf_name(const struct btf *btf, __u32 offset);

/* Returns whether there is any. It takes little time if it is where most kernels have it. */
bool kernel_has_btf(void);

/*
 * Finds the BTF ids of the probes' targets, functions and tracepoints; 0 for targets that the
 * kernel lacks. It does so in one pass, as a kernel has more than a hundred thousand types, and a
 * search by name looks at each of them. Callers in the function's own source file may still have
 * inlined it, as with rawv6_rcv(): a program there never runs.
 */
void kernel_find_targets(const struct btf *btf, int ids[NR_PROBES]);

/*
 * Returns how many arguments a function of the kernel takes, by its BTF id; 0 if it is no function.
 */
unsigned int kernel_nr_arguments(const struct btf *btf, int function);

/*
 * Returns whether tracing programs may keep something with a socket (BPF_MAP_TYPE_SK_STORAGE):
 * since Linux 5.11 (8e4597c627fb).
 */
bool kernel_has_tracing_sk_storage(const struct btf *btf);

/*
 * Finds the BTF ids of the kernel's variables, and sets the branches that read them. An id is 0 if
 * the kernel lacks the variable: arm64 has the preempt count elsewhere.
 */
void kernel_find_variables(const struct btf *btf, __s32 ids[NR_VARIABLES], bool on[NR_BRANCHES]);

/* Finds the ids of targets in the BTF at path, see kernel_btf(). Returns false if there is none. */
bool kernel_look_for_targets(const char *path, int ids[NR_PROBES]);

/* Returns whether BPF programs can call a helper, such as "BPF_FUNC_loop". */
bool kernel_has_helper(const struct btf *btf, const char *name);

#endif
