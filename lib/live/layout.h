/* SPDX-License-Identifier: GPL-2.0 */
/* The layout of a screen of some size: pure functions. */
#ifndef NETSTACKLAT_LIVE_LAYOUT_H
#define NETSTACKLAT_LIVE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct rectangle {
	int x, y, width, height; /* in characters; nothing is there without a height */
};

#define MAX_PANELS_SHOWN 64
/* Left of all panels: "100us ". */
#define AXIS_WIDTH 6

struct layout {
	bool is_too_small;  /* for anything */
	int header, footer; /* lines */
	/* A line of a title, and the plot below it; side by side, they are as wide. */
	struct rectangle panels[MAX_PANELS_SHOWN];
	size_t nr_panels;
	int nr_across;		  /* panels side by side */
	int time_axis;		  /* line below the panels */
	struct rectangle table;	  /* of all panels, right of them */
	struct rectangle figures; /* of the open panel, likewise */
	struct rectangle lines;	  /* below all that */
};

/* The things to be shown. */
struct layout_wish {
	int width, height; /* of the screen */
	size_t nr_panels;
	bool is_open;	 /* one of them only, large */
	size_t nr_lines; /* as many, if there is room for them */
	bool is_verdict; /* which may take half of the screen */
};

void layout_find(struct layout *layout, const struct layout_wish *wish);

#endif
