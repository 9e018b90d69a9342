// SPDX-License-Identifier: GPL-2.0
#include "lib/live/drawing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "lib/tables/units.h"

/* Colours of pixels: no colour at all is the terminal's background. */
#define NR_COLOURS (NR_LEVELS + 1)
#define PAIR_OF_HALVES(upper, lower) (1 + (upper)*NR_COLOURS + (lower))
#define PAIR_OF_MARK(level) (PAIR_OF_HALVES(NR_LEVELS, NR_LEVELS) + 1 + (level))

/* Two levels share one of 8 colours, so that shades tell them apart. */
static short few_colours(int level)
{
	static const short colours[NR_LEVELS / 2] = { COLOR_BLUE, COLOR_MAGENTA, COLOR_RED,
						      COLOR_YELLOW };

	return colours[(level - 1) / 2];
}

/*
 * Terminals with more than 256 colours take red, green and blue, six levels of which make the cube.
 */
static int rgb_of(int colour)
{
	int rgb = 0;

	for (int side = 36; side; side /= 6) {
		int part = (colour - 16) / side % 6;

		rgb = rgb << 8 | (part ? 55 + 40 * part : 0);
	}
	return rgb;
}

static int terminal_colour(int colour)
{
	return COLORS > 256 ? rgb_of(colour) : colour;
}

/* The colour's number, or -1 for the terminal's own. */
static int colour_of(int level)
{
	return level ? terminal_colour(level_colours[level - 1]) : -1;
}

static void prepare_halves(void)
{
	for (int upper = 0; upper <= NR_LEVELS; upper++)
		for (int lower = 0; lower <= NR_LEVELS; lower++)
			init_extended_pair(PAIR_OF_HALVES(upper, lower), colour_of(upper),
					   colour_of(lower));
	/* A line has to be seen on what it lies on. */
	for (int level = 0; level <= NR_LEVELS; level++)
		init_extended_pair(PAIR_OF_MARK(level),
				   !level ? -1 : terminal_colour(level > NR_LEVELS / 2 ? 16 : 231),
				   colour_of(level));
}

static bool wants_colour(enum colour when)
{
	const char *unwanted = getenv("NO_COLOR");

	return when == COLOUR_ALWAYS || (when == COLOUR_AUTO && !(unwanted && *unwanted));
}

enum paint drawing_prepare_colours(bool unicode, enum colour when)
{
	if (!wants_colour(when) || !has_colors())
		return PAINT_SHADES;
	start_color();
	use_default_colors();
	if (unicode && COLORS >= 256 && COLOR_PAIRS >= 256) {
		prepare_halves();
		return PAINT_HALVES;
	}
	for (short level = 1; level <= NR_LEVELS; level++)
		init_pair(level, few_colours(level), -1);
	return PAINT_BOTH;
}

size_t drawing_bytes_that_fit(const char *text, int columns)
{
	mbstate_t state = { 0 };
	size_t bytes = 0, length;
	wchar_t character;

	while ((length = mbrtowc(&character, text + bytes, MB_CUR_MAX, &state)) &&
	       length <= MB_CUR_MAX) {
		columns -= wcwidth(character) > 0 ? wcwidth(character) : 0;
		if (columns < 0)
			break;
		bytes += length;
	}
	return bytes;
}

void draw_text(int y, int x, int room, const char *text)
{
	if (room > 0)
		mvaddnstr(y, x, text, (int)drawing_bytes_that_fit(text, room));
}

void draw_styled(int y, int x, int room, attr_t style, const char *text)
{
	attron(style);
	draw_text(y, x, room, text);
	attroff(style);
}

const char *time_of_day(uint64_t time_ns, char text[16])
{
	time_t time = time_ns / NS_PER_S;

	strftime(text, 16, "%H:%M:%S", localtime(&time));
	return text;
}

void draw_halves(int y, int x, int upper, int lower)
{
	attr_t pair;

	if (!upper && !lower)
		return;
	/* An empty cell must be the background, whatever the terminal takes for black. */
	pair = upper ? PAIR_OF_HALVES(upper, lower) : PAIR_OF_HALVES(lower, upper);
	draw_styled(y, x, 3, COLOR_PAIR(pair), upper ? "▀" : "▄");
}

void draw_shade(const struct drawing *drawing, int y, int x, int level)
{
	if (level)
		draw_styled(y, x, 3, drawing->paint == PAINT_BOTH ? COLOR_PAIR(level) : A_NORMAL,
			    level_shade(level, drawing->unicode));
}

void draw_mark(const struct drawing *drawing, int y, int x, int level, const char *mark)
{
	attr_t style = drawing->paint == PAINT_HALVES ? COLOR_PAIR(PAIR_OF_MARK(level)) : A_NORMAL;

	draw_styled(y, x, 3, style | A_BOLD, mark);
}

void draw_share(const struct drawing *drawing, int y, int x, int room, double share)
{
	for (int i = 0; i < room && (i + 0.5) < share * room; i++)
		draw_text(y, x + i, 3, drawing->unicode ? "█" : "#");
}

struct histogram drawing_latency_at(const struct drawing *drawing, size_t panel, size_t age)
{
	const struct picture *picture = drawing->picture;
	struct histogram latency = { .resolution = timeline_resolution(picture->timeline) };

	timeline_latency(picture->timeline, panel, picture->view->back + age, &latency);
	return latency;
}

struct histogram drawing_latency_of_all(const struct drawing *drawing, size_t panel)
{
	const struct picture *picture = drawing->picture;
	struct histogram latency = { .resolution = timeline_resolution(picture->timeline) };

	for (size_t age = 0; age < picture->view->width; age++)
		timeline_latency(picture->timeline, panel, picture->view->back + age, &latency);
	return latency;
}
