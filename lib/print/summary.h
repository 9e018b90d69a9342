/* SPDX-License-Identifier: GPL-2.0 */
/* Text with a line for each hook and each group, instead of their histograms. */
#ifndef NETSTACKLAT_SUMMARY_H
#define NETSTACKLAT_SUMMARY_H

#include "lib/report/report.h"

/* Prints these lines below a header and returns true; returns false if nothing was counted. */
bool summary_print(FILE *out, const struct report *report);

#endif
