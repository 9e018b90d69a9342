/* SPDX-License-Identifier: GPL-2.0 */
/* What the running kernel has, as its BTF tells. */
#ifndef NETSTACKLAT_KERNEL_H
#define NETSTACKLAT_KERNEL_H

#include <stdbool.h>

struct btf;

/*
 * The kernel's BTF, to be freed with btf__free(), from a file that holds it or, if path is NULL,
 * from where kernels have it: /sys/kernel/btf/vmlinux or a vmlinux in /boot and /lib/modules. NULL
 * with errno set if there is none.
 */
struct btf *kernel_btf(const char *path);

/*
 * Whether there is a function of that name to attach to. Callers in its own source file may still
 * have it inlined, as rawv6_rcv() is: a program there never runs.
 */
bool kernel_has_function(const struct btf *btf, const char *function);

/* Whether there is bpf_ktime_get_tai_ns(): since Linux 6.1 (c8996c98f703). */
bool kernel_has_tai_helper(const struct btf *btf);

#endif
