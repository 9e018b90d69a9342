// SPDX-License-Identifier: GPL-2.0
/* Rows of a heatmap, one by one; all that is around them is in golden files. */
#include "unit.h"

#include "lib/print/recording.h"
#include "report_printing.h"

static struct report_setup setup;
static struct hook_counts counts[NR_HOOKS];
static struct report report;

/* The second report, of two hooks, which just fit side by side. */
static int make_two(void **state)
{
	(void)state;
	memset(counts, 0, sizeof(counts));
	setup = (struct report_setup){ .plan.hooks = {
					       [HOOK_tcp_start] = true, [HOOK_udp_start] = true } };
	report = make_report(&setup, counts);
	report.number = 1;
	return 0;
}

static void set_count(enum hook hook, unsigned int bucket, uint64_t count)
{
	counts[hook].latency.buckets[bucket] = (struct bucket){ count, count };
}

static void assert_prints(const char *expected)
{
	char *text = print_report(&printer_heatmap, &report);

	assert_string_equal(text, expected);
	free(text);
}

#define NAMES "          tcp-start                           udp-start\n"
#define AXES "            |1us      |1ms      |1s             |1us      |1ms      |1s\n"
#define EMPTY "12:00:05 |                            |0     |                            |0\n"

static void test_most_rows_have_no_axis(void **state)
{
	(void)state;
	for (report.number = 1; report.number < 60; report.number++)
		assert_prints(report.number % 20 ? EMPTY : NAMES AXES EMPTY);
}

static void test_a_new_width_has_its_axis(void **state)
{
	(void)state;
	report.resized = true;
	assert_prints(NAMES AXES EMPTY);
}

static void test_the_total_is_called_so(void **state)
{
	(void)state;
	report.kind = REPORT_TOTAL;
	assert_prints(
		"total    |                            |0     |                            |0\n");
}

/* What nobody can see of a row is below it, and what explains it above. */
static void test_lines_around_a_row(void **state)
{
	(void)state;
	report.clock_change = (struct clock_change){ 1769947203, 20 * NS_PER_S, 0 };
	counts[HOOK_tcp_start].discarded[DISCARD_NO_STAMP] = 3;
	assert_prints("clock changed at 12:00:03: wall clock +20.000 s\n" EMPTY
		      "not measured: tcp-start 3\n");
}

#define BLOCK_AXIS "                                |1us      |1ms      |1s\n"

/* A column less, and each has a line of its own, if there is something in it. */
static void test_what_does_not_fit_is_a_block(void **state)
{
	(void)state;
	report.terminal.columns = 79;
	assert_prints(BLOCK_AXIS "12:00:05 no packets\n");
	set_count(HOOK_udp_start, 11, 1);
	assert_prints(BLOCK_AXIS "12:00:05 udp-start           |   5                        |1\n");
	set_count(HOOK_tcp_start, 12, 1);
	assert_prints(BLOCK_AXIS "12:00:05 tcp-start           |    5                       |1\n"
				 "         udp-start           |   5                        |1\n");
}

/* As the legend says. */
static void test_shades_are_relative_to_the_fullest_cell(void **state)
{
	static const uint64_t cells[] = { 1601, 1600, 401, 400, 101, 100, 1 };

	(void)state;
	setup.plan.hooks[HOOK_tcp_start] = false;
	report.terminal.columns = 79;
	for (int i = 0; i < 7; i++)
		set_count(HOOK_udp_start, 9 + i, cells[i]);
	set_count(HOOK_udp_start, 20, 6400);
	set_count(HOOK_udp_start, 22, 6400);
	assert_prints("12:00:05 | #**::..    5 9             |17k\n");
}

static void assert_count(uint64_t count, const char *expected)
{
	char *text;

	set_count(HOOK_udp_start, 34, count);
	text = print_report(&printer_heatmap, &report);
	assert_string_equal(strrchr(text, '|') + 1, expected);
	free(text);
}

