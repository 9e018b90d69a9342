// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The buckets from the first to the last one with samples, which are far fewer than all. */
struct cell {
	struct bucket *buckets; /* NULL: none */
	unsigned int first, nr;
};

struct panel {
	struct timeline_name name; /* its texts are ours */
	struct cell *cells;	   /* as many as columns */
	uint64_t seen;		   /* the last column with samples */
};

struct timeline {
	enum timeline_keeps keeps;
	unsigned int resolution;
	size_t max_columns, max_panels, nr_panels;
	uint64_t nr;			    /* columns so far, also those that are gone */
	unsigned int per_column, in_newest; /* intervals */
	uint64_t nr_left_out;
	struct timeline_column *columns;
	struct panel *panels;
};

struct timeline *timeline_new(enum timeline_keeps keeps, unsigned int resolution,
			      size_t max_columns, size_t max_panels)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return NULL;
	timeline->keeps = keeps;
	timeline->resolution = resolution;
	timeline->per_column = 1;
	timeline->max_columns = max_columns;
	timeline->max_panels = max_panels;
	timeline->columns = calloc(max_columns, sizeof(*timeline->columns));
	timeline->panels = calloc(max_panels, sizeof(*timeline->panels));
	if (timeline->columns && timeline->panels)
		return timeline;
	timeline_free(timeline);
	return NULL;
}

static void free_panel(const struct timeline *timeline, struct panel *panel)
{
	for (size_t i = 0; panel->cells && i < timeline->max_columns; i++)
		free(panel->cells[i].buckets);
	free(panel->cells);
	free((char *)panel->name.section);
	free((char *)panel->name.label);
	*panel = (struct panel){ 0 };
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->nr_panels; i++)
		free_panel(timeline, &timeline->panels[i]);
	free(timeline->panels);
	free(timeline->columns);
	free(timeline);
}

static size_t slot_of(const struct timeline *timeline, size_t age)
{
	return (timeline->nr - 1 - age) % timeline->max_columns;
}

static void clear_cell(struct cell *cell)
{
	free(cell->buckets);
	*cell = (struct cell){ 0 };
}

/* A panel's counts may come in parts. */
static int add_to_cell(struct cell *cell, const struct histogram *added)
{
	struct histogram all = *added;
	int first;

	if (cell->buckets)
		buckets_add(&all.buckets[cell->first], cell->buckets, cell->nr);
	first = histogram_first(&all);
	clear_cell(cell);
	cell->first = first;
	cell->nr = histogram_last(&all) - first + 1;
	cell->buckets = malloc(cell->nr * sizeof(*cell->buckets));
	if (!cell->buckets)
		return -ENOMEM;
	memcpy(cell->buckets, &all.buckets[first], cell->nr * sizeof(*cell->buckets));
	return 0;
}

/* The samples of the later one move to the other. */
static int join_cells(const struct timeline *timeline, struct cell *cell, struct cell *later)
{
	struct histogram moved = { .resolution = timeline->resolution };

	if (!later->buckets)
		return 0;
	memcpy(&moved.buckets[later->first], later->buckets, later->nr * sizeof(*later->buckets));
	clear_cell(later);
	return add_to_cell(cell, &moved);
}

static void join_columns(struct timeline_column *column, const struct timeline_column *later)
{
	column->time_ns = later->time_ns;
	column->duration_ns += later->duration_ns;
	column->clock_changed |= later->clock_changed;
	column->is_gap |= later->is_gap;
}

static int fold_cells(const struct timeline *timeline, struct cell *cells)
{
	int err = 0;

	for (size_t i = 0; i < timeline->max_columns && !err; i += 2) {
		struct cell joined = cells[i];

		cells[i] = (struct cell){ 0 };
		cells[i / 2] = joined;
		err = join_cells(timeline, &cells[i / 2], &cells[i + 1]);
	}
	return err;
}

/* Joins columns two by two. */
static int fold(struct timeline *timeline)
{
	int err = 0;

	for (size_t i = 0; i < timeline->max_columns; i += 2) {
		timeline->columns[i / 2] = timeline->columns[i];
		join_columns(&timeline->columns[i / 2], &timeline->columns[i + 1]);
	}
	for (size_t i = 0; i < timeline->nr_panels && !err; i++)
		err = fold_cells(timeline, timeline->panels[i].cells);
	timeline->nr /= 2;
	timeline->per_column *= 2;
	return err;
}

void timeline_extend_column(struct timeline *timeline, const struct timeline_column *column)
{
	join_columns(&timeline->columns[slot_of(timeline, 0)], column);
}

