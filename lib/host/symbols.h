/* SPDX-License-Identifier: GPL-2.0 */
/* The symbol at an address of the kernel's code. */
#ifndef NETSTACKLAT_SYMBOLS_H
#define NETSTACKLAT_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

/*
 * "udp_rcv+0x1c", to be freed, by a list of symbols such as /proc/kallsyms. NULL if it hides
 * addresses, which depends on who opened it, or if nothing in it is at or below this one.
 */
char *symbol_at(FILE *list, uint64_t address);

#endif
