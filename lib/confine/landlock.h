/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETSTACKLAT_LANDLOCK_H
#define NETSTACKLAT_LANDLOCK_H

/*
 * Makes this process open files, from here on and for good, only to write them, and only in this
 * folder and below, whoever it is: it may make, rename and remove them there. What is open stays
 * so. Gives up new privileges as well. Returns 0 or a negative errno: -ENOSYS or -EOPNOTSUPP if the
 * kernel cannot, which came with Linux 5.13.
 */
int landlock_write_in(int folder);

#endif
