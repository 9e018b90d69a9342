// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "report_printing.h"

static void assert_text(const struct report *report, const char *expected)
{
	char *text = print_report(&printer_text, report);

	assert_string_equal(text, expected);
	free(text);
}

static void assert_report(enum report_kind kind, uint64_t duration_ns,
			  const struct hook_counts *hooks, const char *expected)
{
	const struct report_setup setup = make_setup();
	struct report report = make_report(&setup, hooks);

	report.kind = kind;
	report.duration_ns = duration_ns;
	assert_text(&report, expected);
}

static void test_hooks_with_traffic(void **state)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };
	struct bucket *buckets = counts[HOOK_tcp_do_rcv].latency.buckets;

	(void)state;
	buckets[11] = (struct bucket){ 1054, 1054 * 1900ULL };
	buckets[12] = (struct bucket){ 181795, 181795 * 3000ULL };
	buckets[13] = (struct bucket){ 181529, 181529 * 6000ULL };
	buckets[15] = (struct bucket){ 68458, 68458 * 20000ULL };
	assert_report(
		REPORT_INTERVAL, 5001000000, counts,
		"2026-02-01 12:00:05  interval 5.00 s\n"
		"tcp-do-rcv:\n"
		"(1.02us, 2.05us]        1054 |                                                |\n"
		"(2.05us, 4.1us]       181795 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"(4.1us, 8.19us]       181529 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"(8.19us, 16.4us]           0 |                                                |\n"
		"(16.4us, 32.8us]       68458 |@@@@@@@@@@@@@@@@@@                              |\n"
		"count 432836  mean 6.94us\n"
		"p50 8.19us  p90 32.8us  p99 32.8us  p99.9 32.8us  max 32.8us\n"
		"\n");
}

static void test_no_traffic(void **state)
{
	const struct hook_counts counts[NR_HOOKS] = { 0 };

	(void)state;
	assert_report(REPORT_TOTAL, 12345678901, counts,
		      "2026-02-01 12:00:05  total 12.35 s\n"
		      "no packets\n"
		      "\n");
}

static void test_first_and_last_bucket(void **state)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };
	struct histogram *latency = &counts[HOOK_udp_queue_rcv].latency;

	(void)state;
	latency->buckets[0] = (struct bucket){ 1, 1 };
	assert_report(
		REPORT_INTERVAL, 1000000000, counts,
		"2026-02-01 12:00:05  interval 1.00 s\n"
		"udp-queue-rcv:\n"
		"[0ns, 1ns]                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"count 1  mean 1ns\n"
		"p50 1ns  p90 1ns  p99 1ns  p99.9 1ns  max 1ns\n"
		"\n");

	latency->buckets[0] = (struct bucket){ 0, 0 };
	latency->buckets[NR_BUCKETS(0) - 1] = (struct bucket){ 3, 60000000000 };
	assert_report(
		REPORT_INTERVAL, 1000000000, counts,
		"2026-02-01 12:00:05  interval 1.00 s\n"
		"udp-queue-rcv:\n"
		"(17.2s, inf)               3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"count 3  mean 20s\n"
		"p50 >17.2s  p90 >17.2s  p99 >17.2s  p99.9 >17.2s  max >17.2s\n"
		"\n");
}

static void test_bars_of_huge_counts(void **state)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };
	struct bucket *buckets = counts[HOOK_tcp_data_queue].latency.buckets;

	(void)state;
	buckets[9] = (struct bucket){ 1ULL << 59, 1ULL << 59 };
	buckets[10] = (struct bucket){ 1ULL << 60, 1ULL << 60 };
	assert_report(
		REPORT_INTERVAL, 1000000000, counts,
		"2026-02-01 12:00:05  interval 1.00 s\n"
		"tcp-data-queue:\n"
		"(256ns, 512ns]   576460752303423488 |@@@@@@@@@@@@@@@@@@@@@@@@                        |\n"
		"(512ns, 1.02us]  1152921504606846976 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"count 1729382256910270464  mean 1ns\n"
		"p50 1.02us  p90 1.02us  p99 1.02us  p99.9 1.02us  max 1.02us\n"
		"\n");
}

static void test_discards_are_shown_where_there_are_any(void **state)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };

	(void)state;
	counts[HOOK_tcp_do_rcv].discarded[DISCARD_NO_STAMP] = 2;
	counts[HOOK_tcp_do_rcv].discarded[DISCARD_NOT_RX] = 1;
	counts[HOOK_udp_queue_rcv].latency.buckets[1] = (struct bucket){ 1, 2 };
	counts[HOOK_udp_queue_rcv].discarded[DISCARD_FUTURE] = 7;
	counts[HOOK_udp_queue_rcv].discarded[DISCARD_FILTERED] = 181;
	assert_report(
		REPORT_INTERVAL, 1000000000, counts,
		"2026-02-01 12:00:05  interval 1.00 s\n"
		"tcp-do-rcv:\n"
		"count 0\n"
		"not measured 3: 2 no stamp, 1 not an RX stamp\n"
		"\n"
		"udp-queue-rcv:\n"
		"(1ns, 2ns]                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"count 1  mean 2ns\n"
		"p50 2ns  p90 2ns  p99 2ns  p99.9 2ns  max 2ns\n"
		"filtered 181\n"
		"not measured 7: 7 stamp in the future\n"
		"\n");
}

