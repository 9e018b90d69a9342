/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel counts of each CPU that receives, since boot (/proc/net/softnet_stat). */
#ifndef NETSTACKLAT_SOFTNET_H
#define NETSTACKLAT_SOFTNET_H

#include <stdint.h>
#include <stdio.h>

struct softnet {
	/*
	 * By CPU: how often it stopped, as its budget was used up (net.core.netdev_budget and
	 * netdev_budget_usecs). The last packet may have done that.
	 */
	uint32_t *squeezed;
	unsigned int nr;
};

/* Reads it from a file of that form, and from the kernel. What cannot be read is zero. */
struct softnet softnet_parse(FILE *file);
struct softnet softnet_read(void);
void softnet_free(struct softnet *softnet);

/* Returns how often a CPU did that since an older reading: the kernel's counter may wrap. */
uint32_t softnet_squeezed_since(const struct softnet *now, const struct softnet *before,
				unsigned int cpu);

#endif
