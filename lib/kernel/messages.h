/* SPDX-License-Identifier: GPL-2.0 */
/* The messages of libbpf and the verifier. */
#ifndef NETSTACKLAT_MESSAGES_H
#define NETSTACKLAT_MESSAGES_H

/*
 * Call this before anything else in lib/kernel, and after log_init(): from then on, libbpf's
 * warnings are shown only with -v.
 */
void messages_init(void);

/* Prints several lines of them, and hides the kernel's addresses there. */
void messages_print(char *text);

#endif
