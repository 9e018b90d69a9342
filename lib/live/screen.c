// SPDX-License-Identifier: GPL-2.0
#include "lib/live/screen.h"

#include <curses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "lib/base/duration.h"
#include "lib/live/layout.h"
#include "lib/live/plot.h"
#include "lib/report/figures.h"
#include "lib/tables/units.h"

/* The ways to show a level. */
enum paint {
	PAINT_SHADES, /* a character for each */
	PAINT_BOTH,   /* and a colour of the few that there are */
	PAINT_HALVES, /* two pixels a character, each with a colour */
};

struct screen {
	FILE *out; /* curses takes no other than a real file */
	SCREEN *curses;
	enum paint paint;
	bool unicode;
	/* While it draws. */
	const struct picture *picture;
	struct layout layout;
	struct scale scale;
};

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

/* Terminals with more than 256 colours take red, green and blue, of which those make a cube. */
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

static enum paint prepare_colours(bool unicode, enum colour when)
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
	/* Signals are the loop's; and who stops a program that is root leaves it with the programs
	 * attached. */
	signal(SIGTSTP, SIG_IGN);
	screen->curses = newterm(NULL, screen->out, stdin);
	if (!screen->curses)
		return false;
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1)
		return false;
	screen->unicode = terminal_is_utf8();
	screen->paint = prepare_colours(screen->unicode, colour);
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

/* The content that is drawn. */

/*
 * Returns how many bytes of a text fit into so many columns: characters of other scripts take
 * several bytes, or columns.
 */
static size_t bytes_that_fit(const char *text, int columns)
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

/* Text within a line, cut off where its room ends; characters of names are printable. */
static void put(int y, int x, int room, const char *text)
{
	if (room > 0)
		mvaddnstr(y, x, text, (int)bytes_that_fit(text, room));
}

static void put_styled(int y, int x, int room, attr_t style, const char *text)
{
	attron(style);
	put(y, x, room, text);
	attroff(style);
}

static const char *time_text(uint64_t time_ns, char text[16])
{
	time_t time = time_ns / NS_PER_S;

	strftime(text, 16, "%H:%M:%S", localtime(&time));
	return text;
}

/* The way of a panel and its place on it. */
static void name_text(const struct timeline_name *name, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", name->section, *name->section ? ": " : "", name->label);
}

static struct histogram latency_at(const struct screen *screen, size_t panel, size_t age)
{
	const struct picture *picture = screen->picture;
	struct histogram latency = { .resolution = timeline_resolution(picture->timeline) };

	timeline_latency(picture->timeline, panel, picture->view->back + age, &latency);
	return latency;
}

/* The histogram of all columns that are shown. */
static struct histogram latency_of_all(const struct screen *screen, size_t panel)
{
	const struct picture *picture = screen->picture;
	struct histogram latency = { .resolution = timeline_resolution(picture->timeline) };

	for (size_t age = 0; age < picture->view->width; age++)
		timeline_latency(picture->timeline, panel, picture->view->back + age, &latency);
	return latency;
}

/* The panel's number that is drawn in a place of the layout: pages of them. */
static size_t panel_at(const struct screen *screen, size_t place)
{
	const struct view *view = screen->picture->view;
	size_t page = screen->layout.nr_panels;

	if (view->is_open)
		return view->selected;
	return page ? view_place(view) / page * page + place : place;
}

static size_t panel_of(const struct screen *screen, size_t place)
{
	const struct view *view = screen->picture->view;
	size_t i = panel_at(screen, place);

	return view->is_open ? view->selected : i < view->nr_panels ? view->panels[i] : SIZE_MAX;
}

static void find_scale(struct screen *screen)
{
	const struct view *view = screen->picture->view;

	scale_begin(&screen->scale, view->resolution);
	for (size_t i = 0; i < screen->layout.nr_panels; i++)
		for (size_t age = 0; age < view->width && panel_of(screen, i) != SIZE_MAX; age++) {
			struct histogram latency = latency_at(screen, panel_of(screen, i), age);

			latency = histogram_coarsen(&latency, view->resolution);
			scale_add(&screen->scale, &latency);
		}
	scale_end(&screen->scale);
}

