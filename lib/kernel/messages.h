/* SPDX-License-Identifier: GPL-2.0 */
/* The messages of libbpf and the verifier. */
#ifndef NETSTACKLAT_MESSAGES_H
#define NETSTACKLAT_MESSAGES_H

/*
 * Call this before anything else of this room, after log_init(): libbpf's warnings are then shown
 * only with -v.
 */
void messages_init(void);

/* Prints several lines of them, and hides the kernel's addresses there. */
void messages_print(char *text);

#endif
