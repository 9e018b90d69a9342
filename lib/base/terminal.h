/* SPDX-License-Identifier: GPL-2.0 */
/* What reports are read on. */
#ifndef NETSTACKLAT_TERMINAL_H
#define NETSTACKLAT_TERMINAL_H

#include <stdbool.h>

struct terminal {
	int columns;
	bool unicode; /* shows characters beyond ASCII */
	bool colour;  /* 256 of them */
};

/*
 * What standard output is and the environment says, at this moment: COLUMNS, NO_COLOR
 * (https://no-color.org), TERM and the locale. Without a terminal: 80 columns, no colour.
 */
struct terminal terminal_find(void);

/* Whether its characters are those of UTF-8, as the locale says. */
bool terminal_is_utf8(void);

#endif
