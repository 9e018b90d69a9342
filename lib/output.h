/* SPDX-License-Identifier: GPL-2.0 */
/* Standard output, where all data goes. */
#ifndef NETSTACKLAT_OUTPUT_H
#define NETSTACKLAT_OUTPUT_H

/*
 * Hands on what was printed. Returns 0 or, after saying what failed, a negative errno; -EPIPE is
 * left unsaid: it means that the reader has seen enough.
 */
int output_flush(void);

#endif
