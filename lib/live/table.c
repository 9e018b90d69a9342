// SPDX-License-Identifier: GPL-2.0
/* The table of all panels, those of a section under its name. */
#include <string.h>

#include "lib/live/drawing.h"
#include "lib/print/figures.h"

#define BAR_WIDTH 8
#define FIGURES_OF_TABLE 16
#define MIN_WIDTH_WITH_COUNT 58

/* A line of the table has a name, figures, and a bar. */
static int figures_width(const struct rectangle *table)
{
	return FIGURES_OF_TABLE + (table->width >= MIN_WIDTH_WITH_COUNT ? 8 : 0);
}

/*
 * Leaves out the part that lies in a stage if there is no room for it, and indents names below a
 * section.
 */
static void table_name(const struct timeline_name *name, int room, char *text, size_t size)
{
	char *within;

	snprintf(text, size, "%s%s", *name->section ? " " : "", name->label);
	within = strstr(text, " (");
	if (within && (int)strlen(text) > room)
		*within = '\0';
}

static void draw_table_line(const struct drawing *drawing, const struct rectangle *line,
			    size_t panel, uint64_t all_ns)
{
	const struct timeline_name *name = timeline_name_of(drawing->picture->timeline, panel);
	struct histogram latency = drawing_latency_of_all(drawing, panel);
	char text[256], p50[FIGURE_TEXT_SIZE], p99[FIGURE_TEXT_SIZE], count[COUNT_TEXT_SIZE];
	int figures = figures_width(line), width = line->width - figures - BAR_WIDTH;

	table_name(name, width, text, sizeof(text));
	draw_styled(line->y, line->x, width,
		    panel == drawing->picture->view->selected ? A_REVERSE : A_NORMAL, text);
	snprintf(text, sizeof(text), " %7s %7s %7s", count_text(histogram_count(&latency), count),
		 figure_text(&latency, 500, p50), figure_text(&latency, 990, p99));
	draw_text(line->y, line->x + width, figures, &text[24 - figures]);
	draw_share(drawing, line->y, line->x + width + figures + 1, BAR_WIDTH - 1,
		   all_ns ? (double)histogram_sum_ns(&latency) / all_ns : 0);
}

static uint64_t sum_of_all(const struct drawing *drawing)
{
	const struct view *view = drawing->picture->view;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < view->nr_panels; i++) {
		struct histogram latency = drawing_latency_of_all(drawing, view->panels[i]);

		sum_ns += histogram_sum_ns(&latency);
	}
	return sum_ns;
}

void draw_table(const struct drawing *drawing)
{
	static const char columns[] = "   count     p50     p99 share";
	const struct view *view = drawing->picture->view;
	struct rectangle line = drawing->layout.table;
	int end = line.y + line.height, figures;
	uint64_t all_ns = sum_of_all(drawing);
	size_t panels[MAX_PANELS];
	const char *section = "";

	if (!line.height)
		return;
	line.x++;
	line.width--;
	memcpy(panels, view->panels, view->nr_panels * sizeof(*panels));
	timeline_sort_panels(drawing->picture->timeline, panels, view->nr_panels);
	draw_styled(line.y, line.x, line.width, A_DIM, view_names[view->kind]);
	figures = figures_width(&line);
	draw_styled(line.y++, line.x + line.width - figures - BAR_WIDTH, figures + BAR_WIDTH, A_DIM,
		    &columns[24 - figures]);
	for (size_t i = 0; i < view->nr_panels && line.y < end; i++) {
		const struct timeline_name *name =
			timeline_name_of(drawing->picture->timeline, panels[i]);

		if (strcmp(section, name->section))
			draw_styled(line.y++, line.x, line.width, A_BOLD, name->section);
		section = name->section;
		if (line.y < end)
			draw_table_line(drawing, &line, panels[i], all_ns);
		line.y++;
	}
}
