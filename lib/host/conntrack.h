/* SPDX-License-Identifier: GPL-2.0 */
/* Netfilter's table of connections, in the network namespace that this thread is in. */
#ifndef NETSTACKLAT_CONNTRACK_H
#define NETSTACKLAT_CONNTRACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Counts the packets that were dropped as the table was full, since the namespace was made.
 * Returns false if the kernel does not tell: without nf_conntrack, which this does not load, or
 * CONFIG_NF_CONNTRACK_PROCFS.
 */
bool conntrack_count_dropped(uint64_t *dropped);

/* The same from a file like /proc/net/stat/nf_conntrack: names of columns, then a line a CPU. */
bool conntrack_parse_dropped(FILE *file, uint64_t *dropped);

/* Returns how many connections the table takes, or 0 if that is not known. */
uint32_t conntrack_max(void);

#endif
