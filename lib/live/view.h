/* SPDX-License-Identifier: GPL-2.0 */
/* The view that a user chose, and the keys that change it. No terminal is needed here. */
#ifndef NETSTACKLAT_LIVE_VIEW_H
#define NETSTACKLAT_LIVE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/print/recording.h"

#define MAX_PANELS MAX_LATEST_PANELS
#define FILTER_SIZE 40

struct view {
	bool is_possible[NR_VIEWS];
	struct splits splits;
	enum view_kind kind;
	unsigned int split;		 /* of stages and groups, as in timeline_name */
	unsigned int resolution, finest; /* of panels, and that is counted in */
	char filter[FILTER_SIZE];	 /* names of panels have it; empty: any */
	bool edits_filter, shows_help, is_paused, is_open;
	size_t panels[MAX_PANELS]; /* that match, in the order in which they are shown */
	size_t nr_panels;
	size_t selected; /* one of them: the first, until another one is chosen */
	bool has_chosen;
	bool wants_page; /* of all that is kept; for the caller to reset */
	size_t back;	 /* columns from the newest one to the right edge */
	size_t cursor;	 /* columns from the right edge to the one that figures are of */
	/* These are as last drawn. */
	size_t nr_columns; /* that are kept */
	size_t width;	   /* columns of a panel */
	size_t across;	   /* panels side by side */
};

/* Begins with splits to choose from: none at all comes first, and all keys together come last. */
void view_init(struct view *view, const bool is_possible[NR_VIEWS], const struct splits *splits,
	       unsigned int resolution);

/*
 * Lists the view's panels, the most harmful first: p99 times count, in the columns that are shown.
 */
void view_list_panels(struct view *view, const struct timeline *timeline);

/* Call this for each new column: what is paused stays where it is. */
void view_shift(struct view *view, const struct timeline *timeline);

/* The panel that is selected among those listed; nr_panels if there are none. */
size_t view_place(const struct view *view);

/* Handles a key as ncurses names it. Returns false if it ends the program. */
bool view_key(struct view *view, int key);

/* Returns a key and what it does, for the help, from 0 on; NULL behind the last one. */
struct view_key_help {
	const char *key, *meaning;
};
const struct view_key_help *view_help_of_key(size_t i);

#endif
