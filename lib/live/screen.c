// SPDX-License-Identifier: GPL-2.0
#include "lib/live/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/live/drawing.h"
#include "lib/print/figures.h"

struct screen {
	FILE *out; /* curses takes no other than a real file */
	SCREEN *curses;
	struct drawing drawing;
};

static bool can_draw(void)
{
	const char *name = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name && *name &&
	       strcmp(name, "dumb");
}

/* Returns false where the terminal is not known, or can do nothing of this. */
static bool open_curses(struct screen *screen, enum colour colour)
{
	int fd = dup(STDOUT_FILENO);

	screen->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!screen->out)
		return false;
	/*
	 * The loop handles signals. A program of root that is stopped (Ctrl-Z) would leave its
	 * programs attached.
	 */
	signal(SIGTSTP, SIG_IGN);
	screen->curses = newterm(NULL, screen->out, stdin);
	if (!screen->curses)
		return false;
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1)
		return false;
	screen->drawing.unicode = terminal_is_utf8();
	screen->drawing.paint = drawing_prepare_colours(screen->drawing.unicode, colour);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, true);
	nodelay(stdscr, true);
	set_escdelay(25);
	return true;
}

struct screen *screen_open(enum colour colour)
{
	struct screen *screen;

	if (!can_draw())
		return NULL;
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return NULL;
	terminal_remember();
	if (open_curses(screen, colour))
		return screen;
	screen_close(screen);
	return NULL;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	if (screen->curses) {
		endwin();
		delscreen(screen->curses);
	}
	if (screen->out)
		fclose(screen->out);
	terminal_forget();
	free(screen);
}

void screen_resize(struct screen *screen)
{
	struct winsize size;

	(void)screen;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, true);
}

int screen_key(struct screen *screen)
{
	int key = getch();

	(void)screen;
	/* Its size is taken from the signal. */
	return key == KEY_RESIZE ? getch() : key;
}

static void draw_legend(const struct drawing *drawing, int y, int x)
{
	char text[COUNT_TEXT_SIZE];

	if (!drawing->scale.largest)
		return;
	draw_text(y, x, 4, " 1 ");
	for (int level = 1; level <= NR_LEVELS; level++)
		if (drawing->paint == PAINT_HALVES)
			draw_halves(y, x + 2 + level, level, level);
		else
			draw_shade(drawing, y, x + 2 + level, level);
	draw_text(y, x + 4 + NR_LEVELS, 6, count_text(drawing->scale.largest, text));
}
#define LEGEND_WIDTH (4 + NR_LEVELS + 6)
#define MARKS_WIDTH 18

/* Prints how many panels there are, if that is more than one sees. */
static void print_header(FILE *out, const struct drawing *drawing)
{
	const struct view *view = drawing->picture->view;
	char time[16];

	fputs("netstacklat", out);
	if (view->nr_columns)
		fprintf(out, "  %s",
			time_of_day(
				timeline_column_at(drawing->picture->timeline, view->back)->time_ns,
				time));
	fprintf(out, "  %s", view_names[view->kind]);
	if (view->kind != VIEW_HOOKS)
		split_print(out, view->split);
	if (view->nr_panels > drawing->layout.nr_panels && !view->is_open)
		fprintf(out, ", %zu of %zu", drawing->layout.nr_panels, view->nr_panels);
	if (timeline_nr_left_out(drawing->picture->timeline))
		fputs(", and others that had no room", out);
	if (view->is_paused)
		fputs("  PAUSED", out);
	if (*view->filter || view->edits_filter)
		fprintf(out, "  /%s%s", view->filter, view->edits_filter ? "_" : "");
}

static void draw_header(const struct drawing *drawing)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (out) {
		print_header(out, drawing);
		fclose(out);
	}
	text[sizeof(text) - 1] = '\0';
	draw_styled(drawing->layout.header, 0, COLS, A_BOLD, text);
	if ((int)strlen(text) + MARKS_WIDTH + LEGEND_WIDTH <= COLS) {
		draw_text(drawing->layout.header, COLS - LEGEND_WIDTH - MARKS_WIDTH, MARKS_WIDTH,
			  drawing->unicode ? "─ p50  ═ p99   " : "- p50  = p99   ");
		draw_legend(drawing, drawing->layout.header, COLS - LEGEND_WIDTH);
	}
}

static void draw_footer(const struct drawing *drawing)
{
	const char *message = drawing->picture->message;
	static const char keys[] =
		"arrows Enter  s views  g keys  k coarser  / filter  Space pause  ? help  q quit";

	if (message)
		draw_styled(drawing->layout.footer, 0, COLS - 1, A_BOLD, message);
	else
		draw_styled(drawing->layout.footer, 0, COLS - 1, A_DIM, keys);
}

static void draw_help(void)
{
	const struct view_key_help *help;
	int y = 2;

	erase();
	draw_styled(0, 2, COLS - 2, A_BOLD, "Time runs to the right, latency goes up. Keys:");
	for (size_t i = 0; (help = view_help_of_key(i)); i++, y++) {
		draw_styled(y, 2, 10, A_BOLD, help->key);
		draw_text(y, 12, COLS - 12, help->meaning);
	}
	draw_text(++y, 2, COLS - 2,
		  "C: the clock was changed; G: a gap, a column that covers more than one "
		  "interval.");
}

static void draw_nothing(const struct drawing *drawing)
{
	const struct view *view = drawing->picture->view;

	draw_text(2, 2, COLS - 2,
		  *view->filter	     ? "no panel has that in its name"
		  : view->nr_columns ? "no packets yet"
				     : "the first interval is not over");
}

void screen_draw(struct screen *screen, const struct picture *picture)
{
	const struct layout_wish wish = {
		.width = COLS,
		.height = LINES,
		.nr_panels = picture->view->nr_panels,
		.is_open = picture->view->is_open,
		.nr_lines = drawing_lines_wanted(picture),
		.is_verdict = picture->is_verdict,
	};
	struct drawing *drawing = &screen->drawing;

	drawing->picture = picture;
	layout_find(&drawing->layout, &wish);
	picture->view->across = drawing->layout.nr_across;
	picture->view->width = drawing->layout.nr_panels ? drawing->layout.panels[0].width : 1;
	erase();
	if (picture->view->shows_help) {
		draw_help();
	} else if (drawing->layout.is_too_small) {
		draw_text(0, 0, COLS, "too small");
	} else {
		drawing_find_scale(drawing);
		draw_header(drawing);
		if (!picture->view->nr_panels)
			draw_nothing(drawing);
		draw_panels(drawing);
		draw_time_axis(drawing);
		draw_table(drawing);
		draw_figures(drawing);
		draw_lines(drawing);
		draw_footer(drawing);
	}
	refresh();
}
