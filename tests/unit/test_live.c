// SPDX-License-Identifier: GPL-2.0
/*
 * The pictures of --live, as ncurses has them, on a terminal of the test's own. A change that is
 * meant: GOLDEN_UPDATE=1 .output/tests/unit/test_live, and look at the difference.
 */
#include "unit.h"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include "golden.h"
#include "lib/base/log.h"
#include "lib/live/live.h"
#include "report_printing.h"

#include <curses.h>

#define GOLDEN "tests/unit/golden/live-"
#define US 1000ULL

/* The terminal's other end, which types, and the process that reads all that is drawn. */
static int keyboard, usual_in, usual_out;
static pid_t reader;

static struct report_setup setup;
static struct recording *recording;
static struct live *live;
static const unsigned int keys = 1U << KEY_PORT | 1U << KEY_IP_VERSION;

/* Until nobody has the terminal open, this process included. */
static void read_all(int fd, int terminal)
{
	char bytes[4096];

	close(terminal);
	close(STDOUT_FILENO);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	_exit(0);
}

static void open_terminal(const char *type, const char *locale, int width, int height)
{
	const struct winsize size = { .ws_row = height, .ws_col = width };
	int terminal;

	setenv("TERM", type, 1);
	setenv("TZ", "UTC", 1);
	unsetenv("NO_COLOR");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	setlocale(LC_CTYPE, locale);
	fflush(stdout);
	usual_in = dup(STDIN_FILENO);
	usual_out = dup(STDOUT_FILENO);
	assert_int_equal(openpty(&keyboard, &terminal, NULL, NULL, &size), 0);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader)
		read_all(keyboard, terminal);
	dup2(terminal, STDIN_FILENO);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
}

static int make(void **state)
{
	const struct splits splits = splits_of(keys, true);

	(void)state;
	setup = make_setup();
	setup.plan.stages = setup.plan.slow = true;
	setup.plan.group_by = keys;
	recording = recording_new(KEEPS_LATEST, &splits, 3, NS_PER_S);
	return !recording;
}

static int drop(void **state)
{
	(void)state;
	live_free(live);
	live = NULL;
	recording_free(recording);
	if (!reader)
		return 0;
	dup2(usual_in, STDIN_FILENO);
	dup2(usual_out, STDOUT_FILENO);
	close(usual_in);
	close(usual_out);
	close(keyboard);
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	reader = 0;
	return 0;
}

static void open_live(enum colour colour)
{
	live = live_new(&setup, recording, false);
	assert_non_null(live);
	assert_true(live_open(live, colour));
	assert_true(live_is_open(live));
}

/* Types keys, all of which arrive at once. Returns whether the program goes on. */
static bool type(const char *text)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	assert_int_equal(write(keyboard, text, strlen(text)), strlen(text));
	assert_int_equal(poll(&input, 1, 10000), 1);
	return live_keys(live);
}

static const struct group groups[] = {
	{ HOOK_udp_socket_read, .key = { .port = 53, .ip_version = 4 } },
	{ HOOK_udp_socket_read, .key = { .port = 5353, .ip_version = 6 } },
	{ HOOK_tcp_socket_read, .key = { .port = 443, .ip_version = 4 } },
};
static const struct group stages[] = {
	{ HOOK_tcp_start, STAGE_FROM(HOOK_ip_rcv, 0), .key = { .ip_version = 4 } },
	{ HOOK_tcp_socket_read, STAGE_FROM(HOOK_tcp_start, 0), .key = { .port = 443 } },
	{ HOOK_udp_socket_read, STAGE_FROM(HOOK_udp_start, 1), .key = { .port = 5353 } },
};

static struct hook_counts counts[NR_HOOKS];
static struct bucket group_latency[3][NR_BUCKETS(3)], stage_latency[3][NR_BUCKETS(3)];

static void count(struct bucket *buckets, uint64_t ns, uint64_t nr)
{
	struct bucket *bucket = &buckets[bucket_index(ns, 3)];

	bucket->count += nr;
	bucket->sum_ns += nr * ns;
}

