/* SPDX-License-Identifier: GPL-2.0 */
/* A packet that waits in a tun or tap for a process counts when the process reads it, or never. */
#ifndef NETSTACKLAT_TUN_H
#define NETSTACKLAT_TUN_H

#include "lib/host/card.h"
#include "lib/report/report.h"

/*
 * Takes away the tuns from which a process read what was sent there in a watch. A few unread
 * packets are no sign: they may still be there, or come from before the watch, or have been sent
 * past IP.
 */
void tuns_leave_unread(struct interfaces *interfaces, const struct report *report);

#endif
