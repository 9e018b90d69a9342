// SPDX-License-Identifier: GPL-2.0
/* Heatmaps, one for each panel, with their axes. */
#include <string.h>

#include "lib/base/duration.h"
#include "lib/live/drawing.h"
#include "lib/print/figures.h"
#include "lib/tables/units.h"

/* The way of a panel and its place on it. */
static void name_text(const struct timeline_name *name, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", name->section, *name->section ? ": " : "", name->label);
}

/* The panel's number that is drawn in a place of the layout: pages of them. */
static size_t panel_at(const struct drawing *drawing, size_t place)
{
	const struct view *view = drawing->picture->view;
	size_t page = drawing->layout.nr_panels;

	if (view->is_open)
		return view->selected;
	return page ? view_place(view) / page * page + place : place;
}

static size_t panel_of(const struct drawing *drawing, size_t place)
{
	const struct view *view = drawing->picture->view;
	size_t i = panel_at(drawing, place);

	return view->is_open ? view->selected : i < view->nr_panels ? view->panels[i] : SIZE_MAX;
}

void drawing_find_scale(struct drawing *drawing)
{
	const struct view *view = drawing->picture->view;

	scale_begin(&drawing->scale, view->resolution);
	for (size_t i = 0; i < drawing->layout.nr_panels; i++)
		for (size_t age = 0; age < view->width && panel_of(drawing, i) != SIZE_MAX; age++) {
			struct histogram latency =
				drawing_latency_at(drawing, panel_of(drawing, i), age);

			latency = histogram_coarsen(&latency, view->resolution);
			scale_add(&drawing->scale, &latency);
		}
	scale_end(&drawing->scale);
}

static int pixels_of(const struct drawing *drawing, int lines)
{
	int pixels = drawing->paint == PAINT_HALVES ? 2 * lines : lines;

	return pixels < MAX_PIXELS ? pixels : MAX_PIXELS;
}

static int lines_of(const struct drawing *drawing, int pixel)
{
	return drawing->paint == PAINT_HALVES ? pixel / 2 : pixel;
}

static void draw_column(const struct drawing *drawing, const struct rectangle *plot, int x,
			const struct plot_column *column)
{
	int bottom = plot->y + plot->height - 1;

	for (int line = 0; line < plot->height; line++)
		if (drawing->paint == PAINT_HALVES)
			draw_halves(bottom - line, x, column->levels[2 * line + 1],
				    column->levels[2 * line]);
		else
			draw_shade(drawing, bottom - line, x, column->levels[line]);
	if (column->p50 >= 0)
		draw_mark(drawing, bottom - lines_of(drawing, column->p50), x,
			  column->levels[column->p50], drawing->unicode ? "─" : "-");
	if (column->p99 >= 0)
		draw_mark(drawing, bottom - lines_of(drawing, column->p99), x,
			  column->levels[column->p99], drawing->unicode ? "═" : "=");
}

/* A dim line from top to bottom, for a column that is not like the others. */
static void draw_bar(const struct rectangle *plot, int x, const char *mark)
{
	for (int line = 0; line < plot->height; line++)
		draw_styled(plot->y + line, x, 3, A_DIM, mark);
}

/* The mark at a column of a panel, or 0. */
static char mark_at(const struct drawing *drawing, size_t age)
{
	const struct view *view = drawing->picture->view;
	const struct timeline_column *column;

	if (view->back + age >= view->nr_columns)
		return 0;
	column = timeline_column_at(drawing->picture->timeline, view->back + age);
	if (column->clock_changed)
		return 'C';
	return column->is_gap ? 'G' : 0;
}

static void draw_marks(const struct drawing *drawing, const struct rectangle *plot, int x,
		       size_t age)
{
	const struct view *view = drawing->picture->view;

	if (mark_at(drawing, age))
		draw_bar(plot, x, drawing->unicode ? "┊" : ":");
	else if (view->is_open && age == view->cursor)
		draw_bar(plot, x, drawing->unicode ? "│" : "|");
}

static void draw_plot(const struct drawing *drawing, const struct rectangle *plot, size_t panel)
{
	const struct view *view = drawing->picture->view;
	struct plot_column column;

	for (int age = 0; age < plot->width && view->back + age < view->nr_columns; age++) {
		int x = plot->x + plot->width - 1 - age;
		struct histogram latency = drawing_latency_at(drawing, panel, age);

		latency = histogram_coarsen(&latency, view->resolution);
		plot_fill_column(&column, &drawing->scale, &latency,
				 pixels_of(drawing, plot->height));
		draw_marks(drawing, plot, x, age);
		draw_column(drawing, plot, x, &column);
	}
}