/* Packets that come in a second wait longer and longer for their readers. */
static void count_second(uint64_t second)
{
	memset(counts, 0, sizeof(counts));
	memset(group_latency, 0, sizeof(group_latency));
	memset(stage_latency, 0, sizeof(stage_latency));
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		counts[hook].latency.resolution = 3;
	for (uint64_t i = 1; i <= 5; i++) {
		count(counts[HOOK_tcp_start].latency.buckets, i * US, 100);
		count(counts[HOOK_udp_start].latency.buckets, i * i * US, 7);
		count(counts[HOOK_udp_socket_read].latency.buckets, i * second * 40 * US,
		      1 << 2 * i);
		count(group_latency[0], i * second * 40 * US, 1 << i);
		count(group_latency[1], i * second * 10 * US, 1);
		count(group_latency[2], i * 100 * US, 3);
		count(stage_latency[0], i * 300, 100);
		count(stage_latency[1], i * second * 3 * US, 100);
		count(stage_latency[2], i * 2 * US, 1);
	}
}

static void record_second(uint64_t second, const struct report *like)
{
	struct report_group of_groups[3], of_stages[3];
	struct report report = *like;

	for (size_t i = 0; i < 3; i++) {
		of_groups[i] = (struct report_group){ &groups[i], group_latency[i], 1, 0 };
		of_stages[i] = (struct report_group){ &stages[i], stage_latency[i], 1, 0 };
	}
	count_second(second);
	report.time_ns += second * NS_PER_S;
	report.groups = of_groups;
	report.stages = of_stages;
	report.nr_groups = report.nr_stages = 3;
	report.names = label_names_new();
	assert_non_null(report.names);
	assert_int_equal(recording_add(recording, &report), 0);
	label_names_free(report.names);
}

/* A minute, with a gap, and the clock changed once. */
static void record_minute(void)
{
	for (uint64_t second = 1; second <= 60; second++) {
		struct report report = make_report(&setup, counts);

		if (second == 30)
			report.duration_ns = 3 * NS_PER_S;
		if (second == 52)
			report.clock_change = (struct clock_change){ 1769947203, 0, NS_PER_S };
		record_second(second, &report);
	}
}

/* A line of the screen, without the blanks at its end. */
static const char *line_at(int y)
{
	static char line[1024];
	size_t length;

	assert_true(mvinnstr(y, 0, line, sizeof(line) - 1) >= 0);
	length = strlen(line);
	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
	return line;
}

static void print_screen(FILE *out)
{
	for (int y = 0; y < LINES; y++)
		fprintf(out, "%s\n", line_at(y));
}

/* A letter for each style that cells have, and what these stand for. */
struct style {
	attr_t attributes;
	int foreground, background;
};

static struct style style_at(int y, int x)
{
	struct style style = { 0, -1, -1 };
	wchar_t text[CCHARW_MAX];
	cchar_t cell;
	short pair;

	assert_int_equal(mvin_wch(y, x, &cell), OK);
	assert_int_equal(getcchar(&cell, text, &style.attributes, &pair, NULL), OK);
	style.attributes &= A_BOLD | A_DIM | A_REVERSE;
	if (pair)
		extended_pair_content(pair, &style.foreground, &style.background);
	return style;
}

static void print_styles(FILE *out)
{
	struct style styles[26] = { 0 };
	size_t nr = 0;

	for (int y = 0; y < LINES; y++) {
		for (int x = 0; x < COLS; x++) {
			struct style style = style_at(y, x);
			size_t i = 0;

			while (i < nr && memcmp(&styles[i], &style, sizeof(style)))
				i++;
			assert_true(i < sizeof(styles) / sizeof(*styles));
			styles[i] = style;
			nr += i == nr;
			fputc('a' + (int)i, out);
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%c:%s%s%s %d on %d\n", 'a' + (int)i,
			styles[i].attributes & A_BOLD ? " bold" : "",
			styles[i].attributes & A_DIM ? " dim" : "",
			styles[i].attributes & A_REVERSE ? " reverse" : "", styles[i].foreground,
			styles[i].background);
}

static void print_screen_and_styles(FILE *out)
{
	print_screen(out);
	print_styles(out);
}

static void assert_picture(const char *path, void (*print)(FILE *out))
{
	char *text = PRINTED(print);

	assert_golden_text(text, path);
	free(text);
}

static void test_hooks_in_256_colours(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 110, 24);
	open_live(COLOUR_AUTO);
	record_minute();
	assert_true(type("s"));
	live_update(live);
	assert_picture(GOLDEN "hooks.txt", print_screen_and_styles);
}

static void assert_line(int y, const char *expected)
{
	assert_string_equal(line_at(y), expected);
}

