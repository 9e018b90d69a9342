/* SPDX-License-Identifier: GPL-2.0 */
/* Hints that readers of reports need and cannot see there: a line each, on stderr. */
#ifndef NETSTACKLAT_HINTS_H
#define NETSTACKLAT_HINTS_H

#include <stdbool.h>

#include "lib/counts/snapshot.h"

/* Call this at the start, if nothing tells network namespaces apart. */
void hint_mixed_netns(void);

/*
 * Says that local packets are not what they look like at most hooks. Returns whether it said so,
 * for which there must be packets; with stages, it does not matter.
 */
bool hint_local_packets(const struct hook_counts hooks[NR_HOOKS]);

/* Call this at the end, with all counts: it says if no network card stamps packets. */
void hint_no_hardware(const struct hook_counts hooks[NR_HOOKS]);

#endif
