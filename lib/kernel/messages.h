/* SPDX-License-Identifier: GPL-2.0 */
/* The messages of libbpf and the verifier. */
#ifndef NETSTACKLAT_MESSAGES_H
#define NETSTACKLAT_MESSAGES_H

/* Before anything else of this room, after log_init(): has its warnings shown only with -v. */
void messages_init(void);

/* Prints several lines of them, and hides the kernel's addresses there. */
void messages_print(char *text);

#endif
