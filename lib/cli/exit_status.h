/* SPDX-License-Identifier: GPL-2.0 */
/* What the process ends with, of which others make decisions. */
#ifndef NETSTACKLAT_EXIT_STATUS_H
#define NETSTACKLAT_EXIT_STATUS_H

/* What a run returns that found something, and exits with. */
#define STATUS_FINDINGS 3

/* The run returned 0, STATUS_FINDINGS or a negative errno. */
int exit_status(int err);

#endif
