// SPDX-License-Identifier: GPL-2.0
/*
 * A watch from its beginning to the verdict. The counts, the sockets and the host are made up; what
 * is found in them, and how it is said, is not.
 */
#include "unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/counts/stages.h"
#include "lib/diagnose/watch.h"
#include "lib/kernel/socket_queue_reader.h"
#include "lib/live/live.h"
#include "lib/print/printer.h"
#include "lib/serve/diagnosis.h"
#include "lib/serve/host_watch.h"
#include "lib/serve/meter.h"
#include "lib/serve/verdict_page.h"
#include "lib/tables/units.h"
#include "printed.h"
#include "said.h"

#define MS NS_PER_MS

/* The answers of the meter, the sockets and the host, their errors, and the questions they got. */
static struct {
	int begin_err, advance_err, report_err;
	uint64_t late, in_time; /* packets of a reader; late ones wait for 20 ms */
	unsigned int nr_begun, nr_reports, nr_freed;
	uint64_t forget_ns;
	uint64_t rest_ns; /* what has passed of each second when the next thing happens */
} counted;
static struct {
	const struct queued *list;
	size_t nr;
	int new_err, read_err;
	const char *btf_path;
	uint64_t late_ns, watch_ns;
	uint32_t nr_mptcp;
	struct socket_queue_reader *freed;
} sockets;
static struct {
	int begin_err, ask_err;
	unsigned int nr_begun, nr_asked_services;
	size_t nr_netlink_owners;
	struct late_seconds_entry seconds; /* of the finding that was asked for last */
} host;
static const struct verdict *shown;
static int show_err;

static struct report_setup setup;
static struct hook_counts counts_of_hooks[NR_HOOKS];
static struct bucket buckets[NR_BUCKETS(2)];
static struct report_group spans[1], stages[1];
static const struct group reader = {
	.hook = HOOK_udp_socket_read,
	.key = { .port = 5002, .pid = 411 },
	.comm = "cart",
};
static struct group queue; /* the same reader's */

/* These stand in for lib/live/live.c: whatever is there is open. */
static char *drawn;
static unsigned int nr_updates;

bool live_is_open(const struct live *live)
{
	return live;
}

void live_update(struct live *live)
{
	assert_non_null(live);
	nr_updates++;
}

void live_verdict(struct live *live, const char *text)
{
	assert_non_null(live);
	drawn = strdup(text);
}

/* These stand in for lib/serve/meter.c. */
const struct report_setup *meter_setup(const struct meter *meter)
{
	assert_null(meter);
	return &setup;
}

int meter_begin(struct meter *meter, struct intervals *intervals)
{
	(void)meter;
	intervals_init(intervals, 2);
	intervals->earlier.taken_ns = clock_monotonic_ns() - counted.rest_ns;
	counted.nr_begun++;
	return counted.begin_err;
}

int meter_advance(struct meter *meter, struct intervals *intervals, uint64_t forget_ns)
{
	(void)meter;
	intervals->duration_ns = NS_PER_S;
	intervals->earlier.taken_ns = clock_monotonic_ns() - counted.rest_ns;
	counted.forget_ns = forget_ns;
	return counted.advance_err;
}

static void count_samples(uint64_t count, uint64_t ns)
{
	buckets[bucket_index(ns, 2)] = (struct bucket){ count, count * ns };
}

int meter_report(struct meter *meter, const struct group_order *order,
		 const struct snapshot *counts, struct report *report)
{
	(void)meter;
	(void)order;
	(void)counts;
	memset(buckets, 0, sizeof(buckets));
	count_samples(counted.late, 20 * MS);
	count_samples(counted.in_time, NS_PER_US);
	queue = reader;
	queue.from = STAGE_FROM(HOOK_udp_socket_enqueued, 0);
	spans[0] = (struct report_group){ &reader, buckets, counted.late + counted.in_time, 0 };
	stages[0] = (struct report_group){ &queue, buckets, counted.late + counted.in_time, 0 };
	report->setup = &setup;
	report->hooks = counts_of_hooks;
	report->time_ns = 1769947205 * NS_PER_S;
	report->groups = spans;
	report->stages = stages;
	report->nr_groups = report->nr_stages = 1;
	report->names = label_names_new();
	counted.nr_reports++;
	return report->names ? counted.report_err : -ENOMEM;
}

