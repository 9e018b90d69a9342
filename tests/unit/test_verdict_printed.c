// SPDX-License-Identifier: GPL-2.0
/* A verdict as it is printed: for people, for programs, and as the metrics that Prometheus reads.
 */
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

#define GOLDEN "tests/unit/golden/"

static void assert_golden_metrics(void)
{
	static const char path[] = GOLDEN "openmetrics-verdict.prom";
	char *text = PRINTED(verdict_print_metrics, &verdict, OPENMETRICS),
	     *older = PRINTED(verdict_print_metrics, &verdict, TEXT_0_0_4);

	assert_golden_text(text, path);
	assert_golden_as_prometheus(older, path);
	free(text);
	free(older);
}

/* All that a verdict may have, none of it twice. */
static void add_sleeping_reader(void)
{
	static char *frames[] = { "schedule_timeout", "do_poll", "__x64_sys_poll" };
	static struct named_stack stack = {
		.key = { .pid = 411, .port = 5002, .of = STACK_OF_READER },
		.wait = { .count = 118, .ns = 3 * NS_PER_S, .comm = "cart" },
	};
	struct finding *finding = &findings[verdict.nr];

	add(CLASS_reader_asleep, 120, 1500 * NS_PER_MS,
	    FACTS({ "comm", "cart" }, { "protocol", "UDP" }, { "cgroup", "/svc-cart" },
		  { "netns", "web" }, { "from", "udp-socket-enqueued" },
		  { "to", "udp-socket-woken" }, { "asleep_in", "poll" }));
	facts_set_number(&finding->facts, "pid", 411);
	facts_set_number(&finding->facts, "port", 5002);
	facts_set_number(&finding->facts, "asleep_ns", 3 * NS_PER_S);
	finding->lateness.p50_ns = 2 * NS_PER_MS;
	finding->lateness.max_ns = 1600 * NS_PER_MS;
	finding->lateness.late_ns = 4 * NS_PER_S;
	finding->seconds = (struct late_seconds_entry){ .late = 3, .active = 60 };
	finding->dropped = 9;
	finding->pid = 411;
	finding->place.port = 5002;
	finding->where = "where";
	finding->cause = "cause.";
	finding->next = "next";
	memcpy(stack.frames, frames, sizeof(frames));
	verdict.has_stacks = true;
	verdict.stacks = (struct named_stacks){ &stack, 1 };
}

static void add_service(void)
{
	static struct service service;

	service = (struct service){
		.packets = 130,
		.answers = 120,
		.segments = 150,
		.behind_others = { .count = 130, .late = 30, .p99_ns = 40 * NS_PER_MS },
		.part_ns = { [SERVICE_IN] = 1,
			     [SERVICE_APPLICATION] = 22,
			     [SERVICE_OUT] = 333,
			     [SERVICE_PEERS] = 4444,
			     [SERVICE_BULK] = 55555 },
	};
	facts_set(&service.facts, "service", "cart (pid 411, UDP port 5002)");
	facts_set(&service.facts, "within", "this host");
	facts_set(&service.facts, "asleep_in", "futex");
	verdict.services = (struct services){ &service, 1 };
	verdict.nr_services = 1;
	verdict.nr_clients = 2;
}

static void add_upstream(void)
{
	static struct upstream upstream = {
		.count = { .key = { .port = 5432 },
			   .answers = { .count = 240,
					.ns = 240 * 23 * (uint64_t)NS_PER_MS,
					.longest_ns = NS_PER_S,
					.min_rtt_us = 1200 } },
		.address = "192.0.2.7",
	};

	facts_set(&upstream.facts, "service", "cart (pid 411, TCP)");
	facts_set(&upstream.facts, "figures", "240 answers, 23ms each, 1s at most");
	facts_set(&upstream.facts, "netns", "web");
	facts_set(&upstream.facts, "comm", "cart");
	facts_set(&upstream.facts, "protocol", "TCP");
	facts_set_number(&upstream.facts, "pid", 411);
	verdict.upstreams = (struct upstreams){ &upstream, 1, 3 };
}

static void add_what_was_looked_at(void)
{
	const uint64_t latest_ns = 100;

	verdict.looked_at[CLASS_reader_asleep] =
		(struct looked_at){ 1000, 0, 1 << OUTCOME_TOLD | 1 << OUTCOME_STRAYS };
	verdict.looked_at[CLASS_qdisc] = (struct looked_at){ 11, latest_ns, 1 << OUTCOME_STRAYS };
	verdict.looked_at[CLASS_backlog] = (struct looked_at){ 12, latest_ns, 1 << OUTCOME_EFFECT };
	verdict.looked_at[CLASS_egress] = (struct looked_at){ 13, latest_ns, 1 << OUTCOME_CHANCE };
	verdict.looked_at[CLASS_application] =
		(struct looked_at){ 14, latest_ns, 1 << OUTCOME_WAITING };
	verdict.tallies.thresholds = (struct thresholds){ 1000, 2000, 3000 };
	verdict.tallies.held_back =
		(struct lateness){ .count = 200, .late = 100, .p99_ns = 5 * NS_PER_MS };
	verdict.tallies.held_back.latest_ns = NS_PER_MS;
}

static void test_people_and_programs_are_told_all(void **state)
{
	char *text;

	(void)state;
	add_sleeping_reader();
	add_service();
	add_upstream();
	add_what_was_looked_at();
	verdict.is_one_second = true;
	verdict.steal_ns = 7 * NS_PER_MS;
	verdict.oom_kills = 2;
	verdict.nr_clock_changes = 1;
	verdict.lacks[HOOK_raw_send] = true;
	verdict.unseen[UNSEEN_NETNS] = true;
	/* An interface's name is what others chose. */
	verdict.blind[BLIND_XDP] = (struct interfaces){ 3, { { .name = "e\x1bth" } } };
	verdict.nr_mptcp = 2;
	verdict.nr_sctp = 40;
	verdict.blind[BLIND_TUN] = (struct interfaces){ 1, { { .name = "tun0" } } };
	verdict.blind[BLIND_WIFI] = (struct interfaces){ 1, { { .name = "wlan0" } } };
	verdict.blind[BLIND_OVS] = (struct interfaces){ 1, { { .name = "ovs-system" } } };
	verdict.blind[BLIND_WIREGUARD] = (struct interfaces){ 1, { { .name = "wg0" } } };
	text = PRINTED(verdict_print_text, &verdict);
	assert_golden_text(text, GOLDEN "text-verdict.txt");
	free(text);
	text = PRINTED(verdict_print_json, &verdict);
	assert_golden_text(text, GOLDEN "json-verdict.jsonl");
	free(text);
	facts_free(&verdict.services.services[0].facts);
	facts_free(&verdict.upstreams.upstreams[0].facts);
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
	assert_golden_metrics();
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
		TEST(test_people_and_programs_are_told_all),
		TEST(test_gauges_say_what_was_found),
		TEST(test_no_series_is_there_twice),
		TEST(test_the_most_harmful_of_many_are_told),
		TEST(test_each_class_that_is_found_has_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
