// SPDX-License-Identifier: GPL-2.0
#include "lib/live/layout.h"

#define MIN_WIDTH 40
#define MIN_HEIGHT 9
#define MIN_PANEL_WIDTH 50
#define MIN_PANEL_HEIGHT 7
/* A panel is easy to read that is so many times wider than high, in characters. */
#define GOOD_SHAPE 7
/* The table takes a third of what is wide enough for it. */
#define MIN_WIDTH_WITH_TABLE 96
#define MIN_TABLE_WIDTH 46
#define MAX_TABLE_WIDTH 76
#define FIGURES_WIDTH 30
#define MIN_LINES_HEIGHT 4
#define MAX_LINES_HEIGHT 12

static int at_most(int value, int limit)
{
	return value < limit ? value : limit;
}

static int at_least(int value, int limit)
{
	return value > limit ? value : limit;
}

/* Cuts so much off the right side of a rectangle. */
static struct rectangle cut_right(struct rectangle *from, int width)
{
	from->width -= width;
	return (struct rectangle){ from->x + from->width, from->y, width, from->height };
}

static struct rectangle cut_bottom(struct rectangle *from, int height)
{
	from->height -= height;
	return (struct rectangle){ from->x, from->y + from->height, from->width, height };
}

/* Returns how far a panel is from a good shape, if so many are side by side. */
static int misshape(const struct rectangle *room, int across, int down)
{
	int width = room->width / across, height = room->height / down;

	return width > height * GOOD_SHAPE ? width - height * GOOD_SHAPE
					   : height * GOOD_SHAPE - width;
}

/* More panels are better than ones of good shape. */
static int choose_across(const struct rectangle *room, int nr)
{
	int most_down = at_least(room->height / MIN_PANEL_HEIGHT, 1), best = 1;

	for (int across = 2; across <= room->width / MIN_PANEL_WIDTH && across <= nr; across++) {
		int shown = at_most(across * most_down, nr);
		int best_shown = at_most(best * most_down, nr);
		int down = (shown + across - 1) / across;
		int best_down = (best_shown + best - 1) / best;

		if (shown > best_shown ||
		    misshape(room, across, down) < misshape(room, best, best_down))
			best = across;
	}
	return best;
}

/*
 * Places panels in rows, from left to right. If the height does not divide evenly, the first rows
 * are a line higher.
 */
static void place_panels(struct layout *layout, const struct rectangle *room, int nr)
{
	int across, down, width, y = room->y;

	nr = at_most(nr, MAX_PANELS_SHOWN);
	if (!nr)
		return;
	across = layout->nr_across = choose_across(room, nr);
	nr = at_most(nr, across * at_least(room->height / MIN_PANEL_HEIGHT, 1));
	down = (nr + across - 1) / across;
	width = room->width / across;
	for (int row = 0; row < down; row++) {
		int height = room->height / down + (row < room->height % down);

		for (int column = 0; column < across && (int)layout->nr_panels < nr; column++)
			layout->panels[layout->nr_panels++] =
				(struct rectangle){ /* A gap between those side by side. */
						    room->x + column * width, y, width - 1, height
				};
		y += height;
	}
}

/* No more than a part of the screen. */
static int lines_height(const struct layout_wish *wish)
{
	int most = at_most(at_least(wish->height / 5, MIN_LINES_HEIGHT), MAX_LINES_HEIGHT);

	if (wish->is_verdict)
		most = at_least(wish->height / 2, MIN_LINES_HEIGHT);
	return wish->nr_lines < (size_t)most ? (int)wish->nr_lines : most;
}

void layout_find(struct layout *layout, const struct layout_wish *wish)
{
	struct rectangle room = { 0, 1, wish->width, wish->height - 2 };

	*layout = (struct layout){
		.is_too_small = wish->width < MIN_WIDTH || wish->height < MIN_HEIGHT,
		.footer = wish->height - 1,
		.nr_across = 1,
	};
	if (layout->is_too_small)
		return;
	layout->lines = cut_bottom(&room, lines_height(wish));
	if (wish->is_open && wish->width >= MIN_PANEL_WIDTH + FIGURES_WIDTH)
		layout->figures = cut_right(&room, FIGURES_WIDTH);
	else if (!wish->is_open && wish->width >= MIN_WIDTH_WITH_TABLE)
		layout->table = cut_right(&room, at_most(at_least(wish->width / 3, MIN_TABLE_WIDTH),
							 MAX_TABLE_WIDTH));
	layout->time_axis = cut_bottom(&room, 1).y;
	room.x += AXIS_WIDTH;
	room.width -= AXIS_WIDTH;
	place_panels(layout, &room, wish->is_open ? 1 : at_most((int)wish->nr_panels, 1 << 20));
}