/* Its name, and at the right what is in the newest column that is shown. */
static void draw_title(const struct drawing *drawing, const struct rectangle *panel, size_t number)
{
	const struct view *view = drawing->picture->view;
	const struct timeline_name *name = timeline_name_of(drawing->picture->timeline, number);
	struct histogram latency =
		drawing_latency_at(drawing, number, view->is_open ? view->cursor : 0);
	char text[256], p50[FIGURE_TEXT_SIZE], p99[FIGURE_TEXT_SIZE], count[COUNT_TEXT_SIZE];
	attr_t style = number == view->selected && !view->is_open ? A_REVERSE : A_BOLD;
	int length, room = panel->width;

	length = snprintf(text, sizeof(text), " p50 %s  p99 %s  n %s",
			  figure_text(&latency, 500, p50), figure_text(&latency, 990, p99),
			  count_text(histogram_count(&latency), count));
	if (length < room / 2 + 8 && histogram_count(&latency))
		draw_text(panel->y, panel->x + room - length, length, text);
	else
		length = 0;
	name_text(name, text, sizeof(text));
	draw_styled(panel->y, panel->x, room - length, style, text);
}

/* Draws decades, where there is room, each on a line of its own and none right above another. */
static void draw_latency_axis(const struct drawing *drawing, const struct rectangle *plot)
{
	int pixels = pixels_of(drawing, plot->height), last = -2;

	for (uint64_t ns = 1, step = plot->height < 10 ? 1000 : 10; ns <= 10 * NS_PER_S;
	     ns *= step) {
		unsigned int bucket = bucket_index(ns, drawing->scale.resolution);
		int line = lines_of(drawing, scale_pixel(&drawing->scale, bucket, pixels));
		char text[DURATION_TEXT_SIZE];

		if (bucket < drawing->scale.first || bucket >= drawing->scale.end ||
		    line < last + 2 || line >= plot->height)
			continue;
		duration_text(ns, text);
		draw_styled(plot->y + plot->height - 1 - line, plot->x - 1 - (int)strlen(text),
			    AXIS_WIDTH, A_DIM, text);
		last = line;
	}
}

void draw_panels(const struct drawing *drawing)
{
	const struct layout *layout = &drawing->layout;

	for (size_t i = 0; i < layout->nr_panels; i++) {
		struct rectangle plot = layout->panels[i];
		size_t panel = panel_of(drawing, i);

		if (panel == SIZE_MAX)
			continue;
		plot.y++;
		plot.height--;
		if (i % layout->nr_across == 0)
			draw_latency_axis(drawing, &plot);
		draw_plot(drawing, &plot, panel);
		draw_title(drawing, &layout->panels[i], panel);
	}
}

#define TIME_WIDTH 8 /* "12:00:05" */
#define TIME_STEP 20 /* columns between two times */

/* Returns whether a time's label that ends there, with some space around it, would hide a mark. */
static bool hides_mark(const struct drawing *drawing, int age)
{
	for (int of = age ? age - 1 : 0; of <= age + TIME_WIDTH; of++)
		if (mark_at(drawing, of))
			return true;
	return false;
}

static void draw_time_axis_of(const struct drawing *drawing, const struct rectangle *panel)
{
	const struct view *view = drawing->picture->view;
	int y = drawing->layout.time_axis;
	char text[16], mark[2] = "";

	for (int age = 0; age < panel->width && view->back + age < view->nr_columns; age++) {
		const struct timeline_column *column =
			timeline_column_at(drawing->picture->timeline, view->back + age);
		int x = panel->x + panel->width - 1 - age;

		if (age % TIME_STEP == 0 && x >= panel->x + TIME_WIDTH - 1 &&
		    !hides_mark(drawing, age))
			draw_styled(y, x - TIME_WIDTH + 1, TIME_WIDTH, A_DIM,
				    time_of_day(column->time_ns, text));
		mark[0] = mark_at(drawing, age);
		draw_styled(y, x, 1, A_BOLD, mark);
	}
}

void draw_time_axis(const struct drawing *drawing)
{
	const struct layout *layout = &drawing->layout;

	for (int i = 0; i < layout->nr_across && i < (int)layout->nr_panels; i++)
		draw_time_axis_of(drawing, &layout->panels[i]);
}
