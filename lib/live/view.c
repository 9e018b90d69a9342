// SPDX-License-Identifier: GPL-2.0
#include "lib/live/view.h"

#include <ctype.h>
#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ESCAPE 27

/* Finer ones leave little room for other octaves. */
#define USUAL_RESOLUTION 2

static void choose_none(struct view *view)
{
	view->is_open = view->has_chosen = false;
}

/* Groups are what is split. */
static bool can_split(const struct view *view, unsigned int split)
{
	return split || view->kind == VIEW_STAGES;
}

static void next_kind(struct view *view)
{
	do
		view->kind = (view->kind + 1) % NR_VIEWS;
	while (!view->is_possible[view->kind]);
	if (!can_split(view, view->split))
		view->split = view->splits.masks[view->splits.nr - 1];
	choose_none(view);
}

static void next_split(struct view *view)
{
	size_t i = 0;

	if (view->kind == VIEW_HOOKS)
		return;
	while (view->splits.masks[i] != view->split)
		i++;
	do
		i = (i + 1) % view->splits.nr;
	while (!can_split(view, view->splits.masks[i]));
	view->split = view->splits.masks[i];
	choose_none(view);
}

void view_init(struct view *view, const bool is_possible[NR_VIEWS], const struct splits *splits,
	       unsigned int resolution)
{
	*view = (struct view){
		.splits = *splits,
		.split = splits->masks[splits->nr - 1],
		.resolution = resolution < USUAL_RESOLUTION ? resolution : USUAL_RESOLUTION,
		.finest = resolution,
		.across = 1,
	};
	memcpy(view->is_possible, is_possible, sizeof(view->is_possible));
	if (!is_possible[view->kind])
		next_kind(view);
}

struct weighed {
	size_t panel;
	unsigned int rank;
	int harm; /* in powers of four: panels are not to change places all the time */
};

static int harm_of(const struct view *view, const struct timeline *timeline, size_t panel)
{
	struct histogram all = { .resolution = timeline_resolution(timeline) };
	size_t width = view->width ? view->width : 1;
	int p99;

	for (size_t age = 0; age < width; age++)
		timeline_latency(timeline, panel, view->back + age, &all);
	p99 = histogram_quantile(&all, 990);
	if (p99 < 0)
		return 0;
	return (int)((p99 + 1.0) / (1 << all.resolution) / 2 + log2(histogram_count(&all)) / 2 + 1);
}

static int compare(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->harm != y->harm)
		return x->harm > y->harm ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->panel < y->panel ? -1 : x->panel > y->panel;
}

static bool matches(const struct view *view, const struct timeline_name *name)
{
	return name->view == view->kind &&
	       (name->split == view->split || view->kind == VIEW_HOOKS) &&
	       (!*view->filter || strcasestr(name->label, view->filter) ||
		strcasestr(name->section, view->filter));
}

void view_list_panels(struct view *view, const struct timeline *timeline)
{
	struct weighed found[MAX_PANELS];
	size_t nr = 0;

	for (size_t i = 0; i < timeline_nr_panels(timeline) && nr < MAX_PANELS; i++) {
		const struct timeline_name *name = timeline_name_of(timeline, i);

		if (matches(view, name))
			found[nr++] = (struct weighed){ i, name->rank, harm_of(view, timeline, i) };
	}
	if (nr)
		qsort(found, nr, sizeof(*found), compare);
	for (size_t i = 0; i < nr; i++)
		view->panels[i] = found[i].panel;
	view->nr_panels = nr;
	if (nr && (!view->has_chosen || view_place(view) == nr))
		view->selected = view->panels[0];
	view->is_open &= nr > 0;
}

void view_shift(struct view *view, const struct timeline *timeline)
{
	view->nr_columns = timeline_nr_columns(timeline);
	if (view->is_paused && view->back + 1 < view->nr_columns)
		view->back++;
}

size_t view_place(const struct view *view)
{
	size_t place = 0;

	while (place < view->nr_panels && view->panels[place] != view->selected)
		place++;
	return place;
}

/* The actions of keys. */

static void select_by(struct view *view, int step)
{
	long place = (long)view_place(view) + step;

	if (!view->nr_panels)
		return;
	if (place < 0)
		place = 0;
	if (place >= (long)view->nr_panels)
		place = view->nr_panels - 1;
	view->selected = view->panels[place];
	view->has_chosen = true;
}

/* Into the past, or back to the present. */
static void scroll_by(struct view *view, long columns)
{
	long back = (long)view->back + columns;

	if (back > (long)view->nr_columns - 1)
		back = (long)view->nr_columns - 1;
	view->back = back > 0 ? back : 0;
	view->is_paused = view->is_paused || view->back;
}

/* The cursor takes the panel along at its edges. */
static void move_cursor(struct view *view, int columns)
{
	long cursor = (long)view->cursor + columns;

	if (cursor < 0 || cursor >= (long)view->width)
		scroll_by(view, columns);
	else if (view->back + cursor < view->nr_columns)
		view->cursor = cursor;
}

static void go_up(struct view *view)
{
	select_by(view, -(int)view->across);
}