static int pixels_of(const struct screen *screen, int lines)
{
	int pixels = screen->paint == PAINT_HALVES ? 2 * lines : lines;

	return pixels < MAX_PIXELS ? pixels : MAX_PIXELS;
}

static int lines_of(const struct screen *screen, int pixel)
{
	return screen->paint == PAINT_HALVES ? pixel / 2 : pixel;
}

static void draw_halves(int y, int x, int upper, int lower)
{
	attr_t pair;

	if (!upper && !lower)
		return;
	/* An empty cell must be the background, whatever the terminal takes for black. */
	pair = upper ? PAIR_OF_HALVES(upper, lower) : PAIR_OF_HALVES(lower, upper);
	put_styled(y, x, 3, COLOR_PAIR(pair), upper ? "▀" : "▄");
}

static void draw_shade(const struct screen *screen, int y, int x, int level)
{
	if (level)
		put_styled(y, x, 3, screen->paint == PAINT_BOTH ? COLOR_PAIR(level) : A_NORMAL,
			   level_shade(level, screen->unicode));
}

static void draw_mark(const struct screen *screen, int y, int x, int level, const char *mark)
{
	attr_t style = screen->paint == PAINT_HALVES ? COLOR_PAIR(PAIR_OF_MARK(level)) : A_NORMAL;

	put_styled(y, x, 3, style | A_BOLD, mark);
}

static void draw_column(const struct screen *screen, const struct rectangle *plot, int x,
			const struct plot_column *column)
{
	int bottom = plot->y + plot->height - 1;

	for (int line = 0; line < plot->height; line++)
		if (screen->paint == PAINT_HALVES)
			draw_halves(bottom - line, x, column->levels[2 * line + 1],
				    column->levels[2 * line]);
		else
			draw_shade(screen, bottom - line, x, column->levels[line]);
	if (column->p50 >= 0)
		draw_mark(screen, bottom - lines_of(screen, column->p50), x,
			  column->levels[column->p50], screen->unicode ? "─" : "-");
	if (column->p99 >= 0)
		draw_mark(screen, bottom - lines_of(screen, column->p99), x,
			  column->levels[column->p99], screen->unicode ? "═" : "=");
}

/* A dim line from top to bottom, for a column that is not like the others. */
static void draw_bar(const struct rectangle *plot, int x, const char *mark)
{
	for (int line = 0; line < plot->height; line++)
		put_styled(plot->y + line, x, 3, A_DIM, mark);
}

/* The mark at a column of a panel, or 0. */
static char mark_at(const struct screen *screen, size_t age)
{
	const struct view *view = screen->picture->view;
	const struct timeline_column *column;

	if (view->back + age >= view->nr_columns)
		return 0;
	column = timeline_column_at(screen->picture->timeline, view->back + age);
	if (column->clock_changed)
		return 'C';
	return column->is_gap ? 'G' : 0;
}

static void draw_marks(const struct screen *screen, const struct rectangle *plot, int x, size_t age)
{
	const struct view *view = screen->picture->view;

	if (mark_at(screen, age))
		draw_bar(plot, x, screen->unicode ? "┊" : ":");
	else if (view->is_open && age == view->cursor)
		draw_bar(plot, x, screen->unicode ? "│" : "|");
}

static void draw_plot(const struct screen *screen, const struct rectangle *plot, size_t panel)
{
	const struct view *view = screen->picture->view;
	struct plot_column column;

	for (int age = 0; age < plot->width && view->back + age < view->nr_columns; age++) {
		int x = plot->x + plot->width - 1 - age;
		struct histogram latency = latency_at(screen, panel, age);

		latency = histogram_coarsen(&latency, view->resolution);
		plot_fill_column(&column, &screen->scale, &latency,
				 pixels_of(screen, plot->height));
		draw_marks(screen, plot, x, age);
		draw_column(screen, plot, x, &column);
	}
}

