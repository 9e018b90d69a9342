/* SPDX-License-Identifier: GPL-2.0 */
/* --compare: whether two sides of runs differ. */
#ifndef NETSTACKLAT_CLI_COMPARE_H
#define NETSTACKLAT_CLI_COMPARE_H

#include "lib/cli/options.h"

/*
 * Prints the comparison. Returns 0, STATUS_FINDINGS if the limit of --fail-if is broken,
 * STATUS_UNDECIDED if that cannot be told, or a negative errno after saying what failed.
 */
int compare_files(const struct options *options);

#endif