static void go_down(struct view *view)
{
	select_by(view, (int)view->across);
}

static void go_left(struct view *view)
{
	if (view->is_open)
		move_cursor(view, 1);
	else
		select_by(view, -1);
}

static void go_right(struct view *view)
{
	if (view->is_open)
		move_cursor(view, -1);
	else
		select_by(view, 1);
}

static void open_panel(struct view *view)
{
	view->is_open = !view->is_open && view->nr_panels;
	view->has_chosen |= view->is_open;
	view->cursor = 0;
}

static void leave(struct view *view)
{
	if (view->shows_help)
		view->shows_help = false;
	else if (view->is_open)
		view->is_open = false;
	else
		*view->filter = '\0', view->has_chosen = false;
}

static void coarser(struct view *view)
{
	view->resolution = view->resolution ? view->resolution - 1 : view->finest;
}

static void finer(struct view *view)
{
	view->resolution = view->resolution < view->finest ? view->resolution + 1 : 0;
}

static void edit_filter(struct view *view)
{
	view->edits_filter = true;
	*view->filter = '\0';
}

static void pause_or_go_on(struct view *view)
{
	view->is_paused = !view->is_paused;
	if (!view->is_paused)
		view->back = 0;
}

static void page_back(struct view *view)
{
	scroll_by(view, (long)(view->width / 2));
}

static void page_forth(struct view *view)
{
	scroll_by(view, -(long)(view->width / 2));
}

static void scroll_to_begin(struct view *view)
{
	scroll_by(view, (long)view->nr_columns);
}

static void scroll_to_end(struct view *view)
{
	scroll_by(view, -(long)view->nr_columns);
}

static void write_page(struct view *view)
{
	view->wants_page = true;
}

static void help(struct view *view)
{
	view->shows_help = !view->shows_help;
}

/*
 * The one table of keys: their names, what they do, and what they mean. The help derives from it.
 */
#define MAX_KEYS 3
static const struct {
	int keys[MAX_KEYS];
	void (*function)(struct view *view); /* NULL: ends the program */
	struct view_key_help help;
} keys[] = {
	{ { KEY_UP }, go_up, { "Up", "the panel above" } },
	{ { KEY_DOWN }, go_down, { "Down", "the panel below" } },
	{ { KEY_LEFT }, go_left, { "Left", "the panel before; if it is open, earlier figures" } },
	{ { KEY_RIGHT }, go_right, { "Right", "the next panel; if it is open, later figures" } },
	{ { '\n', '\r', KEY_ENTER }, open_panel, { "Enter", "open the panel, or close it" } },
	{ { KEY_ESCAPE }, leave, { "Esc", "close what is open, or show all panels again" } },
	{ { 's' }, next_kind, { "s", "stages, hooks or groups, of what is measured" } },
	{ { 'g' }, next_split, { "g", "stages and groups by the next key, or by all of -g" } },
	{ { 'k' }, coarser, { "k", "coarser latencies, and after the coarsest the finest" } },
	{ { 'K' }, finer, { "K", "finer latencies" } },
	{ { '/' }, edit_filter, { "/", "only panels with this in their names" } },
	{ { ' ' }, pause_or_go_on, { "Space", "pause, or go on" } },
	{ { KEY_PPAGE, '[' }, page_back, { "PgUp [", "scroll back, as far as is kept" } },
	{ { KEY_NPAGE, ']' }, page_forth, { "PgDn ]", "scroll forth" } },
	{ { KEY_HOME }, scroll_to_begin, { "Home", "the oldest that is kept" } },
	{ { KEY_END }, scroll_to_end, { "End", "the newest" } },
	{ { 'w' }, write_page, { "w", "write a page for a browser to --output-file" } },
	{ { '?' }, help, { "?", "this help, until the next key" } },
	{ { 'q' }, NULL, { "q", "end, and print the total" } },
};
#define NR_KEYS_OF_VIEW (sizeof(keys) / sizeof(*keys))

const struct view_key_help *view_help_of_key(size_t i)
{
	return i < NR_KEYS_OF_VIEW ? &keys[i].help : NULL;
}

/* Letters are those of the filter until Enter or Escape. */
static void edit(struct view *view, int key)
{
	size_t length = strlen(view->filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER || key == KEY_ESCAPE) {
		view->edits_filter = false;
		if (key == KEY_ESCAPE)
			*view->filter = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && length) {
		view->filter[length - 1] = '\0';
	} else if (key < 128 && isprint(key) && length + 1 < FILTER_SIZE) {
		view->filter[length] = (char)key;
		view->filter[length + 1] = '\0';
	}
}

bool view_key(struct view *view, int key)
{
	if (view->edits_filter) {
		edit(view, key);
		return true;
	}
	if (view->shows_help && key != 'q') {
		view->shows_help = false;
		return true;
	}
	for (size_t i = 0; i < NR_KEYS_OF_VIEW; i++)
		for (size_t j = 0; j < MAX_KEYS && keys[i].keys[j]; j++)
			if (keys[i].keys[j] == key && !keys[i].function)
				return false;
			else if (keys[i].keys[j] == key)
				keys[i].function(view);
	return true;
}