/* Its name, and at the right what is in the newest column that is shown. */
static void draw_title(const struct screen *screen, const struct rectangle *panel, size_t number)
{
	const struct view *view = screen->picture->view;
	const struct timeline_name *name = timeline_name_of(screen->picture->timeline, number);
	struct histogram latency = latency_at(screen, number, view->is_open ? view->cursor : 0);
	char text[256], p50[FIGURE_TEXT_SIZE], p99[FIGURE_TEXT_SIZE], count[COUNT_TEXT_SIZE];
	attr_t style = number == view->selected && !view->is_open ? A_REVERSE : A_BOLD;
	int length, room = panel->width;

	length = snprintf(text, sizeof(text), " p50 %s  p99 %s  n %s",
			  figure_text(&latency, 500, p50), figure_text(&latency, 990, p99),
			  count_text(histogram_count(&latency), count));
	if (length < room / 2 + 8 && histogram_count(&latency))
		put(panel->y, panel->x + room - length, length, text);
	else
		length = 0;
	name_text(name, text, sizeof(text));
	put_styled(panel->y, panel->x, room - length, style, text);
}

/* Decades, where there is room for them: each in a line of its own, none right above another. */
static void draw_latency_axis(const struct screen *screen, const struct rectangle *plot)
{
	int pixels = pixels_of(screen, plot->height), last = -2;

	for (uint64_t ns = 1, step = plot->height < 10 ? 1000 : 10; ns <= 10 * NS_PER_S;
	     ns *= step) {
		unsigned int bucket = bucket_index(ns, screen->scale.resolution);
		int line = lines_of(screen, scale_pixel(&screen->scale, bucket, pixels));
		char text[DURATION_TEXT_SIZE];

		if (bucket < screen->scale.first || bucket >= screen->scale.end ||
		    line < last + 2 || line >= plot->height)
			continue;
		duration_text(ns, text);
		put_styled(plot->y + plot->height - 1 - line, plot->x - 1 - (int)strlen(text),
			   AXIS_WIDTH, A_DIM, text);
		last = line;
	}
}

static void draw_panels(struct screen *screen)
{
	const struct layout *layout = &screen->layout;

	for (size_t i = 0; i < layout->nr_panels; i++) {
		struct rectangle plot = layout->panels[i];
		size_t panel = panel_of(screen, i);

		if (panel == SIZE_MAX)
			continue;
		plot.y++;
		plot.height--;
		if (i % layout->nr_across == 0)
			draw_latency_axis(screen, &plot);
		draw_plot(screen, &plot, panel);
		draw_title(screen, &layout->panels[i], panel);
	}
}

#define TIME_WIDTH 8 /* "12:00:05" */
#define TIME_STEP 20 /* columns between two times */

/* Returns whether a time that ends there, with some space around it, would hide a mark. */
static bool hides_mark(const struct screen *screen, int age)
{
	for (int of = age ? age - 1 : 0; of <= age + TIME_WIDTH; of++)
		if (mark_at(screen, of))
			return true;
	return false;
}

static void draw_time_axis_of(const struct screen *screen, const struct rectangle *panel)
{
	const struct view *view = screen->picture->view;
	int y = screen->layout.time_axis;
	char text[16], mark[2] = "";

	for (int age = 0; age < panel->width && view->back + age < view->nr_columns; age++) {
		const struct timeline_column *column =
			timeline_column_at(screen->picture->timeline, view->back + age);
		int x = panel->x + panel->width - 1 - age;

		if (age % TIME_STEP == 0 && x >= panel->x + TIME_WIDTH - 1 &&
		    !hides_mark(screen, age))
			put_styled(y, x - TIME_WIDTH + 1, TIME_WIDTH, A_DIM,
				   time_text(column->time_ns, text));
		mark[0] = mark_at(screen, age);
		put_styled(y, x, 1, A_BOLD, mark);
	}
}

