// SPDX-License-Identifier: GPL-2.0
/* Values that are in no golden file. */
#include "unit.h"

#include "report_printing.h"

static void assert_contains(const struct report *report, const char *expected)
{
	char *text = print_report(&printer_json, report);

	if (!strstr(text, expected))
		fail_msg("%s is not in %s", expected, text);
	free(text);
}

static void test_times_have_milliseconds(void **state)
{
	const struct hook_counts counts[NR_HOOKS] = { 0 };
	const struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);

	(void)state;
	report.time_ns += 7 * NS_PER_MS + 999999;
	assert_contains(&report, "\"time\":\"2026-02-01T12:00:05.007Z\"");
	report.time_ns = 1769990399 * NS_PER_S + 999 * NS_PER_MS;
	assert_contains(&report, "\"time\":\"2026-02-01T23:59:59.999Z\"");
}

/* To the nanosecond: a double has not enough digits for all. */
static void test_a_later_process_tells_when_it_began(void **state)
{
	const struct group group = {
		HOOK_udp_socket_read,
		.key = { .pid = 7, .started_ns = 18446744073709551615U },
		.comm = "1.5/s",
		.is_later_process = true,
	};
	const struct bucket buckets[NR_BUCKETS(0)] = { [9] = { 1, 300 } };
	const struct report_group seen = { .group = &group, .buckets = buckets, .count = 1 };
	const struct hook_counts counts[NR_HOOKS] = { 0 };
	struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);

	(void)state;
	setup.plan.group_by = 1U << KEY_PID;
	report.groups = &seen;
	report.nr_groups = 1;
	report.names = label_names_new();
	assert_contains(
		&report,
		"\"group\":{\"pid\":7,\"started\":18446744073.709551615,\"comm\":\"1.5/s\"}");
	label_names_free(report.names);
}

static void test_settings_are_told_once(void **state)
{
	struct setting all[] = { { "net.core.rmem_max", "212992" }, { "qdisc of eth0", "fq" } };
	const struct settings settings = { all, 2 };
	const struct hook_counts counts[NR_HOOKS] = { 0 };
	struct report_setup setup = make_setup();
	struct report report = make_report(&setup, counts);
	char *text;

	(void)state;
	setup.settings = &settings;
	report.number = 0;
	assert_contains(&report, ",\"host\":{\"net.core.rmem_max\":\"212992\","
				 "\"qdisc of eth0\":\"fq\"}}\n");
	report.number = 1;
	text = print_report(&printer_json, &report);
	assert_null(strstr(text, "\"host\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_have_milliseconds),
		cmocka_unit_test(test_a_later_process_tells_when_it_began),
		cmocka_unit_test(test_settings_are_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
