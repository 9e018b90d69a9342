// SPDX-License-Identifier: GPL-2.0
/*
 * --live: a size of the terminal, the panels' names, a line each until an empty one, and then keys,
 * with a new column after some. Any file is taken for a terminal here, so that it goes nowhere.
 */
#include "tests/fuzz/fuzz.h"

#include <curses.h>
#include <locale.h>

#include "lib/base/printable.h"
#include "lib/live/screen.h"

/* Some more than are drawn at once. */
#define MAX_LINES 200
#define MAX_DRAWN 64

static struct screen *screen;
static struct timeline *timeline;
static struct view view;
static char *names[MAX_LINES];
static size_t nr_lines; /* of them, that are shown below as well */

int __wrap_isatty(int fd);
int __wrap_isatty(int fd)
{
	(void)fd;
	return 1;
}

static void draw(const char *message)
{
	const struct picture picture = {
		.view = &view,
		.timeline = timeline,
		.message = message,
		.title = "below",
		.lines = (const char *const *)names,
		.nr_lines = nr_lines,
		.is_verdict = nr_lines & 1,
	};

	view_list_panels(&view, timeline);
	screen_draw(screen, &picture);
	require(view_place(&view) <= view.nr_panels);
}

static void add_column(struct input *input)
{
	const struct timeline_column column = {
		.duration_ns = 1,
		.is_gap = input_byte(input) & 1,
		.clock_changed = input_byte(input) & 1,
	};

	require(!timeline_begin_column(timeline, &column));
	for (size_t i = 0; i < MAX_LINES && names[i]; i++) {
		const struct timeline_name name = { (unsigned char)*names[i] % NR_VIEWS, i % 3, i,
						    i & 1 ? "TCP" : "", names[i] };
		struct bucket buckets[MAX_BUCKETS] = { 0 };

		buckets[input_byte(input) % NR_BUCKETS(0)].count = input_byte(input);
		require(!timeline_add(timeline, &name, buckets));
	}
	view_shift(&view, timeline);
}

/* Whatever people paste, and arrows. */
static int key_of(uint8_t byte)
{
	return byte < 0x80 ? byte : KEY_MIN + byte - 0x80;
}

static void read_panels(struct input *input)
{
	for (size_t i = 0; i < MAX_LINES; i++) {
		char *line = input_line(input);

		names[i] = *line ? printable_dup(line) : NULL;
		free(line);
		if (!names[i])
			break;
		nr_lines = i + 1;
	}
}

static void watch(struct input *input)
{
	add_column(input);
	draw(names[0]);
	for (unsigned int nr = 0; input->size && nr < MAX_DRAWN; nr++) {
		uint8_t byte = input_byte(input);

		if (!byte)
			add_column(input);
		else if (!view_key(&view, key_of(byte)))
			break;
		draw(NULL);
	}
}

static void open_screen(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	setenv("TERM", "xterm-256color", 1);
	screen = screen_open(COLOUR_ALWAYS);
	require(screen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool is_possible[NR_VIEWS] = { true, true, true };
	const struct splits splits = { { 0, 1, 2 }, 3 };
	struct input input = { data, size };

	if (!screen)
		open_screen();
	resizeterm(1 + input_byte(&input) % 80, 1 + 2 * input_byte(&input));
	timeline = timeline_new(KEEPS_LATEST, 0, 10, MAX_LATEST_PANELS);
	require(timeline);
	view_init(&view, is_possible, &splits, 0);
	nr_lines = 0;
	read_panels(&input);
	watch(&input);
	for (size_t i = 0; i < MAX_LINES; i++) {
		free(names[i]);
		names[i] = NULL;
	}
	timeline_free(timeline);
	return 0;
}
