// SPDX-License-Identifier: GPL-2.0
/* The figures and the histogram beside an open panel, in the column at the cursor. */
#include <string.h>

#include "lib/base/duration.h"
#include "lib/live/drawing.h"
#include "lib/print/figures.h"

static const char *bound_text(const struct histogram *latency, int bucket,
			      char text[DURATION_TEXT_SIZE])
{
	if (bucket == (int)histogram_overflow(latency))
		return "more";
	return duration_text(histogram_le_ns(latency, bucket), text);
}

static uint64_t fullest_of(const struct histogram *latency)
{
	uint64_t largest = 0;

	for (unsigned int i = 0; i < histogram_nr_buckets(latency); i++)
		if (latency->buckets[i].count > largest)
			largest = latency->buckets[i].count;
	return largest;
}

/* Draws long latencies first, at a resolution at which all of them fit, if there is one. */
static void draw_histogram(const struct drawing *drawing, const struct rectangle *room,
			   const struct histogram *all)
{
	struct histogram latency = histogram_coarsen(all, drawing->picture->view->resolution);
	char text[DURATION_TEXT_SIZE], count[COUNT_TEXT_SIZE];
	int y = room->y, first, last;
	uint64_t largest;

	while (latency.resolution &&
	       histogram_last(&latency) - histogram_first(&latency) >= room->height)
		latency = histogram_coarsen(&latency, latency.resolution - 1);
	largest = fullest_of(&latency);
	first = histogram_first(&latency);
	last = histogram_last(&latency);
	for (int i = last; i >= 0 && i >= first && y < room->y + room->height; i--, y++) {
		const char *bound = bound_text(&latency, i, text);
		uint64_t of_bucket = latency.buckets[i].count;

		draw_text(y, room->x + 7 - (int)strlen(bound), 8, bound);
		draw_share(drawing, y, room->x + 8, room->width - 15, (double)of_bucket / largest);
		if (of_bucket)
			draw_text(y, room->x + room->width - 6, 6, count_text(of_bucket, count));
	}
}

static int draw_figure(const struct rectangle *room, int y, const char *name, const char *value)
{
	char text[64];

	snprintf(text, sizeof(text), "%-8s%8s", name, value);
	draw_text(y, room->x, room->width, text);
	return y + 1;
}

void draw_figures(const struct drawing *drawing)
{
	static const struct figure figures[] = { { "mean", FIGURE_MEAN }, { "p50", 500 },
						 { "p90", 900 },	  { "p99", 990 },
						 { "p99.9", 999 },	  { "max", 1000 } };
	struct rectangle room = drawing->layout.figures;
	const struct view *view = drawing->picture->view;
	const struct timeline_column *column;
	struct histogram latency;
	char text[64];
	int y = room.y, end = room.y + room.height;

	if (!room.height || !view->nr_columns)
		return;
	room.x++;
	room.width--;
	latency = drawing_latency_at(drawing, view->selected, view->cursor);
	column = timeline_column_at(drawing->picture->timeline, view->back + view->cursor);
	draw_styled(y, room.x, 3, A_BOLD, "at ");
	draw_styled(y++, room.x + 3, room.width, A_BOLD, time_of_day(column->time_ns, text));
	y = draw_figure(&room, y, "count", count_text(histogram_count(&latency), text));
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		y = draw_figure(&room, y, figures[i].name,
				figure_text(&latency, figures[i].permille, text));
	room.y = y + 1;
	room.height = end - room.y;
	draw_histogram(drawing, &room, &latency);
}
