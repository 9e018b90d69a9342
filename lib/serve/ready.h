/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells the service manager that started this, if it asks, that everything is up: see sd_notify(3).
 */
#ifndef NETSTACKLAT_READY_H
#define NETSTACKLAT_READY_H

void notify_ready(void);

#endif