/* Panels that are one below the other share one. */
static void draw_time_axis(const struct screen *screen)
{
	const struct layout *layout = &screen->layout;

	for (int i = 0; i < layout->nr_across && i < (int)layout->nr_panels; i++)
		draw_time_axis_of(screen, &layout->panels[i]);
}

static void draw_legend(const struct screen *screen, int y, int x)
{
	char text[COUNT_TEXT_SIZE];

	if (!screen->scale.largest)
		return;
	put(y, x, 4, " 1 ");
	for (int level = 1; level <= NR_LEVELS; level++)
		if (screen->paint == PAINT_HALVES)
			draw_halves(y, x + 2 + level, level, level);
		else
			draw_shade(screen, y, x + 2 + level, level);
	put(y, x + 4 + NR_LEVELS, 6, count_text(screen->scale.largest, text));
}
#define LEGEND_WIDTH (4 + NR_LEVELS + 6)

/* Prints how many panels there are, if that is more than one sees. */
static void print_header(FILE *out, const struct screen *screen)
{
	const struct view *view = screen->picture->view;
	char time[16];

	fputs("netstacklat", out);
	if (view->nr_columns)
		fprintf(out, "  %s",
			time_text(
				timeline_column_at(screen->picture->timeline, view->back)->time_ns,
				time));
	fprintf(out, "  %s", view_names[view->kind]);
	if (view->kind != VIEW_HOOKS)
		split_print(out, view->split);
	if (view->nr_panels > screen->layout.nr_panels && !view->is_open)
		fprintf(out, ", %zu of %zu", screen->layout.nr_panels, view->nr_panels);
	if (timeline_nr_left_out(screen->picture->timeline))
		fputs(", and others that had no room", out);
	if (view->is_paused)
		fputs("  PAUSED", out);
	if (*view->filter || view->edits_filter)
		fprintf(out, "  /%s%s", view->filter, view->edits_filter ? "_" : "");
}

static void draw_header(const struct screen *screen)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (out) {
		print_header(out, screen);
		fclose(out);
	}
	text[sizeof(text) - 1] = '\0';
	put_styled(screen->layout.header, 0, COLS, A_BOLD, text);
	if (COLS >= 80) {
		put(screen->layout.header, COLS - LEGEND_WIDTH - 18, 18,
		    screen->unicode ? "─ p50  ═ p99   " : "- p50  = p99   ");
		draw_legend(screen, screen->layout.header, COLS - LEGEND_WIDTH);
	}
}

static void draw_footer(const struct screen *screen)
{
	const char *message = screen->picture->message;
	static const char keys[] =
		"arrows Enter  s views  g keys  k resolution  / filter  Space pause  ? help  q quit";

	if (message)
		put_styled(screen->layout.footer, 0, COLS - 1, A_BOLD, message);
	else
		put_styled(screen->layout.footer, 0, COLS - 1, A_DIM, keys);
}

/* The table has the panels of a section under its name. */
#define BAR_WIDTH 8
#define FIGURES_OF_TABLE 16
#define MIN_WIDTH_WITH_COUNT 58

/* A line of the table has a name, figures, and a bar. */
static int figures_width(const struct rectangle *table)
{
	return FIGURES_OF_TABLE + (table->width >= MIN_WIDTH_WITH_COUNT ? 8 : 0);
}

static void draw_share(const struct screen *screen, int y, int x, int room, double share)
{
	for (int i = 0; i < room && (i + 0.5) < share * room; i++)
		put(y, x + i, 3, screen->unicode ? "█" : "#");
}

