/* SPDX-License-Identifier: GPL-2.0 */
/* What this process may do, once it has done what takes most. */
#ifndef NETSTACKLAT_PRIVILEGES_H
#define NETSTACKLAT_PRIVILEGES_H

#include <stdint.h>

/* Who root becomes: the user and group that are nobody's on all distributions, and the kernel's. */
#define NOBODY 65534

/*
 * Both give up what they do for good: nothing that is executed gets more. Both return 0 or, after
 * saying what failed, a negative errno.
 */

/*
 * Gives up all but to read and change BPF maps that are open: root, with its groups, and all
 * capabilities but CAP_BPF. In a container that may not change users, root stays root, without
 * capabilities.
 */
int privileges_drop(void);

/* Gives up all capabilities but some, a bit each, and stays who it is. */
int privileges_keep(uint64_t capabilities);

#endif
