/* SPDX-License-Identifier: GPL-2.0 */
/* The number that tells network namespaces apart where the kernel does not tell their cookies. */
#ifndef NETSTACKLAT_NETNS_MIX_H
#define NETSTACKLAT_NETNS_MIX_H

/*
 * Lends netns.h the random number of each namespace, where it needs that: before Linux 5.14. The
 * kernel's types are read from a file or, if that is NULL, from where the kernel has them. Returns
 * 0 or, after saying why, a negative errno.
 */
int netns_mix_start(const char *btf_path);
void netns_mix_end(void);

#endif
