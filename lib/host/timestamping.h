/* SPDX-License-Identifier: GPL-2.0 */
/* Time stamps on received packets, which the kernel makes only while somebody asks for them. */
#ifndef NETSTACKLAT_TIMESTAMPING_H
#define NETSTACKLAT_TIMESTAMPING_H

/*
 * Makes the kernel stamp every packet that this host receives, in all network namespaces, for as
 * long as the returned socket is open. Needs no privilege. The kernel turns stamping on from a work
 * queue, so the next few packets may still go without. Returns the socket, which the caller closes,
 * or a negative errno.
 */
int timestamping_enable(void);

#endif