static void test_clock_changes_are_told(void **state)
{
	const struct hook_counts counts[NR_HOOKS] = { 0 };
	const struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);

	(void)state;
	report.clock_change =
		(struct clock_change){ 1769947203, -3600 * 1000000000LL, 37000000000 };
	assert_text(&report, "2026-02-01 12:00:05  interval 1.00 s\n"
			     "clock changed at 12:00:03: wall clock -3600.000 s, TAI offset +37 s\n"
			     "no packets\n"
			     "\n");
	report.clock_change.wall_ns = 0;
	assert_text(&report, "2026-02-01 12:00:05  interval 1.00 s\n"
			     "clock changed at 12:00:03: TAI offset +37 s\n"
			     "no packets\n"
			     "\n");
	report.clock_change.tai_ns = 0;
	assert_text(&report, "2026-02-01 12:00:05  interval 1.00 s\n"
			     "clock changed at 12:00:03: forth and back\n"
			     "no packets\n"
			     "\n");
}

/* How long the bar of the only bucket is on a terminal of so many columns. */
static size_t bar_width(int columns)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };
	const struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);
	size_t width;
	char *text;

	counts[HOOK_tcp_start].latency.buckets[5] = (struct bucket){ 1, 30 };
	report.terminal.columns = columns;
	text = print_report(&printer_text, &report);
	width = strchr(text, '@') ? strspn(strchr(text, '@'), "@") : 0;
	free(text);
	return width;
}

static void test_bars_fill_the_line(void **state)
{
	(void)state;
	assert_int_equal(bar_width(10), 0);
	assert_int_equal(bar_width(35), 0);
	assert_int_equal(bar_width(36), 4);
	assert_int_equal(bar_width(80), 48);
	assert_int_equal(bar_width(231), 199);
	assert_int_equal(bar_width(232), 200);
	assert_int_equal(bar_width(1000), 200);
}

/* At a resolution of 1: 1024 to 1536, 1536 to 2048. */
static void test_octaves_and_full_resolution(void **state)
{
	static struct hook_counts counts[NR_HOOKS];
	struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);
	struct histogram *latency = &counts[HOOK_tcp_start].latency;

	(void)state;
	latency->resolution = 1;
	latency->buckets[20] = (struct bucket){ 3, 4200 };
	latency->buckets[21] = (struct bucket){ 1, 1800 };
	report.terminal.columns = 41;
	assert_text(&report, "2026-02-01 12:00:05  interval 1.00 s\n"
			     "tcp-start:\n"
			     "(1.02us, 2.05us]           4 |@@@@@@@@@|\n"
			     "count 4  mean 1.5us\n"
			     "p50 1.54us  p90 2.05us  p99 2.05us  p99.9 2.05us  max 2.05us\n"
			     "\n");
	setup.full = true;
	report.terminal.columns = 20;
	assert_text(&report, "2026-02-01 12:00:05  interval 1.00 s\n"
			     "tcp-start:\n"
			     "(1.02us, 1.54us]           3\n"
			     "(1.54us, 2.05us]           1\n"
			     "count 4  mean 1.5us\n"
			     "p50 1.54us  p90 2.05us  p99 2.05us  p99.9 2.05us  max 2.05us\n"
			     "\n");
}

static void test_a_group_of_which_nothing_is_known_is_called_like_its_hook(void **state)
{
	const struct group group = { .hook = HOOK_tcp_start };
	const struct bucket buckets[NR_BUCKETS(0)] = { [1] = { 1, 2 } };
	const struct report_group seen = { .group = &group, .buckets = buckets, .count = 1 };
	struct hook_counts counts[NR_HOOKS] = { 0 };
	struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);

	(void)state;
	counts[HOOK_tcp_start].latency.buckets[1] = buckets[1];
	setup.plan.group_by = 1U << KEY_CGROUP;
	setup.top = 1;
	report.groups = &seen;
	report.nr_groups = 1;
	report.names = label_names_new();
	report.terminal.columns = 20;
	assert_text(&report, "2026-02-01 12:00:05  interval 1.00 s\n"
			     "tcp-start:\n"
			     "(1ns, 2ns]                 1\n"
			     "count 1  mean 2ns\n"
			     "p50 2ns  p90 2ns  p99 2ns  p99.9 2ns  max 2ns\n"
			     "\n");
	label_names_free(report.names);
}

static void test_how_many_packets_were_slow(void **state)
{
	/* Told of or not. */
	const uint64_t slow[NR_SLOW_COUNTS] = { 3, 1, 2 };
	struct hook_counts counts[NR_HOOKS] = { 0 };
	struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);
	char *text;

	(void)state;
	counts[HOOK_udp_start].latency.buckets[20].count = 518;
	setup.plan.slow_ns = 20000000;
	report.slow = slow;
	text = PRINTED(report_print_slow_share, &report);
	assert_string_equal(text, "6 of 518 packets were slower than 20ms\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hooks_with_traffic),
		cmocka_unit_test(test_no_traffic),
		cmocka_unit_test(test_first_and_last_bucket),
		cmocka_unit_test(test_bars_of_huge_counts),
		cmocka_unit_test(test_discards_are_shown_where_there_are_any),
		cmocka_unit_test(test_clock_changes_are_told),
		cmocka_unit_test(test_bars_fill_the_line),
		cmocka_unit_test(test_octaves_and_full_resolution),
		cmocka_unit_test(test_how_many_packets_were_slow),
		cmocka_unit_test(test_a_group_of_which_nothing_is_known_is_called_like_its_hook),
	};

	/* Reports show local time. */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