void meter_free_report(struct report *report)
{
	label_names_free(report->names);
	free((void *)report->queued);
	counted.nr_freed++;
}

/* For lib/kernel/socket_queue_reader.c. */
struct socket_queue_reader *socket_queue_reader_new(const char *btf_path, int tcp_times)
{
	(void)tcp_times;
	sockets.btf_path = btf_path;
	errno = sockets.new_err;
	return sockets.new_err ? NULL : (struct socket_queue_reader *)&sockets;
}

void socket_queue_reader_free(struct socket_queue_reader *queues)
{
	sockets.freed = queues;
}

int socket_queue_reader_read(struct socket_queue_reader *queues, uint64_t late_ns,
			     uint64_t watch_ns, struct queued **list, size_t *nr)
{
	(void)queues;
	sockets.late_ns = late_ns;
	sockets.watch_ns = watch_ns;
	*nr = sockets.read_err ? 0 : sockets.nr;
	*list = malloc(sockets.nr * sizeof(**list) + 1);
	if (!*list)
		return -ENOMEM;
	if (*nr)
		memcpy(*list, sockets.list, *nr * sizeof(**list));
	return sockets.read_err;
}

uint32_t socket_queue_reader_nr_mptcp(const struct socket_queue_reader *queues)
{
	(void)queues;
	return sockets.nr_mptcp;
}

/* For lib/serve/host_watch.c. */
void host_watch_init(struct host_watch *watch, const struct wait_maps *waits)
{
	*watch = (struct host_watch){ .waits = waits };
}

int host_watch_begin(struct host_watch *watch)
{
	netlink_owners_free(&watch->netlink_owners);
	host.nr_begun++;
	return host.begin_err;
}

void host_watch_free(struct host_watch *watch)
{
	netlink_owners_free(&watch->netlink_owners);
}

int host_watch_add_failures(const struct host_watch *watch, const struct report *report,
			    struct verdict *verdict)
{
	(void)watch, (void)report, (void)verdict;
	return 0;
}

int host_watch_add_upstreams(const struct host_watch *watch, const struct report *report,
			     struct verdict *verdict)
{
	(void)watch, (void)report, (void)verdict;
	return 0;
}

int host_watch_ask_all(struct host_watch *watch, const struct filters *filters,
		       struct verdict *verdict)
{
	assert_ptr_equal(filters, &setup.plan.filters);
	host.nr_netlink_owners = watch->netlink_owners.nr;
	verdict->own_netns = 4026531840;
	return host.ask_err;
}

void host_watch_ask(struct host_watch *watch, struct finding *finding)
{
	(void)watch;
	host.seconds = finding->seconds;
}

void host_watch_ask_service(const struct host_watch *watch, struct service *service)
{
	(void)watch;
	(void)service;
	host.nr_asked_services++;
}

/* For lib/serve/verdict_page.c. */
int verdict_page_show(struct verdict_page *page, const struct verdict *verdict)
{
	assert_ptr_equal(page, &show_err);
	shown = verdict;
	return show_err;
}

static struct diagnosis_config config;
static struct diagnosis *diagnosis;

static int begin(void **state)
{
	(void)state;
	memset(&counted, 0, sizeof(counted));
	memset(&sockets, 0, sizeof(sockets));
	memset(&host, 0, sizeof(host));
	show_err = 0;
	shown = NULL;
	setup = (struct report_setup){
		.plan.group_by = 1U << KEY_PORT | 1U << KEY_PID | 1U << KEY_CPU,
		.plan.stages = true,
	};
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		counts_of_hooks[hook].latency.resolution = 2;
	config = (struct diagnosis_config){ .printer = &printer_text };
	diagnosis_complete(&config.late);
	return printed_begin() ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	printed_end();
	diagnosis_free(diagnosis);
	diagnosis = NULL;
	return 0;
}

