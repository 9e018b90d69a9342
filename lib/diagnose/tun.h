/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that wait in a tun or tap for a process are counted when that reads them, or never. */
#ifndef NETSTACKLAT_TUN_H
#define NETSTACKLAT_TUN_H

#include "lib/host/card.h"
#include "lib/report/report.h"

/*
 * Takes those away from which a process read what was sent there in a watch. What is still there is
 * not to be told from what was sent before, or past IP: a few are no sign of that.
 */
void tuns_leave_unread(struct interfaces *interfaces, const struct report *report);

#endif
