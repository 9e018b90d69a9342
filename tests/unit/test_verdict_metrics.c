// SPDX-License-Identifier: GPL-2.0
/* The metrics of a verdict that Prometheus reads, in both formats. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "lib/diagnose/verdict.h"
#include "lib/tables/units.h"

#define MAX_FINDINGS (2 * MAX_METRIC_FINDINGS)
static struct finding findings[MAX_FINDINGS];
static struct verdict verdict;

static void add(enum class class, uint64_t late, uint64_t p99_ns, const char *const facts[][2])
{
	struct finding *finding = &findings[verdict.nr++];

	*finding = (struct finding){ .class = class };
	finding->lateness = (struct lateness){ .count = 1000, .late = late, .p99_ns = p99_ns };
	for (; (*facts)[0]; facts++)
		facts_set(&finding->facts, (*facts)[0], (*facts)[1]);
}

#define FACTS(...) ((const char *const[][2]){ __VA_ARGS__, { NULL, NULL } })

static int begin(void **state)
{
	(void)state;
	verdict = (struct verdict){
		.duration_ns = 60 * NS_PER_S,
		.time_ns = 1769904005 * (uint64_t)NS_PER_S,
		.packets = 5003,
		.no_room = 7,
		.rows = { 8192, 8192 },
		.findings = findings,
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < verdict.nr; i++)
		facts_free(&findings[i].facts);
	return 0;
}

#define GOLDEN "tests/unit/golden/openmetrics-verdict.prom"

static void assert_golden(void)
{
	char *text = PRINTED(verdict_print_metrics, &verdict, OPENMETRICS),
	     *older = PRINTED(verdict_print_metrics, &verdict, TEXT_0_0_4);

	assert_golden_text(text, GOLDEN);
	assert_golden_as_prometheus(older, GOLDEN);
	free(text);
	free(older);
}

/* Names are what others chose, and were made printable. */
static void test_gauges_say_what_was_found(void **state)
{
	(void)state;
	add(CLASS_drop, 300, 0, FACTS({ "port", "5001" }, { "reason", "SOCKET_RCVBUFF" }));
	add(CLASS_reader_asleep, 120, 1500 * NS_PER_MS,
	    FACTS({ "comm", "cart\\x1b\"" }, { "pid", "411" }, { "protocol", "UDP" },
		  { "port", "5002" }, { "cgroup", "/svc-cart" }, { "netns", "web" }));
	add(CLASS_qdisc, 60, 40 * NS_PER_MS, FACTS({ "interface", "eth0" }, { "port", "" }));
	assert_golden();
}

static size_t count_lines(const char *text, const char *beginning)
{
	size_t nr = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n') + 1)
		nr += !strncmp(line, beginning, strlen(beginning));
	return nr;
}

/* What differs by its process only is the same to Prometheus, which takes no series twice. */
static void test_no_series_is_there_twice(void **state)
{
	char *text;

	(void)state;
	add(CLASS_application, 90, NS_PER_S, FACTS({ "comm", "cart" }, { "pid", "411" }));
	add(CLASS_application, 80, NS_PER_S, FACTS({ "comm", "cart" }, { "pid", "412" }));
	add(CLASS_application, 70, NS_PER_S, FACTS({ "comm", "web" }, { "pid", "413" }));
	text = PRINTED(verdict_print_metrics, &verdict, TEXT_0_0_4);
	assert_int_equal(count_lines(text, "netstacklat_finding_packets{"), 2);
	assert_int_equal(count_lines(text, "netstacklat_finding_p99_seconds{"), 2);
	assert_non_null(strstr(text, "comm=\"cart\",sentence=\"replies take long\"} 90\n"));
	assert_non_null(strstr(text, "netstacklat_verdict_findings 3\n"));
	assert_null(strstr(text, "41"));
	free(text);
}

static void test_the_most_harmful_of_many_are_told(void **state)
{
	char port[8], *text;

	(void)state;
	for (unsigned int i = 0; i < MAX_FINDINGS; i++) {
		snprintf(port, sizeof(port), "%u", i + 1);
		add(CLASS_loss, 1000 - i, 0, FACTS({ "port", port }));
	}
	text = PRINTED(verdict_print_metrics, &verdict, OPENMETRICS);
	assert_int_equal(count_lines(text, "netstacklat_finding_packets{"), MAX_METRIC_FINDINGS);
	assert_non_null(strstr(text, "port=\"100\""));
	assert_null(strstr(text, "port=\"101\""));
	assert_non_null(strstr(text, "netstacklat_verdict_findings 200\n"));
	free(text);
}

/* Alerts say in it what is wrong: one for each class, and no more than that. */
static void test_each_class_that_is_found_has_a_sentence(void **state)
{
	(void)state;
	for (enum class class = 0; class < NR_CLASSES; class ++) {
		assert_int_equal(!classes[class].brief, !classes[class].where);
		assert_null(classes[class].brief ? strchr(classes[class].brief, '{') : NULL);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_gauges_say_what_was_found),
		TEST(test_no_series_is_there_twice),
		TEST(test_the_most_harmful_of_many_are_told),
		TEST(test_each_class_that_is_found_has_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
