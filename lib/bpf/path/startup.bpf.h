/* SPDX-License-Identifier: GPL-2.0 */
/* The time that packets wait because netstacklat itself starts, for BPF programs. */
#ifndef NETSTACKLAT_STARTUP_BPF_H
#define NETSTACKLAT_STARTUP_BPF_H

#include "lib/tables/config.h"

struct startup startup;

/*
 * Returns how much of the time between the two was outside of the start. The start has ended by
 * until_ns.
 */
static __always_inline __u64 ns_without_startup(const struct startup *startup, __u64 since_ns,
						__u64 until_ns)
{
	__u64 before_ns = since_ns < startup->began_ns ? startup->began_ns - since_ns : 0;

	return before_ns + until_ns - (since_ns > startup->ended_ns ? since_ns : startup->ended_ns);
}

#endif