static void assert_in(const char *text, const char *expected)
{
	if (!strstr(text, expected))
		fail_msg("'%s' is not in '%s'", expected, text);
}

static void start(void)
{
	diagnosis = diagnosis_new(&config, NULL);
	assert_non_null(diagnosis);
}

/* Watches while a reader finds so many packets late, of so many in all. */
static void watch(uint64_t late, uint64_t in_all)
{
	counted.late = late;
	counted.in_time = in_all - late;
	assert_int_equal(diagnosis_end_watch(diagnosis), 0);
}

static void test_what_is_late_unless_users_say_otherwise(void **state)
{
	static const struct {
		struct thresholds asked, expected;
	} cases[] = {
		{ { 0 }, { MS, 10 * MS, 100 * MS } },
		{ { .stack_ns = 5 * MS }, { 5 * MS, 10 * MS, 100 * MS } },
		{ { .stack_ns = 20 * MS }, { 20 * MS, 20 * MS, 100 * MS } },
		{ { .stack_ns = 200 * MS }, { 200 * MS, 200 * MS, 200 * MS } },
		{ { .application_ns = 50 * MS }, { MS, 10 * MS, 50 * MS } },
		{ { .application_ns = 5 * MS }, { MS, 10 * MS, 10 * MS } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct thresholds late = cases[i].asked;

		diagnosis_complete(&late);
		assert_int_equal(late.stack_ns, cases[i].expected.stack_ns);
		assert_int_equal(late.task_ns, cases[i].expected.task_ns);
		assert_int_equal(late.application_ns, cases[i].expected.application_ns);
	}
}

static void test_what_is_measured_is_what_verdicts_need(void **state)
{
	struct plan plan = { 0 };

	(void)state;
	diagnosis_select(&plan, &(struct thresholds){ MS, 10 * MS, 100 * MS });
	assert_true(plan.stages && plan.wakeups && plan.reader_waits);
	assert_int_equal(plan.least_parts_ns, 10 * MS);
	assert_true(plan.timely_ns && plan.timely_ns < MS);
	assert_int_equal(plan.resolution, 2);
	assert_true(plan.first_folded_port >= 1024);
	assert_true(plan.group_by & 1U << KEY_CPU);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		bool counts_any =
			watches[hook].counts[SINCE_STAMP] || watches[hook].counts[SINCE_HOOK];

		assert_int_equal(plan.hooks[hook], watches[hook].is_followed || counts_any);
		assert_int_equal(plan.group_by & watches[hook].keys, watches[hook].keys);
		assert_int_equal(plan.keys_left_out[hook] & watches[hook].keys, 0);
		assert_int_equal(~plan.keys_left_out[hook], watches[hook].keys);
		for (enum since since = 0; since < NR_SINCE; since++)
			assert_int_not_equal(plan.since_left_out[hook][since],
					     watches[hook].counts[since]);
	}
	assert_true(plan.hooks[HOOK_udp_socket_read]);
	assert_false(plan.hooks[HOOK_raw_send]);
}

static void test_a_healthy_host_is_accused_of_nothing(void **state)
{
	(void)state;
	start();
	watch(0, 1000);
	assert_in(printed_text(), "Looked at, and fine: readers (1.02us).");
	assert_false(diagnosis_found(diagnosis));
	assert_int_equal(counted.forget_ns, 600 * NS_PER_S);
	assert_int_equal(counted.nr_reports, counted.nr_freed);
	assert_int_equal(counted.nr_begun, 2);
	assert_int_equal(host.nr_begun, 2);
	assert_int_equal(host.nr_asked_services, 1);
}