/* A packet that was stamped at 1000 ms, and read at 1050. */
static void report_packet(void)
{
	const struct slow_packet packet = {
		.time_ns = 1769947205 * NS_PER_S,
		.latency_ns = 50 * NS_PER_MS,
		.probe = PROBE_skb_consume_udp,
		.is_stamped = true,
		.now_ns = 1050 * NS_PER_MS,
		.before = LAST_HOOK(1010 * NS_PER_MS, STAGE_FROM(HOOK_udp_start, 0)),
	};
	struct label_names *names = label_names_new();
	struct packet_report report;

	assert_non_null(names);
	packet_report_make(&report, &packet, names, true);
	live_packet(live, &report);
	label_names_free(names);
}

/* As many as have room, with the one that came last on top. */
static void test_stages_with_slow_packets_below(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 150, 36);
	open_live(COLOUR_NEVER);
	record_minute();
	for (int i = 0; i < 60; i++)
		report_packet();
	live_update(live);
	assert_picture(GOLDEN "stages.txt", print_screen);
}

/* The cursor goes back by three columns, and latencies become coarser. */
static void test_an_open_panel(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 100, 24);
	open_live(COLOUR_ALWAYS);
	record_minute();
	live_update(live);
	assert_true(type("s\r\033OD\033OD\033OD"));
	assert_picture(GOLDEN "open.txt", print_screen);
	assert_true(type("\033OC"));
	assert_non_null(strstr(line_at(1), "n 1.36k  at 12:01:03"));
	assert_true(type("kk"));
	assert_non_null(strstr(line_at(10), "  16.8ms ██████████████ 1.28k"));
	assert_true(type("\r"));
	assert_null(strstr(line_at(1), "at 12:01:03"));
}

/* No UTF-8, no colours, and no room for a table. */
static void test_groups_in_ascii(void **state)
{
	(void)state;
	open_terminal("vt100", "C", 80, 20);
	open_live(COLOUR_AUTO);
	record_minute();
	live_update(live);
	assert_true(type("ss"));
	assert_picture(GOLDEN "ascii.txt", print_screen);
	assert_line(0, "netstacklat  12:01:05  groups by port, ip-version, 2 of 3");
	assert_true(type("g"));
	assert_line(0, "netstacklat  12:01:05  groups by port, 2 of 3");
}

/* Shades have one of four colours, for two levels each. */
static void test_eight_colours(void **state)
{
	static const int colours[] = { COLOR_BLUE, COLOR_MAGENTA, COLOR_RED, COLOR_YELLOW };

	(void)state;
	open_terminal("linux", "C.UTF-8", 100, 24);
	open_live(COLOUR_AUTO);
	record_minute();
	live_update(live);
	for (int level = 0; level < 8; level++)
		assert_int_equal(style_at(0, 100 - 15 + level).foreground, colours[level / 2]);
}

static void assert_is_coloured(enum colour colour, bool expected)
{
	open_live(colour);
	record_minute();
	live_update(live);
	assert_int_equal(style_at(0, 100 - 15).foreground >= 0, expected);
	live_free(live);
	live = NULL;
}

static void test_colours_can_be_unwanted(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 100, 24);
	setenv("NO_COLOR", "1", 1);
	assert_is_coloured(COLOUR_AUTO, false);
	assert_is_coloured(COLOUR_ALWAYS, true);
	setenv("NO_COLOR", "", 1);
	assert_is_coloured(COLOUR_AUTO, true);
	assert_is_coloured(COLOUR_NEVER, false);
}

static void test_where_there_is_nothing(void **state)
{
	const struct report none = make_report(&setup, counts);

	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 80, 24);
	open_live(COLOUR_AUTO);
	assert_line(0, "netstacklat  stages by port, ip-version     ─ p50  ═ p99");
	assert_line(2, "  the first interval is not over");
	memset(counts, 0, sizeof(counts));
	assert_int_equal(recording_add(recording, &none), 0);
	live_update(live);
	assert_line(2, "  no packets yet");
	record_minute();
	live_update(live);
	assert_true(type("/nowhere"));
	assert_line(0, "netstacklat  12:01:05  stages by port, ip-version  /nowhere_");
	assert_line(2, "  no panel has that in its name");
	assert_true(type("\r"));
	assert_line(0, "netstacklat  12:01:05  stages by port, ip-version  /nowhere");
}

