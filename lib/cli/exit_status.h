/* SPDX-License-Identifier: GPL-2.0 */
/* The exit status, by which scripts decide. */
#ifndef NETSTACKLAT_EXIT_STATUS_H
#define NETSTACKLAT_EXIT_STATUS_H

/* A run returns this if --diagnose found something. */
#define STATUS_FINDINGS 3

/* The run returned 0, STATUS_FINDINGS or a negative errno. */
int exit_status(int err);

#endif
