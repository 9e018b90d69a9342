/* SPDX-License-Identifier: GPL-2.0 */
/* The CPU time and the memory that this process takes, without its helpers. */
#ifndef NETSTACKLAT_SELF_USAGE_H
#define NETSTACKLAT_SELF_USAGE_H

#include <stdint.h>

struct self_usage {
	uint64_t cpu_ns;	 /* since it started */
	uint64_t resident_bytes; /* of memory; 0: not known */
};

struct self_usage self_usage_now(void);

#endif