int timeline_begin_column(struct timeline *timeline, const struct timeline_column *column)
{
	int err = 0;

	if (timeline->nr && timeline->in_newest < timeline->per_column) {
		timeline_extend_column(timeline, column);
		timeline->in_newest++;
		return 0;
	}
	if (timeline->keeps == KEEPS_ALL && timeline->nr == timeline->max_columns)
		err = fold(timeline);
	timeline->nr++;
	timeline->in_newest = 1;
	timeline->columns[slot_of(timeline, 0)] = *column;
	for (size_t i = 0; i < timeline->nr_panels; i++)
		clear_cell(&timeline->panels[i].cells[slot_of(timeline, 0)]);
	return err;
}

static bool is_called(const struct panel *panel, const struct timeline_name *name)
{
	return panel->name.view == name->view && panel->name.split == name->split &&
	       panel->name.rank == name->rank && !strcmp(panel->name.section, name->section) &&
	       !strcmp(panel->name.label, name->label);
}

static struct panel *find_panel(struct timeline *timeline, const struct timeline_name *name)
{
	for (size_t i = 0; i < timeline->nr_panels; i++)
		if (is_called(&timeline->panels[i], name))
			return &timeline->panels[i];
	return NULL;
}

/* A place that is free, or was empty for longest. NULL: there is none. */
static struct panel *find_place(struct timeline *timeline)
{
	struct panel *oldest = timeline->panels;

	if (timeline->nr_panels < timeline->max_panels)
		return &timeline->panels[timeline->nr_panels];
	if (timeline->keeps == KEEPS_ALL)
		return NULL;
	for (size_t i = 1; i < timeline->nr_panels; i++)
		if (timeline->panels[i].seen < oldest->seen)
			oldest = &timeline->panels[i];
	return oldest->seen < timeline->nr ? oldest : NULL;
}

static struct panel *new_panel(struct timeline *timeline, struct panel *place,
			       const struct timeline_name *name)
{
	struct panel panel = { .name = *name };

	panel.name.section = strdup(name->section);
	panel.name.label = strdup(name->label);
	panel.cells = calloc(timeline->max_columns, sizeof(*panel.cells));
	if (!panel.name.section || !panel.name.label || !panel.cells) {
		free_panel(timeline, &panel);
		return NULL;
	}
	if (place == &timeline->panels[timeline->nr_panels])
		timeline->nr_panels++;
	else
		free_panel(timeline, place);
	*place = panel;
	return place;
}

int timeline_add(struct timeline *timeline, const struct timeline_name *name,
		 const struct bucket *buckets)
{
	struct histogram latency = { .resolution = timeline->resolution };
	struct panel *panel, *place;

	memcpy(latency.buckets, buckets, histogram_nr_buckets(&latency) * sizeof(*buckets));
	if (!histogram_count(&latency))
		return 0;
	panel = find_panel(timeline, name);
	place = panel ? panel : find_place(timeline);
	if (!place) {
		timeline->nr_left_out += histogram_count(&latency);
		return 0;
	}
	if (!panel)
		panel = new_panel(timeline, place, name);
	if (!panel)
		return -ENOMEM;
	panel->seen = timeline->nr;
	return add_to_cell(&panel->cells[slot_of(timeline, 0)], &latency);
}

size_t timeline_nr_columns(const struct timeline *timeline)
{
	return timeline->nr < timeline->max_columns ? timeline->nr : timeline->max_columns;
}

size_t timeline_nr_panels(const struct timeline *timeline)
{
	return timeline->nr_panels;
}

unsigned int timeline_resolution(const struct timeline *timeline)
{
	return timeline->resolution;
}

uint64_t timeline_nr_left_out(const struct timeline *timeline)
{
	return timeline->nr_left_out;
}

const struct timeline_column *timeline_column_at(const struct timeline *timeline, size_t age)
{
	return &timeline->columns[slot_of(timeline, age)];
}

const struct timeline_name *timeline_name_of(const struct timeline *timeline, size_t panel)
{
	return &timeline->panels[panel].name;
}

static int compare_panels(const void *a, const void *b, void *timeline)
{
	const struct timeline_name *name = timeline_name_of(timeline, *(const size_t *)a);
	const struct timeline_name *other = timeline_name_of(timeline, *(const size_t *)b);
	int order = (name->rank > other->rank) - (name->rank < other->rank);

	if (!order)
		order = strcmp(name->section, other->section);
	return order ? order : strcmp(name->label, other->label);
}

void timeline_sort_panels(const struct timeline *timeline, size_t *panels, size_t nr)
{
	qsort_r(panels, nr, sizeof(*panels), compare_panels, (void *)timeline);
}

bool timeline_latency(const struct timeline *timeline, size_t panel, size_t age,
		      struct histogram *latency)
{
	const struct cell *cell;

	if (age >= timeline_nr_columns(timeline))
		return false;
	cell = &timeline->panels[panel].cells[slot_of(timeline, age)];
	if (cell->buckets)
		buckets_add(&latency->buckets[cell->first], cell->buckets, cell->nr);
	return cell->buckets;
}
