/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETSTACKLAT_LANDLOCK_H
#define NETSTACKLAT_LANDLOCK_H

/*
 * Limits this process for good to opening files for writing, in this folder and below; it may make,
 * rename and remove them there. Files that are open stay open. It gives up new privileges as well.
 * Returns 0 or a negative errno: -ENOSYS or -EOPNOTSUPP before Linux 5.13, where the kernel cannot
 * do this.
 */
int landlock_write_in(int folder);

#endif