static void test_what_is_found_is_said(void **state)
{
	(void)state;
	start();
	watch(500, 1000);
	assert_in(printed_text(), "cart (pid 411, UDP port 5002): 50 % of its packets wait");
	assert_true(diagnosis_found(diagnosis));
	/* It was found, also if it is gone in the next watch. */
	watch(0, 1000);
	assert_in(printed_text(), "Looked at, and fine: readers (1.02us).");
	assert_true(diagnosis_found(diagnosis));
}

static void test_it_is_said_in_each_form(void **state)
{
	(void)state;
	config.printer = &printer_json;
	start();
	watch(500, 1000);
	assert_in(printed_text(), "\"class\":\"reader-asleep\"");
	diagnosis_free(diagnosis);
	config.printer = &printer_none;
	start();
	watch(500, 1000);
	assert_string_equal(printed_text(), "");
	assert_true(diagnosis_found(diagnosis));
	diagnosis_free(diagnosis);
	config.printer = &printer_collapsed;
	start();
	watch(500, 1000);
	assert_string_equal(printed_text(), "");
}

static void test_it_is_drawn_while_a_terminal_is_there(void **state)
{
	(void)state;
	config.live = (struct live *)&config;
	start();
	assert_int_equal(diagnosis_look(diagnosis), 0);
	assert_int_equal(nr_updates, 1);
	watch(500, 1000);
	assert_string_equal(printed_text(), "");
	assert_non_null(drawn);
	assert_in(drawn, "cart (pid 411, UDP port 5002): 50 % of its packets wait for the reader");
	free(drawn);
}

/* All seconds, with the verdict on top. */
static void test_a_page_has_what_was_recorded(void **state)
{
	const struct splits splits = { 0 };

	(void)state;
	config.printer = &printer_html;
	config.recording = recording_new(KEEPS_ALL, &splits, 2, NS_PER_S);
	assert_non_null(config.recording);
	start();
	assert_int_equal(diagnosis_look(diagnosis), 0);
	watch(500, 1000);
	assert_in(printed_text(), "<!DOCTYPE html>");
	recording_free(config.recording);
}

static void test_it_is_shown_on_the_page_that_is_served(void **state)
{
	(void)state;
	start();
	diagnosis_serve_at(diagnosis, (struct verdict_page *)&show_err);
	watch(500, 1000);
	assert_non_null(shown);
	assert_in(printed_text(), "cart");
	show_err = -ENOMEM;
	assert_int_equal(diagnosis_end_watch(diagnosis), -ENOMEM);
	assert_string_equal(printed_text(), "");
}

static void test_seconds_in_which_it_is_late_are_counted(void **state)
{
	(void)state;
	start();
	counted.in_time = 1000;
	assert_int_equal(diagnosis_look(diagnosis), 0);
	counted.late = 500;
	assert_int_equal(diagnosis_look(diagnosis), 0);
	counted.late = 0;
	assert_int_equal(diagnosis_look(diagnosis), 0);
	watch(500, 3000);
	assert_int_equal(host.seconds.late, 1);
	assert_int_equal(host.seconds.active, 3);
	assert_int_equal(host.seconds.last_late, 1);
	assert_int_equal(counted.nr_reports, 4);
	assert_int_equal(counted.nr_freed, 4);
	/* Seconds of the next watch are its own. */
	watch(500, 3000);
	assert_int_equal(host.seconds.active, 0);
}

static void test_a_last_second_counts_if_most_of_it_has_passed(void **state)
{
	(void)state;
	counted.rest_ns = 400 * MS;
	start();
	watch(500, 1000);
	assert_int_equal(host.seconds.active, 0);
	counted.rest_ns = 600 * MS;
	assert_int_equal(diagnosis_look(diagnosis), 0);
	watch(500, 1000);
	assert_int_equal(host.seconds.active, 2);
}

#define STUCK_PACKET                                                                          \
	{                                                                                     \
		.socket = 1, .hook = HOOK_udp_socket_read, .protocol = IPPROTO_UDP,           \
		.key = { .port = 5003, .pid = 412 }, .comm = "stuck", .age_ns = 5 * NS_PER_S, \
	}

