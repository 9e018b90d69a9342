/* SPDX-License-Identifier: GPL-2.0 */
/* What the running kernel has, as its BTF tells. */
#ifndef NETSTACKLAT_KERNEL_H
#define NETSTACKLAT_KERNEL_H

#include <stdbool.h>

#include "hooks.h"

struct bpf_map;
struct btf;

/*
 * The file descriptor of a map, or -1 if it was not created (autocreate is off). Since libbpf 1.4,
 * bpf_map__fd() alone does not tell: it gives such a map a placeholder's descriptor.
 */
int kernel_map_fd(const struct bpf_map *map);

/*
 * The kernel's BTF, to be freed with btf__free(), from a file that holds it or, if path is NULL,
 * from where kernels have it: /sys/kernel/btf/vmlinux or a vmlinux in /boot and /lib/modules. NULL
 * with errno set if there is none.
 */
struct btf *kernel_btf(const char *path);

/* Whether there is any, in less time if it is where most kernels have it. */
bool kernel_has_btf(void);

/*
 * The BTF ids of the probes' functions, or 0 for those that there are not. All in one pass, for a
 * kernel has more than a hundred thousand types, and a search by name looks at each of them.
 * Callers in the function's own source file may still have it inlined, as rawv6_rcv() is: a program
 * there never runs.
 */
void kernel_find_functions(const struct btf *btf, int ids[NR_PROBES]);

/* Whether there is bpf_ktime_get_tai_ns(): since Linux 6.1 (c8996c98f703). */
bool kernel_has_tai_helper(const struct btf *btf);

#endif