static void test_help_and_pause(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 90, 24);
	open_live(COLOUR_AUTO);
	record_minute();
	live_update(live);
	assert_true(type("?"));
	assert_line(0, "  Time runs to the right, latency goes up. Keys:");
	assert_line(2, "  Up        the panel above");
	assert_line(20, "  q         end, and print the total");
	assert_non_null(strstr(line_at(22), "G: a gap, a column that covers more than one"));
	assert_true(type("x"));
	assert_line(22, "no slow packets yet");
	assert_true(type("s "));
	assert_non_null(strstr(line_at(0), "12:01:05  hooks, 2 of 3  PAUSED  "));
	record_minute();
	live_update(live);
	assert_non_null(strstr(line_at(0), "12:01:04  hooks, 2 of 3  PAUSED  "));
}

static void resize(int width, int height)
{
	const struct winsize size = { .ws_row = height, .ws_col = width };

	assert_int_equal(ioctl(keyboard, TIOCSWINSZ, &size), 0);
	live_resized(live);
}

static void test_the_terminal_takes_another_size(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 80, 24);
	open_live(COLOUR_AUTO);
	record_minute();
	live_update(live);
	resize(39, 24);
	assert_line(0, "too small");
	resize(40, 8);
	assert_line(0, "too small");
	resize(40, 9);
	assert_line(0, "netstacklat  12:01:05  stages by port, i");
	assert_line(8, "arrows Enter  s views  g keys  k coarse");
}

/* Until a key is pressed; and all of them are printed in the end. */
static void test_the_last_message_is_seen(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 80, 24);
	open_live(COLOUR_AUTO);
	log_error("this is one");
	log_error("this is another");
	live_update(live);
	assert_non_null(strstr(line_at(23), "this is another"));
	assert_true(type("x"));
	assert_null(strstr(line_at(23), "this"));
	live_update(live);
	assert_null(strstr(line_at(23), "this"));
}

/* One after the other, each from the top. */
static void test_a_verdict_is_broken_into_lines(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 40, 24);
	live = live_new(&setup, recording, true);
	assert_non_null(live);
	assert_true(live_open(live, COLOUR_AUTO));
	assert_line(22, "no verdict yet");
	live_verdict(live, "an earlier one\n");
	live_verdict(live,
		     "  Packets waited for a reader that was elsewhere, all of them.\n\n"
		     "    -> look there\nno blank after the fortieth is in this_line of text");
	assert_memory_equal(line_at(17), "the verdict at ", 15);
	assert_line(18, "  Packets waited for a reader that was");
	assert_line(19, "  elsewhere, all of them.");
	assert_line(20, "    -> look there");
	assert_line(21, "no blank after the fortieth is in");
	assert_line(22, "this_line of text");
}

static void test_keys_for_the_program(void **state)
{
	(void)state;
	open_terminal("xterm-256color", "C.UTF-8", 80, 24);
	open_live(COLOUR_AUTO);
	assert_false(live_wants_page(live));
	assert_true(type("w"));
	assert_true(live_wants_page(live));
	assert_false(live_wants_page(live));
	assert_false(type("q"));
}

static void test_where_nothing_can_be_drawn(void **state)
{
	(void)state;
	open_terminal("dumb", "C.UTF-8", 80, 24);
	live = live_new(&setup, recording, false);
	assert_non_null(live);
	assert_false(live_open(live, COLOUR_AUTO));
	setenv("TERM", "", 1);
	assert_false(live_open(live, COLOUR_AUTO));
	assert_false(live_is_open(live));
	assert_false(live_is_open(NULL));
	/* These do nothing there. */
	live_update(live);
	live_resized(live);
	assert_true(live_keys(live));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hooks_in_256_colours, make, drop),
		cmocka_unit_test_setup_teardown(test_stages_with_slow_packets_below, make, drop),
		cmocka_unit_test_setup_teardown(test_an_open_panel, make, drop),
		cmocka_unit_test_setup_teardown(test_groups_in_ascii, make, drop),
		cmocka_unit_test_setup_teardown(test_eight_colours, make, drop),
		cmocka_unit_test_setup_teardown(test_colours_can_be_unwanted, make, drop),
		cmocka_unit_test_setup_teardown(test_where_there_is_nothing, make, drop),
		cmocka_unit_test_setup_teardown(test_help_and_pause, make, drop),
		cmocka_unit_test_setup_teardown(test_the_terminal_takes_another_size, make, drop),
		cmocka_unit_test_setup_teardown(test_the_last_message_is_seen, make, drop),
		cmocka_unit_test_setup_teardown(test_a_verdict_is_broken_into_lines, make, drop),
		cmocka_unit_test_setup_teardown(test_keys_for_the_program, make, drop),
		cmocka_unit_test_setup_teardown(test_where_nothing_can_be_drawn, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