/*
 * Leaves out what lies in a stage where there is no room for it, and indents the name below a
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

static void draw_table_line(const struct screen *screen, const struct rectangle *line, size_t panel,
			    uint64_t all_ns)
{
	const struct timeline_name *name = timeline_name_of(screen->picture->timeline, panel);
	struct histogram latency = latency_of_all(screen, panel);
	char text[256], p50[FIGURE_TEXT_SIZE], p99[FIGURE_TEXT_SIZE], count[COUNT_TEXT_SIZE];
	int figures = figures_width(line), width = line->width - figures - BAR_WIDTH;

	table_name(name, width, text, sizeof(text));
	put_styled(line->y, line->x, width,
		   panel == screen->picture->view->selected ? A_REVERSE : A_NORMAL, text);
	snprintf(text, sizeof(text), " %7s %7s %7s", count_text(histogram_count(&latency), count),
		 figure_text(&latency, 500, p50), figure_text(&latency, 990, p99));
	put(line->y, line->x + width, figures, &text[24 - figures]);
	draw_share(screen, line->y, line->x + width + figures + 1, BAR_WIDTH - 1,
		   all_ns ? (double)histogram_sum_ns(&latency) / all_ns : 0);
}

static uint64_t sum_of_all(const struct screen *screen)
{
	const struct view *view = screen->picture->view;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < view->nr_panels; i++) {
		struct histogram latency = latency_of_all(screen, view->panels[i]);

		sum_ns += histogram_sum_ns(&latency);
	}
	return sum_ns;
}

static void draw_table(const struct screen *screen)
{
	static const char columns[] = "   count     p50     p99 share";
	const struct view *view = screen->picture->view;
	struct rectangle line = screen->layout.table;
	int end = line.y + line.height, figures;
	uint64_t all_ns = sum_of_all(screen);
	size_t panels[MAX_PANELS];
	const char *section = "";

	if (!line.height)
		return;
	line.x++;
	line.width--;
	memcpy(panels, view->panels, view->nr_panels * sizeof(*panels));
	timeline_sort_panels(screen->picture->timeline, panels, view->nr_panels);
	put_styled(line.y, line.x, line.width, A_DIM, view_names[view->kind]);
	figures = figures_width(&line);
	put_styled(line.y++, line.x + line.width - figures - BAR_WIDTH, figures + BAR_WIDTH, A_DIM,
		   &columns[24 - figures]);
	for (size_t i = 0; i < view->nr_panels && line.y < end; i++) {
		const struct timeline_name *name =
			timeline_name_of(screen->picture->timeline, panels[i]);

		if (strcmp(section, name->section))
			put_styled(line.y++, line.x, line.width, A_BOLD, name->section);
		section = name->section;
		if (line.y < end)
			draw_table_line(screen, &line, panels[i], all_ns);
		line.y++;
	}
}

/*
 * Returns how many bytes of a sentence, which is not empty, come onto a line: up to the last space
 * that is there; all, where not even one character fits.
 */
static size_t bytes_of_line(const char *text, int columns)
{
	size_t fitting = bytes_that_fit(text, columns), bytes = fitting;

	if (!fitting)
		return strlen(text);
	if (!text[fitting])
		return fitting;
	while (bytes && text[bytes] != ' ')
		bytes--;
	return bytes ? bytes : fitting;
}

/*
 * Draws sentences from a line to another one, the rest of each as far to the right as it begins;
 * no line: counts them. Returns the line behind.
 */
static int draw_sentences(const struct picture *picture, int y, int end)
{
	for (size_t i = 0; i < picture->nr_lines; i++) {
		const char *text = picture->lines[i];
		int indent = (int)strspn(text, " ");

		for (text += indent; *text; y++) {
			int room = COLS - indent;
			size_t bytes = bytes_of_line(text, room);

			if (y < end)
				mvaddnstr(y, indent, text, (int)bytes);
			text += bytes;
			text += strspn(text, " ");
		}
	}
	return y;
}

static size_t lines_wanted(const struct picture *picture)
{
	if (!*picture->title)
		return 0;
	return 1 +
	       (picture->is_verdict ? (size_t)draw_sentences(picture, 0, 0) : picture->nr_lines);
}

