/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the screen, each in a file of its own, are drawn with these. */
#ifndef NETSTACKLAT_LIVE_DRAWING_H
#define NETSTACKLAT_LIVE_DRAWING_H

#include "lib/live/layout.h"
#include "lib/live/plot.h"
#include "lib/live/screen.h"

/*
 * It comes behind our headers, as its macros have names of ours, such as the walk-through's
 * KEY_MARK.
 */
#include <curses.h>

/* The ways to show a level. */
enum paint {
	PAINT_SHADES, /* a character for each */
	PAINT_BOTH,   /* and a colour of the few that there are */
	PAINT_HALVES, /* two pixels a character, each with a colour */
};

struct drawing {
	enum paint paint;
	bool unicode;
	const struct picture *picture;
	struct layout layout;
	struct scale scale; /* of all panels */
};

/* Sets up ncurses' colours, and returns how levels are shown by them. */
enum paint drawing_prepare_colours(bool unicode, enum colour when);

/*
 * Returns how many bytes of a text fit into so many columns: characters of other scripts take
 * several bytes, or columns.
 */
size_t drawing_bytes_that_fit(const char *text, int columns);

/* Draws text within a line, cut off where its room ends. The characters of names are printable. */
void draw_text(int y, int x, int room, const char *text);
void draw_styled(int y, int x, int room, attr_t style, const char *text);

/* Cells of a heatmap: two levels in a cell, one as a shade, and a line on a level. */
void draw_halves(int y, int x, int upper, int lower);
void draw_shade(const struct drawing *drawing, int y, int x, int level);
void draw_mark(const struct drawing *drawing, int y, int x, int level, const char *mark);

/* A bar of a share, 0 to 1, of its room. */
void draw_share(const struct drawing *drawing, int y, int x, int room, double share);

/* Returns text. */
const char *time_of_day(uint64_t time_ns, char text[16]);

/* A panel's histogram of a column, and that of all columns that are shown. */
struct histogram drawing_latency_at(const struct drawing *drawing, size_t panel, size_t age);
struct histogram drawing_latency_of_all(const struct drawing *drawing, size_t panel);

/* panels.c; the scale is found before what depends on it is drawn. */
void drawing_find_scale(struct drawing *drawing);
void draw_panels(const struct drawing *drawing);
void draw_time_axis(const struct drawing *drawing);

/* table.c */
void draw_table(const struct drawing *drawing);

/* open_panel.c */
void draw_figures(const struct drawing *drawing);

/* lines.c */
size_t drawing_lines_wanted(const struct picture *picture);
void draw_lines(const struct drawing *drawing);

#endif
