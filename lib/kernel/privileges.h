/* SPDX-License-Identifier: GPL-2.0 */
/* What this process may do, once it has done what takes most. */
#ifndef NETSTACKLAT_PRIVILEGES_H
#define NETSTACKLAT_PRIVILEGES_H

#include <stdbool.h>

/*
 * Gives up, for good, all capabilities but those that take to read and to change maps, to find the
 * names of groups by these keys (a bit each), and, if it writes_files, to write them where only
 * others may. Nothing that it executes gets more. Returns 0 or, after saying what failed, a
 * negative errno.
 */
int privileges_drop(unsigned int group_by, bool writes_files);

#endif
