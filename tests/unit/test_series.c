// SPDX-License-Identifier: GPL-2.0
/* What is printed for Prometheus is refused as a whole if one series is there twice. */
#include "unit.h"

#include "lib/print/series.h"
#include "report_printing.h"

#define MANY 10000

static struct report_setup setup;
static struct hook_counts counts[NR_HOOKS];
static struct group groups[MANY];
static struct report_group seen[MANY];
static struct bucket buckets[MANY][NR_BUCKETS(0)];

/* Of so many groups by port, each with its number of packets in its last bucket but one. */
static struct report make_groups(size_t nr)
{
	struct report report = make_report(&setup, counts);

	memset(buckets, 0, sizeof(buckets));
	setup = make_setup();
	setup.plan.group_by = 1U << KEY_PORT;
	for (size_t i = 0; i < nr; i++) {
		groups[i] = (struct group){ HOOK_udp_start, .key.port = 1 + i };
		buckets[i][NR_BUCKETS(0) - 2] = (struct bucket){ 1 + i, 10 + i };
		seen[i] = (struct report_group){ &groups[i], buckets[i], 1 + i, 0 };
	}
	report.kind = REPORT_CUMULATIVE;
	report.groups = seen;
	report.nr_groups = nr;
	report.names = label_names_new();
	assert_non_null(report.names);
	return report;
}

static void assert_series(const struct report *report, const struct series *series, size_t nr,
			  const char *labels, size_t same, uint64_t count, uint64_t sum_ns)
{
	struct histogram latency;

	assert_string_equal(series->labels, labels);
	assert_int_equal(series_latency(report, series, nr, &latency), same);
	assert_int_equal(histogram_count(&latency), count);
	assert_int_equal(histogram_sum_ns(&latency), sum_ns);
}

/* Nothing shows of a probe, which keys of groups do not have. */
static void test_equal_labels_are_one_series(void **state)
{
	struct report report = make_groups(5);
	struct series *series;
	size_t nr;

	(void)state;
	groups[0].key.port = groups[3].key.port = 80;
	groups[3].key.probe = 1;
	groups[1].key.port = groups[2].key.port = groups[4].key.port = 53;
	groups[2].key.probe = 1;
	groups[4].key.probe = 2;
	/* Another histogram than that of the first. */
	seen[4].buckets = buckets[MANY - 1];
	buckets[MANY - 1][3] = (struct bucket){ 100, 700 };

	series = series_of_groups(&report, HOOK_udp_start, &nr);
	assert_non_null(series);
	assert_int_equal(nr, 5);
	assert_series(&report, series, 5, "hook=\"udp-start\",port=\"53\"", 3, 105, 723);
	assert_series(&report, series + 3, 2, "hook=\"udp-start\",port=\"80\"", 2, 5, 23);
	/* No further than the last. */
	assert_series(&report, series + 4, 1, "hook=\"udp-start\",port=\"80\"", 1,
		      series[4].group->count, series[4].group->count + 9);
	series_free(series, nr);
	label_names_free(report.names);
}

/* The stage that begins with the stamp has no IP version, and a group may have that label, too. */
static void test_equal_stages_are_one_series(void **state)
{
	struct report report = make_groups(5);
	const __u8 from = STAGE_FROM(HOOK_ip_rcv, 1);
	struct series *series;
	size_t nr;

	(void)state;
	report.stages = seen;
	report.nr_stages = 5;
	groups[0].from = groups[1].from = groups[2].from = from;
	groups[0].key = (struct group_key){ 0 };
	groups[1].key = (struct group_key){ .ip_version = 6 };
	groups[2].key = (struct group_key){ .probe = 1 };
	groups[3].from = from - 1;
	groups[3].key = (struct group_key){ 0 };
	groups[4] = (struct group){ .hook = HOOK_netif_receive };

	series = series_of_stages(&report, &nr);
	assert_non_null(series);
	assert_int_equal(nr, 5);
	assert_series(&report, series, 5, "from=\"ip-rcv\",to=\"udp-start\",ip_version=\"4\"", 1, 4,
		      13);
	assert_series(&report, series + 1, 4, "from=\"ip-rcv\",to=\"udp-start\",ip_version=\"6\"",
		      3, 1 + 2 + 3, 10 + 11 + 12);
	assert_series(&report, series + 4, 1, "from=\"stamp\",to=\"netif-receive\"", 1, 5, 14);
	series_free(series, nr);
	label_names_free(report.names);
}

static size_t count_text(const char *text, const char *wanted)
{
	size_t count = 0;

	while ((text = strstr(text, wanted))) {
		text += strlen(wanted);
		count++;
	}
	return count;
}

static void test_equal_labels_are_printed_once(void **state)
{
	static const struct printer *const both[] = { &printer_openmetrics, &printer_prometheus };
	struct report report = make_groups(3);

	(void)state;
	groups[2].key = (struct group_key){ .port = 1, .probe = 1 };
	for (int i = 0; i < 2; i++) {
		char *text = print_report(both[i], &report);

		assert_int_equal(count_text(text, "{hook=\"udp-start\",port=\"1\",le=\"1e-09\"} "),
				 1);
		assert_int_equal(count_text(text, "_count{hook=\"udp-start\",port=\"1\"} 4\n"), 1);
		assert_int_equal(count_text(text, "_count{hook=\"udp-start\",port=\"2\"} 2\n"), 1);
		assert_int_equal(count_text(text, "_count{hook=\"udp-start\""), 2);
		free(text);
	}
	label_names_free(report.names);
}

static void test_many_groups_are_all_there(void **state)
{
	struct report report = make_groups(MANY);
	struct series *series;
	struct histogram latency;
	uint64_t count = 0;
	size_t nr;

	(void)state;
	series = series_of_groups(&report, HOOK_udp_start, &nr);
	assert_int_equal(nr, MANY);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(series_latency(&report, &series[i], nr - i, &latency), 1);
		count += histogram_count(&latency);
	}
	assert_int_equal(count, MANY * (MANY + 1) / 2);
	series_free(series, nr);

	series = series_of_groups(&report, HOOK_ip_rcv, &nr);
	assert_int_equal(nr, 0);
	series_free(series, nr);
	label_names_free(report.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_labels_are_one_series),
		cmocka_unit_test(test_equal_stages_are_one_series),
		cmocka_unit_test(test_equal_labels_are_printed_once),
		cmocka_unit_test(test_many_groups_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
