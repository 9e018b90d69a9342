/* SPDX-License-Identifier: GPL-2.0 */
/* The exit status, by which scripts decide. */
#ifndef NETSTACKLAT_EXIT_STATUS_H
#define NETSTACKLAT_EXIT_STATUS_H

/* A run returns this if --diagnose found something, or --compare more than its limit. */
#define STATUS_FINDINGS 3
/* It could not be told whether the limit of --compare is broken. */
#define STATUS_UNDECIDED 4

/* The run returned 0, one of these, or a negative errno. */
int exit_status(int err);

#endif