static const struct queued sockets_seen[] = {
	{ .socket = 1, .hook = NR_HOOKS, .protocol = IPPROTO_UDP, .key.port = 5003 },
	STUCK_PACKET,
	STUCK_PACKET,
	STUCK_PACKET,
	{ .socket = 2,
	  .hook = NR_HOOKS,
	  .protocol = QUEUED_NETFILTER,
	  .key = { .netns = 1, .pid = 413 },
	  .comm = "decider",
	  .age_ns = 77 },
};

static void test_what_is_still_queued_has_waited_too(void **state)
{
	(void)state;
	config.btf_path = "/btf";
	start();
	assert_string_equal(sockets.btf_path, "/btf");
	assert_int_equal(sockets.late_ns, 10 * MS);
	assert_int_equal(sockets.watch_ns, 0);
	sockets.list = sockets_seen;
	sockets.nr = sizeof(sockets_seen) / sizeof(*sockets_seen);
	watch(0, 1000);
	assert_int_equal(sockets.watch_ns, NS_PER_S);
	assert_in(printed_text(), "stuck (pid 412, UDP port 5003)");
	assert_int_equal(host.nr_netlink_owners, 1);
}

/* Each failure is said, and all is freed then. */
static void test_a_watch_that_fails(void **state)
{
	struct {
		int *err;
		const char *said;
	} cases[] = {
		{ &counted.advance_err, "" },
		{ &counted.report_err, "" },
		{ &sockets.read_err,
		  "netstacklat: cannot read what is still queued: Input/output error\n" },
		{ &host.ask_err,
		  "netstacklat: cannot judge what this host tells: Input/output error\n" },
		{ &host.begin_err,
		  "netstacklat: cannot look at this host: Cannot allocate memory\n" },
	};

	(void)state;
	start();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		*cases[i].err = -EIO;
		said_begin();
		assert_true(diagnosis_end_watch(diagnosis) < 0);
		assert_string_equal(said_end(), cases[i].said);
		*cases[i].err = 0;
		assert_int_equal(counted.nr_reports, counted.nr_freed);
	}
	counted.advance_err = -EIO;
	assert_int_equal(diagnosis_look(diagnosis), -EIO);
}

static void test_a_watch_that_cannot_begin(void **state)
{
	int *errors[] = { &counted.begin_err, &host.begin_err, &sockets.read_err };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		*errors[i] = -EIO;
		assert_null(diagnosis_new(&config, NULL));
		assert_int_equal(errno, EIO);
		assert_ptr_equal(sockets.freed, errors[i] == &sockets.read_err ? &sockets : NULL);
		*errors[i] = 0;
	}
	sockets.new_err = EPERM;
	assert_null(diagnosis_new(&config, NULL));
	assert_int_equal(errno, EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_late_unless_users_say_otherwise),
		cmocka_unit_test(test_what_is_measured_is_what_verdicts_need),
		cmocka_unit_test_setup_teardown(test_a_healthy_host_is_accused_of_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(test_what_is_found_is_said, begin, end),
		cmocka_unit_test_setup_teardown(test_it_is_said_in_each_form, begin, end),
		cmocka_unit_test_setup_teardown(test_it_is_drawn_while_a_terminal_is_there, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_page_has_what_was_recorded, begin, end),
		cmocka_unit_test_setup_teardown(test_it_is_shown_on_the_page_that_is_served, begin,
						end),
		cmocka_unit_test_setup_teardown(test_seconds_in_which_it_is_late_are_counted, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_last_second_counts_if_most_of_it_has_passed,
						begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_still_queued_has_waited_too, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_watch_that_fails, begin, end),
		cmocka_unit_test_setup_teardown(test_a_watch_that_cannot_begin, begin, end),
	};

	return cmocka_run_group_tests_name("diagnosis", tests, NULL, NULL);
}