static void draw_lines(const struct screen *screen)
{
	const struct rectangle *room = &screen->layout.lines;
	const struct picture *picture = screen->picture;
	int y = room->y + 1, end = room->y + room->height;

	if (!room->height)
		return;
	put_styled(room->y, 0, COLS, A_DIM, picture->title);
	if (picture->is_verdict)
		draw_sentences(picture, y, end);
	for (size_t i = 0; i < picture->nr_lines && y < end && !picture->is_verdict; i++)
		put(y++, 0, room->width, picture->lines[i]);
}

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

/* Long latencies first, at a resolution at which all of them fit, if there is one. */
static void draw_histogram(const struct screen *screen, const struct rectangle *room,
			   const struct histogram *all)
{
	struct histogram latency = histogram_coarsen(all, screen->picture->view->resolution);
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

		put(y, room->x + 7 - (int)strlen(bound), 8, bound);
		draw_share(screen, y, room->x + 8, room->width - 15, (double)of_bucket / largest);
		if (of_bucket)
			put(y, room->x + room->width - 6, 6, count_text(of_bucket, count));
	}
}

static int draw_figure(const struct rectangle *room, int y, const char *name, const char *value)
{
	char text[64];

	snprintf(text, sizeof(text), "%-8s%8s", name, value);
	put(y, room->x, room->width, text);
	return y + 1;
}

/* Draws the figures of the open panel, in the column at the cursor. */
static void draw_figures(const struct screen *screen)
{
	static const struct figure figures[] = { { "mean", FIGURE_MEAN }, { "p50", 500 },
						 { "p90", 900 },	  { "p99", 990 },
						 { "p99.9", 999 },	  { "max", 1000 } };
	struct rectangle room = screen->layout.figures;
	const struct view *view = screen->picture->view;
	const struct timeline_column *column;
	struct histogram latency;
	char text[64];
	int y = room.y, end = room.y + room.height;

	if (!room.height || !view->nr_columns)
		return;
	room.x++;
	room.width--;
	latency = latency_at(screen, view->selected, view->cursor);
	column = timeline_column_at(screen->picture->timeline, view->back + view->cursor);
	put_styled(y, room.x, 3, A_BOLD, "at ");
	put_styled(y++, room.x + 3, room.width, A_BOLD, time_text(column->time_ns, text));
	y = draw_figure(&room, y, "count", count_text(histogram_count(&latency), text));
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		y = draw_figure(&room, y, figures[i].name,
				figure_text(&latency, figures[i].permille, text));
	room.y = y + 1;
	room.height = end - room.y;
	draw_histogram(screen, &room, &latency);
}

static void draw_help(void)
{
	const struct view_key_help *help;
	int y = 2;

	erase();
	put_styled(0, 2, COLS - 2, A_BOLD, "Time runs to the right, latency goes up. Keys:");
	for (size_t i = 0; (help = view_help_of_key(i)); i++, y++) {
		put_styled(y, 2, 10, A_BOLD, help->key);
		put(y, 12, COLS - 12, help->meaning);
	}
	put(++y, 2, COLS - 2,
	    "C: the clock was changed; G: a gap, a column that covers more than one "
	    "interval.");
}

static void draw_nothing(const struct screen *screen)
{
	const struct view *view = screen->picture->view;

	put(2, 2, COLS - 2,
	    *view->filter      ? "no panel has that in its name"
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
		.nr_lines = lines_wanted(picture),
		.is_verdict = picture->is_verdict,
	};

	screen->picture = picture;
	layout_find(&screen->layout, &wish);
	picture->view->across = screen->layout.nr_across;
	picture->view->width = screen->layout.nr_panels ? screen->layout.panels[0].width : 1;
	erase();
	if (picture->view->shows_help) {
		draw_help();
	} else if (screen->layout.is_too_small) {
		put(0, 0, COLS, "too small");
	} else {
		find_scale(screen);
		draw_header(screen);
		if (!picture->view->nr_panels)
			draw_nothing(screen);
		draw_panels(screen);
		draw_time_axis(screen);
		draw_table(screen);
		draw_figures(screen);
		draw_lines(screen);
		draw_footer(screen);
	}
	refresh();
}