static void test_counts_have_three_digits(void **state)
{
	(void)state;
	assert_count(7, "7\n");
	assert_count(999, "999\n");
	assert_count(1000, "1k\n");
	assert_count(18349, "18.3k\n");
	assert_count(999499, "999k\n");
	assert_count(999500, "1M\n");
	assert_count(UINT64_MAX, "18.4E\n");
}

/* Prints one second, and another in which a clock was set, and reports were late. */
static char *print_two_seconds(void)
{
	struct recording *recording =
		recording_new(KEEPS_ALL, &(struct splits){ { 0 }, 1 }, 0, NS_PER_S);
	struct report total = report;
	char *text;

	set_count(HOOK_tcp_start, 12, 3);
	assert_int_equal(recording_add(recording, &report), 0);
	set_count(HOOK_tcp_start, 12, 0);
	set_count(HOOK_tcp_start, 20, 100);
	report.time_ns += 2 * NS_PER_S;
	report.duration_ns = 2 * NS_PER_S;
	report.clock_change.time = 1;
	assert_int_equal(recording_add(recording, &report), 0);
	total.kind = REPORT_TOTAL;
	total.recording = recording;
	counts[HOOK_tcp_start].discarded[DISCARD_NO_STAMP] = 7;
	text = print_report(&printer_heatmap_blocks, &total);
	recording_free(recording);
	return text;
}

#define LEGEND "5 = p50, 9 = p99; # * : . = above 1/4, 1/16, 1/64, 0 of the row's fullest cell\n"

/* Hooks without packets have no block, and what is missing comes once. */
static void test_blocks_run_down_in_time(void **state)
{
	char *text = print_two_seconds();

	(void)state;
	assert_string_equal(text, LEGEND "\n"
					 "tcp-start\n"
					 "            |1us      |1ms      |1s\n"
					 "12:00:05 |    5                       |3\n"
					 "12:00:07 |            5               |100 clock gap\n"
					 "total    |    :       5               |103\n"
					 "\n"
					 "not measured: tcp-start 7\n");
	free(text);
}

static void test_a_run_without_packets_has_no_block(void **state)
{
	struct recording *recording =
		recording_new(KEEPS_ALL, &(struct splits){ { 0 }, 1 }, 0, NS_PER_S);
	char *text;

	(void)state;
	assert_int_equal(recording_add(recording, &report), 0);
	report.kind = REPORT_TOTAL;
	report.recording = recording;
	text = print_report(&printer_heatmap_blocks, &report);
	assert_string_equal(text, LEGEND "\nno packets\n");
	free(text);
	recording_free(recording);
}

/* Twenty rows after an axis comes the next. */
static void test_long_blocks_repeat_their_axis(void **state)
{
	struct recording *recording =
		recording_new(KEEPS_ALL, &(struct splits){ { 0 }, 1 }, 0, NS_PER_S);
	unsigned int nr = 0;
	char *text;

	(void)state;
	set_count(HOOK_tcp_start, 12, 1);
	for (int i = 0; i < 41; i++, report.time_ns += NS_PER_S)
		assert_int_equal(recording_add(recording, &report), 0);
	report.kind = REPORT_TOTAL;
	report.recording = recording;
	text = print_report(&printer_heatmap_blocks, &report);
	for (char *at = text; (at = strstr(at, "|1ms")); at++)
		nr++;
	assert_int_equal(nr, 3);
	assert_non_null(strstr(text, "|41\n"));
	free(text);
	recording_free(recording);
}

#define TEST(name) cmocka_unit_test_setup(name, make_two)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_most_rows_have_no_axis),
		TEST(test_a_new_width_has_its_axis),
		TEST(test_the_total_is_called_so),
		TEST(test_lines_around_a_row),
		TEST(test_what_does_not_fit_is_a_block),
		TEST(test_shades_are_relative_to_the_fullest_cell),
		TEST(test_counts_have_three_digits),
		TEST(test_blocks_run_down_in_time),
		TEST(test_a_run_without_packets_has_no_block),
		TEST(test_long_blocks_repeat_their_axis),
	};

	/* Reports show local time. */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
