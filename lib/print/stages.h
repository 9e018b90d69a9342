/* SPDX-License-Identifier: GPL-2.0 */
/* Stages as the text printer shows them. */
#ifndef NETSTACKLAT_PRINT_STAGES_H
#define NETSTACKLAT_PRINT_STAGES_H

#include "lib/report/report.h"

/*
 * Prints tables of all stages that were seen, and how many packets could not be paired. Returns
 * whether there is anything to print.
 */
bool print_stages(FILE *out, const struct report *report);

/*
 * Prints "UDP over IPv4, from udp-start to udp-queue-rcv:" on a line, above the histogram of a
 * stage.
 */
void print_stage_title(FILE *out, const struct report *report, const struct report_group *stage);

#endif
