/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal, by ncurses: draws the view, and restores the terminal afterwards. */
#ifndef NETSTACKLAT_LIVE_SCREEN_H
#define NETSTACKLAT_LIVE_SCREEN_H

#include "lib/base/terminal.h"
#include "lib/live/view.h"

struct screen;

/* All that is drawn. */
struct picture {
	struct view *view; /* what depends on sizes is filled in */
	const struct timeline *timeline;
	const char *message; /* the last one, or NULL */
	const char *title;   /* of the lines below the panels; empty: there are none */
	const char *const *lines;
	size_t nr_lines;
	bool is_verdict; /* sentences, which are broken where they are too long */
};

/* NULL where there is no terminal that can be drawn on. */
struct screen *screen_open(enum colour colour);

/* Restores the terminal. Accepts NULL. */
void screen_close(struct screen *screen);

/* Takes the terminal's size. */
void screen_resize(struct screen *screen);

void screen_draw(struct screen *screen, const struct picture *picture);

/* A key as ncurses names it; -1 if none is waiting. */
int screen_key(struct screen *screen);

#endif
