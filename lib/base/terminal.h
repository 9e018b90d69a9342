/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal on which reports are read. */
#ifndef NETSTACKLAT_TERMINAL_H
#define NETSTACKLAT_TERMINAL_H

#include <stdbool.h>

struct terminal {
	int columns;
	bool unicode; /* shows characters beyond ASCII */
	bool colour;  /* 256 of them */
};

/* COLOUR_AUTO: colours where the terminal shows them, and nobody has refused them. */
enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/*
 * Finds out what standard output is, and what the environment says at this moment: COLUMNS,
 * NO_COLOR (https://no-color.org), TERM and the locale. Without a terminal: 80 columns, and no
 * colour by itself.
 */
struct terminal terminal_find(enum colour when);

/* Returns whether its characters are those of UTF-8, as the locale says. */
bool terminal_is_utf8(void);

/*
 * Remembers how the terminal is before something else takes it over, until it is forgotten: then,
 * and if the process crashes, it is restored, as far as it was remembered. The last one may be
 * called by a handler of signals.
 */
void terminal_remember(void);
void terminal_forget(void);
void terminal_restore(void);

#endif
