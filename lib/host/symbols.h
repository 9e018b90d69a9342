/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols at addresses of the kernel's code. */
#ifndef NETSTACKLAT_SYMBOLS_H
#define NETSTACKLAT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One that is longer is cut. */
#define SYMBOL_SIZE 128

struct symbol {
	uint64_t address; /* to be filled in */
	uint64_t start;	  /* of the symbol there; 0: none is known */
	char name[SYMBOL_SIZE];
};

/*
 * Finds the symbols at addresses, which are in ascending order, by a list of symbols such as
 * /proc/kallsyms, which is read once. A symbol is not known if the list hides addresses, which
 * depends on who opened it, or if nothing in it is at or below an address.
 */
void symbols_find(FILE *list, struct symbol *symbols, size_t nr);

/* "udp_rcv+0x1c", to be freed; NULL if no symbol is known. */
char *symbol_at(FILE *list, uint64_t address);

#endif
