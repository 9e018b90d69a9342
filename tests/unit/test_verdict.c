// SPDX-License-Identifier: GPL-2.0
/* What is found in a report, whose fault it is, and what it is called. */
#include "unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counts/stages.h"
#include "lib/diagnose/failures.h"
#include "lib/diagnose/lost.h"
#include "lib/diagnose/overload.h"
#include "lib/diagnose/tun.h"
#include "lib/diagnose/verdict.h"
#include "lib/base/json_values.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/sequence.h"
#include "lib/tables/tcp_limit.h"
#include "lib/tables/units.h"
#include "json_member.h"
#include "real_shell.h"

#define MAX_GROUPS 16
#define IPV4(hook) STAGE_FROM(HOOK_##hook, 0)
#define OWN_NETNS 4026531840
#define FIRST_SERVICE .port = 5002, .pid = 411

static struct hook_counts counts[NR_HOOKS];
static struct report_setup setup;
static struct group groups[MAX_GROUPS];
static struct bucket buckets[MAX_GROUPS][NR_BUCKETS(0)];
static struct report_group spans[MAX_GROUPS], stages[MAX_GROUPS];
static struct report_drop drops[4];
static struct report report;
static size_t nr;
static struct verdict *verdict;
static struct thresholds late;
static struct service_ports ports;

static int begin(void **state)
{
	(void)state;
	memset(counts, 0, sizeof(counts));
	memset(buckets, 0, sizeof(buckets));
	nr = 0;
	service_ports_init(&ports);
	late = (struct thresholds){ NS_PER_MS, NS_PER_MS, NS_PER_MS };
	setup = (struct report_setup){
		.plan.group_by = 1U << KEY_PORT | 1U << KEY_PID | 1U << KEY_CPU,
		.plan.stages = true,
		.reasons = reason_names_new(NULL),
	};
	report = (struct report){
		.setup = &setup,
		.hooks = counts,
		.duration_ns = 10 * NS_PER_S,
		.time_ns = 1769947205 * NS_PER_S,
		.groups = spans,
		.stages = stages,
		.drops = drops,
		.names = label_names_new(),
	};
	return !report.names || !setup.reasons;
}

static int end(void **state)
{
	(void)state;
	verdict_free(verdict);
	verdict = NULL;
	service_ports_free(&ports);
	label_names_free(report.names);
	reason_names_free(setup.reasons);
	return 0;
}

static void add_samples(struct bucket *into, uint64_t count, uint64_t ns)
{
	into[bucket_index(ns, 0)].count += count;
	into[bucket_index(ns, 0)].sum_ns += count * ns;
}

/* So many samples of a group, or of a stage of it, and as many that take a microsecond. */
static void add(__u8 from, enum hook to, struct group_key key, uint64_t late, uint64_t ns,
		uint64_t in_time)
{
	struct report_group *into = from || to == HOOK_netif_receive ? &stages[report.nr_stages++]
								     : &spans[report.nr_groups++];

	groups[nr] = (struct group){ .hook = to, .from = from, .key = key };
	if (key.pid)
		snprintf(groups[nr].comm, sizeof(groups[nr].comm), "task%u", key.pid);
	add_samples(buckets[nr], late, ns);
	add_samples(buckets[nr], in_time, NS_PER_US);
	*into = (struct report_group){ &groups[nr], buckets[nr], late + in_time, 0 };
	nr++;
}

/* A reader's queue, with the parts of all that waits there. */
static void add_reader(struct group_key key, uint64_t late, uint64_t ns, uint64_t in_time)
{
	add(IPV4(udp_socket_enqueued), HOOK_udp_socket_read, key, late, ns, in_time);
}

static void add_part(struct group_key key, enum reader_part part, uint64_t count, uint64_t ns)
{
	add(STAGE_FROM(part, 0), HOOK_udp_socket_read, key, count, ns, 0);
}

#define KEY_OF(...) ((struct group_key){ __VA_ARGS__ })

static void judge(void)
{
	verdict = verdict_new(&report, &late, &ports);
	assert_non_null(verdict);
	assert_int_equal(lost_find(verdict, &report), 0);
	verdict->own_netns = OWN_NETNS;
}

/* Once more where facts have changed: nobody else has what was said before. */
static void explain(void)
{
	for (size_t i = 0; i < verdict->nr; i++) {
		struct finding *finding = &verdict->findings[i];

		free(finding->where);
		free(finding->cause);
		free(finding->next);
		finding->where = finding->cause = finding->next = NULL;
	}
	verdict_explain(verdict);
}

static void assert_classes(size_t nr_findings, ...)
{
	va_list expected;

	explain();
	assert_int_equal(verdict->nr, nr_findings);
	va_start(expected, nr_findings);
	for (size_t i = 0; i < nr_findings; i++)
		assert_string_equal(classes[verdict->findings[i].class].name,
				    va_arg(expected, const char *));
	va_end(expected);
}

/* Explains what was judged, and says what people read of it. */
static void assert_text(const char *expected);
static struct json_object *print_object(void);
static struct json_object *finding_of(struct json_object *object, size_t i);

static void test_nothing_is_late(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 1000);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(.ifindex = 2), 0, 0, 1000);
	judge();
	assert_classes(0);
	assert_int_equal(verdict->nr_services, 1);
	assert_int_equal(verdict->looked_at[CLASS_netfilter_in].count, 1000);
}

static void test_a_few_late_ones_are_chance(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 2, 9 * NS_PER_MS, 10);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 2), 9, 9 * NS_PER_MS, 1000);
	judge();
	assert_classes(0);
}

/* None of these is one in a hundred. */
static void test_a_few_that_are_very_late_are_none(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 9, 5 * NS_PER_S, 991);
	add_reader(KEY_OF(.port = 5003, .pid = 412), 9, 60 * NS_PER_MS, 991);
	add_reader(KEY_OF(.port = 5004, .pid = 413), 2, 5 * NS_PER_S, 998);
	judge();
	assert_classes(1, "reader-asleep");
	assert_string_equal(verdict->findings[0].where,
			    "task411 (pid 411, UDP port 5002): 9 of 1000 of its packets wait for "
			    "the reader, max 8.59s");
}

/* On a healthy host, tasks wait for each other. */
static void test_tasks_have_more_time_than_the_stack(void **state)
{
	(void)state;
	late = (struct thresholds){ NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 3 * NS_PER_MS, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 9 * NS_PER_MS);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 81, .pid = 1), 100, 9 * NS_PER_MS, 0);
	judge();
	assert_text("; all else takes less than 1ms in the stack, and 10ms for a task.\n");
	assert_int_equal(verdict->nr, 1);
	assert_int_equal(verdict->findings[0].class, CLASS_qdisc);
}

/* It is in a bucket that ends behind that. */
static void test_what_is_in_time_is_said_to_be_no_later(void **state)
{
	(void)state;
	late = (struct thresholds){ NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 99900 * NS_PER_US, 0);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 81, .pid = 1), 100, 9900 * NS_PER_US, 0);
	judge();
	assert_text("\nLooked at, and fine: accept (10ms), application (100ms).\n");
}

/* How long an application takes, and how many more times ... */
static void assert_application(uint64_t ms, uint64_t tail, uint64_t tail_ms, size_t nr_findings)
{
	begin(NULL);
	late = (struct thresholds){ NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, ms * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE, .cpu = 1), tail, tail_ms * NS_PER_MS,
	    0);
	judge();
	assert_int_equal(verdict->nr, nr_findings);
	if (nr_findings)
		assert_int_equal(verdict->findings[0].class, CLASS_application);
	end(NULL);
}

static void test_what_an_application_always_takes_is_no_fault(void **state)
{
	(void)state;
	end(NULL);
	assert_application(60, 0, 0, 0);
	assert_application(60, 9, 90, 0);
	assert_application(60, 9, 150, 1);
	assert_application(150, 0, 0, 1);
	assert_application(1, 9, 16, 0);
	assert_application(1, 9, 40, 1);
	begin(NULL);
}

static void test_late_is_what_surely_takes_as_long(void **state)
{
	(void)state;
	/* The bucket from 0.52 to 1.05 ms. */
	add_reader(KEY_OF(FIRST_SERVICE), 100, 1040 * NS_PER_US, 0);
	judge();
	assert_classes(0);
	/* All of it is, if that is where a bucket begins. */
	verdict_free(verdict);
	late.task_ns = 1 << 19;
	verdict = verdict_new(&report, &late, &ports);
	assert_non_null(verdict);
	assert_classes(1, "reader-asleep");
}

static void test_each_stage_has_its_class(void **state)
{
	(void)state;
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 1), 100, 9 * NS_PER_MS, 0);
	add(IPV4(tx_ip), HOOK_tx_queue, KEY_OF(.netns = 2), 100, 8 * NS_PER_MS, 0);
	add(IPV4(ip_forward), HOOK_tx_queue, KEY_OF(.netns = 3), 100, 7 * NS_PER_MS, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 6 * NS_PER_MS, 0);
	add(IPV4(netif_receive), HOOK_ip_rcv, KEY_OF(.ifindex = 5), 100, 5 * NS_PER_MS, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 80, .pid = 3), 100, 4 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 81, .pid = 1), 100, 3 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 82, .pid = 2), 100, 2500 * NS_PER_US, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 83), 100, 2200 * NS_PER_US, 0);
	add(IPV4(netif_receive), HOOK_egress, KEY_OF(.netns = 4), 100, 2100 * NS_PER_US, 0);
	judge();
	assert_classes(10, "netfilter-in", "netfilter-out", "netfilter-forward", "qdisc", "ingress",
		       "socket-lock", "accept", "application", "socket-filter", "bridged");
}

/* Three parts of 0.9 ms each, or the last one of as long as is given, for a service's packets. */
static void add_receive_path(uint64_t last_ns, uint16_t cpu)
{
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.netns = 1, .cpu = cpu), 100, 900 * NS_PER_US,
	    0);
	add(IPV4(ip_rcv), HOOK_ip_deliver, KEY_OF(.netns = 1), 100, 900 * NS_PER_US, 0);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 1), 100, last_ns, 0);
	add(FROM_STAMP, HOOK_udp_socket_enqueued, KEY_OF(.netns = 1, .port = 5002), 100,
	    1800 * NS_PER_US + last_ns, 0);
}

static void test_parts_are_late_together(void **state)
{
	(void)state;
	add_receive_path(900 * NS_PER_US, 0);
	/* On other ways than this one. */
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 2), 100, 800 * NS_PER_US, 0);
	add(IPV4(ip_deliver), HOOK_tcp_start, KEY_OF(.netns = 1), 100, 800 * NS_PER_US, 0);
	add(IPV4(ip_rcv), HOOK_ip_forward, KEY_OF(.netns = 1), 100, 800 * NS_PER_US, 0);
	/* Too little to be told. */
	add(IPV4(netif_receive), HOOK_ip_rcv, KEY_OF(.netns = 1), 100, 90 * NS_PER_US, 0);
	judge();
	assert_classes(1, "receive-path");
	assert_string_equal(verdict->findings[0].where,
			    "UDP port 5002 (namespace cookie/1): 100 % of its packets come late to "
			    "its queue, p99 4.19ms");
	assert_string_equal(verdict->findings[0].cause,
			    "No part of their way through the stack is late alone: the CPU's "
			    "backlog 900us, netfilter's PREROUTING chains 900us, netfilter's INPUT "
			    "chains 900us on average.");
}

/* Each of these was late elsewhere, or many were, or by much. */
static void test_few_that_are_late_on_a_quick_way_are_so_by_chance(void **state)
{
	static const struct {
		unsigned int late;
		uint64_t late_ns;
		unsigned int expected;
	} cases[] = {
		{ 6, 2700 * NS_PER_US, 0 },
		{ 40, 2700 * NS_PER_US, 1 },
		{ 6, 50 * NS_PER_MS, 1 },
	};

	(void)state;
	end(NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(NULL);
		add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 1), 0, 0, 320);
		add(FROM_STAMP, HOOK_udp_socket_enqueued, KEY_OF(.netns = 1, .port = 5002),
		    cases[i].late, cases[i].late_ns, 320 - cases[i].late);
		judge();
		explain();
		assert_int_equal(verdict->nr, cases[i].expected);
		end(NULL);
	}
	begin(NULL);
}

static void test_a_part_that_is_late_makes_all_of_the_way_late(void **state)
{
	(void)state;
	add_receive_path(9 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "netfilter-in");
}

/* Nor is one that is late elsewhere, or for less than that. */
static void test_other_parts_do_not(void **state)
{
	(void)state;
	add_receive_path(900 * NS_PER_US, 0);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 2), 100, 9 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.netns = 2, .cpu = 3), 100, 8 * NS_PER_MS, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.netns = 1, .port = 80, .pid = 1), 100,
	    7 * NS_PER_MS, 0);
	add(IPV4(netif_receive), HOOK_ip_rcv, KEY_OF(.netns = 1), 4, 5 * NS_PER_MS, 0);
	judge();
	assert_classes(5, "netfilter-in", "backlog", "socket-lock", "receive-path", "ingress");
}

static void test_who_asks_for_neighbours_waits_in_queues(void **state)
{
	(void)state;
	add(IPV4(tx_neighbour), HOOK_egress, KEY_OF(.netns = 1), 9, 30 * NS_PER_MS, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 1, .ifindex = 4), 90, 20 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "qdisc");
	verdict_free(verdict);
	/* A queue explains nothing in another namespace, nor what takes longer. */
	groups[1].key.netns = 2;
	judge();
	assert_classes(2, "qdisc", "neighbour");
	end(NULL);
	begin(NULL);
	add(IPV4(tx_neighbour), HOOK_egress, KEY_OF(.netns = 1), 9, 90 * NS_PER_MS, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 1, .ifindex = 4), 90, 20 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "qdisc", "neighbour");
}

/* A packet that goes past it is counted on its way from IP to the device, and no more behind. */
static void test_a_share_of_all_waits_for_neighbours(void **state)
{
	(void)state;
	add(IPV4(tx_neighbour), HOOK_egress, KEY_OF(.netns = 1), 9, 20 * NS_PER_MS, 0);
	add(IPV4(tx_ip), HOOK_egress, KEY_OF(.netns = 1), 0, 0, 91);
	add(IPV4(egress), HOOK_tx_queue, KEY_OF(.netns = 1, .ifindex = 2), 0, 0, 100);
	judge();
	assert_classes(1, "neighbour");
	assert_string_equal(verdict->findings[0].where,
			    "namespace cookie/1: 9 % of what it sends waits for the address of its "
			    "next hop, p99 33.6ms");
}

static void test_what_waits_for_nobody_is_not_late_at_all(void **state)
{
	(void)state;
	add(IPV4(tx_ip), HOOK_egress, KEY_OF(.netns = 1), 0, 0, 91);
	judge();
	assert_classes(0);
	assert_int_equal(verdict->looked_at[CLASS_neighbour].count, 91);
	assert_int_equal(verdict->looked_at[CLASS_neighbour].latest_ns, 0);
}

/* It is late together, as all others of its parts are. */
static void test_a_part_that_is_late_now_and_then_is_told_with_the_way(void **state)
{
	(void)state;
	add_receive_path(900 * NS_PER_US, 0);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 1, .cpu = 1), 12, 2500 * NS_PER_US,
	    0);
	judge();
	assert_classes(1, "receive-path");
	verdict_free(verdict);
	/* One that is later than the way. */
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 1, .cpu = 2), 3, 9 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "receive-path", "netfilter-in");
}

/* So many seconds of ten, of which the last was this one. */
static void be_late_in(struct finding *finding, unsigned int late, unsigned int last)
{
	finding->seconds = (struct late_seconds_entry){
		.late = late,
		.active = 10,
		.last_late = last,
	};
}

/* How many seconds one of two services was late in, and the last one; the other was in the fourth.
 */
static void assert_one_second(unsigned int late, unsigned int last, bool expected)
{
	begin(NULL);
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add_reader(KEY_OF(.port = 5003, .pid = 412), 100, 100 * NS_PER_MS, 0);
	judge();
	be_late_in(&verdict->findings[0], late, last);
	be_late_in(&verdict->findings[1], 1, 3);
	assert_classes(2, "reader-asleep", "reader-asleep");
	assert_int_equal(verdict->is_one_second, expected);
	end(NULL);
}

static void test_what_stops_the_machine_is_told_from_what_stops_a_task(void **state)
{
	(void)state;
	end(NULL);
	assert_one_second(1, 3, true);
	assert_one_second(1, 4, false);
	assert_one_second(2, 3, false);
	begin(NULL);
	/* One is no proof. */
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	judge();
	be_late_in(&verdict->findings[0], 1, 3);
	assert_classes(1, "reader-asleep");
	assert_false(verdict->is_one_second);
	assert_string_equal(verdict->findings[0].where,
			    "task411 (pid 411, UDP port 5002): 100 % of its packets wait for the "
			    "reader, p99 268ms, all in one second");
}

static void assert_is_found(uint64_t ms, uint64_t nr, unsigned int late, bool expected)
{
	begin(NULL);
	add_reader(KEY_OF(FIRST_SERVICE), nr, ms * NS_PER_MS, 100);
	judge();
	assert_int_equal(verdict->nr, 1);
	be_late_in(&verdict->findings[0], late, 3);
	explain();
	assert_int_equal(verdict->nr, expected);
	end(NULL);
}

/* The threshold is a millisecond. */
static void test_a_second_is_chance_unless_it_is_bad(void **state)
{
	(void)state;
	end(NULL);
	assert_is_found(9, 100, 1, false);
	assert_is_found(9, 100, 2, true);
	assert_is_found(40, 3, 1, true);
	begin(NULL);
	/* Nobody knows how late what is lost is. */
	add(STAGE_FROM(HOOK_tcp_start, 0), HOOK_tcp_do_rcv,
	    KEY_OF(.port = 80, .sequence = SEQUENCE_BEHIND_GAP), 0, 0, 99);
	judge();
	be_late_in(&verdict->findings[0], 1, 3);
	assert_classes(1, "loss");
}

/* What has no class, and what found no room among the groups, is passed over. */
static void test_what_has_no_place_is_left_out(void **state)
{
	(void)state;
	add(IPV4(tcp_do_rcv), HOOK_tcp_socket_enqueued, KEY_OF(.port = 80), 99, NS_PER_S, 0);
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	groups[1].is_other = true;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 20 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_udp_socket_read, KEY_OF(.port = 80), 99, NS_PER_S, 0);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 20 * NS_PER_MS, 0);
	groups[4].is_other = true;
	add(STAGE_FROM(HOOK_tcp_start, 0), HOOK_tcp_do_rcv,
	    KEY_OF(.port = 80, .sequence = SEQUENCE_BEHIND_GAP), 0, 0, 99);
	groups[5].is_other = true;
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 81, .pid = 1), 100, 3 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "qdisc", "accept");
	assert_int_equal(verdict->nr_services + verdict->nr_clients, 0);
}

static void test_packets_of_all_ips_and_cpus_are_of_one_service(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE, .cpu = 0), 30, 200 * NS_PER_MS, 70);
	add_reader(KEY_OF(FIRST_SERVICE, .cpu = 1), 1, 200 * NS_PER_MS, 99);
	judge();
	assert_classes(1, "reader-asleep");
	assert_int_equal(verdict->findings[0].lateness.count, 200);
	assert_int_equal(verdict->findings[0].lateness.late, 31);
	assert_string_equal(verdict->findings[0].where,
			    "task411 (pid 411, UDP port 5002): 16 % of its packets wait for the "
			    "reader, p99 268ms");
	assert_string_equal(verdict->findings[0].next, "strace -f -T -p 411");
}

static void assert_reader(enum reader_part part, const struct host_facts *host,
			  const char *expected)
{
	begin(NULL);
	if (part < END_OF_PARTS)
		add_part(KEY_OF(FIRST_SERVICE), part, 100, 90 * NS_PER_MS);
	else
		add_reader(KEY_OF(FIRST_SERVICE), 100, 100 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host = *host;
	assert_classes(1, expected);
	end(NULL);
}

static void test_what_the_reader_did_tells_its_class(void **state)
{
	const struct host_facts nothing = { 0 };
	const struct host_facts stopped = { .state = 'T' }, frozen = { .is_frozen = true };
	const struct host_facts busy = { .running_ns = 9 * NS_PER_S };
	const struct host_facts waiting = { .ready_ns = 4 * NS_PER_S };
	const struct host_facts throttled = { .throttled = "/svc",
					      .cgroup_root = "/sys/fs/cgroup",
					      .throttled_ns = 5 * NS_PER_S,
					      .cpu_max = "20000 100000" };
	const struct host_facts hardly = { .throttled = "/svc",
					   .cgroup_root = "/sys/fs/cgroup",
					   .throttled_ns = NS_PER_MS };
	const struct host_facts now_and_then = { .throttled = "/svc",
						 .cgroup_root = "/sys/fs/cgroup",
						 .throttled_ns = NS_PER_S };
	const struct host_facts while_idle = { .throttled = "/svc",
					       .cgroup_root = "/sys/fs/cgroup",
					       .throttled_ns = NS_PER_S,
					       .nobody_ran = true };
	/* Of a watch of 10 s. */
	const struct host_facts half_busy = { .running_ns = 5 * NS_PER_S };
	const struct host_facts busier = { .running_ns = 5 * NS_PER_S + 1 };
	const struct host_facts quarter = { .ready_ns = 2500 * NS_PER_MS };
	const struct host_facts more = { .ready_ns = 2500 * NS_PER_MS + 1 };

	(void)state;
	end(NULL);
	assert_reader(PART_ASLEEP, &nothing, "reader-asleep");
	assert_reader(PART_READY, &nothing, "reader-no-cpu");
	assert_reader(PART_RUNNING, &nothing, "reader-busy");
	assert_reader(PART_ASLEEP, &stopped, "reader-stopped");
	assert_reader(PART_ASLEEP, &frozen, "reader-stopped");
	assert_reader(PART_READY, &throttled, "reader-throttled");
	assert_reader(PART_READY, &hardly, "reader-no-cpu");
	assert_reader(PART_ASLEEP, &throttled, "reader-asleep");
	assert_reader(END_OF_PARTS, &throttled, "reader-throttled");
	assert_reader(PART_READY, &now_and_then, "reader-no-cpu");
	assert_reader(PART_READY, &while_idle, "reader-throttled");
	assert_reader(END_OF_PARTS, &nothing, "reader-asleep");
	assert_reader(END_OF_PARTS, &busy, "reader-busy");
	assert_reader(END_OF_PARTS, &waiting, "reader-no-cpu");
	assert_reader(END_OF_PARTS, &half_busy, "reader-asleep");
	assert_reader(END_OF_PARTS, &busier, "reader-busy");
	assert_reader(END_OF_PARTS, &quarter, "reader-asleep");
	assert_reader(END_OF_PARTS, &more, "reader-no-cpu");
	begin(NULL);
}

/* When the watch ends, and its queue is not empty. */
static void test_what_the_reader_does_tells_what_unread_packets_wait_for(void **state)
{
	const struct host_facts runs = { .state = 'R', .running_ns = NS_PER_S };
	const struct host_facts is_ready = { .state = 'R', .ready_ns = NS_PER_S };
	const struct host_facts sleeps = { .state = 'S', .running_ns = NS_PER_S };
	const struct host_facts without_memory = { .waited_for_memory = true };

	(void)state;
	end(NULL);
	assert_reader(END_OF_PARTS, &runs, "reader-busy");
	assert_reader(END_OF_PARTS, &is_ready, "reader-no-cpu");
	assert_reader(END_OF_PARTS, &sleeps, "reader-asleep");
	assert_reader(PART_ASLEEP, &runs, "reader-asleep");
	assert_reader(PART_ASLEEP, &without_memory, "reader-memory");
	assert_reader(PART_RUNNING, &without_memory, "reader-busy");
	begin(NULL);
}

/* The kernel tells that it lacks memory; that a limit drove out a page which it needs is likely. */
static void test_what_a_limit_on_memory_did_is_inferred(void **state)
{
	const struct memory_limit limit = { .path = "/svc", .file = "memory.max", .bytes = "1" };

	(void)state;
	for (int is_known = 0; is_known < 2; is_known++) {
		end(NULL);
		begin(NULL);
		add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 90 * NS_PER_MS);
		judge();
		verdict->findings[0].host = (struct host_facts){ .waited_for_memory = is_known,
								 .memory_limit = &limit };
		assert_classes(1, "reader-memory");
		assert_int_equal(finding_is_inferred(&verdict->findings[0]), !is_known);
	}
}

/* Each packet whose parts are known is in all three, and not in the queue's own stage. */
static void test_parts_of_a_wait_are_one_packet(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 60);
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 40, 2 * NS_PER_US);
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 40, 50 * NS_PER_MS);
	add_part(KEY_OF(FIRST_SERVICE), PART_RUNNING, 40, 20 * NS_PER_MS);
	judge();
	assert_int_equal(verdict->nr_services, 1);
	assert_classes(1, "reader-no-cpu");
	assert_int_equal(verdict->findings[0].lateness.count, 100);
	assert_int_equal(verdict->findings[0].lateness.late, 40);
}

static void test_a_task_is_named_once(void **state)
{
	(void)state;
	/* Who takes 20 ms for each request reads the others late. */
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 20 * NS_PER_MS, 0);
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	/* Another one does not suffer from that. */
	add_reader(KEY_OF(.port = 5003, .pid = 412), 100, 30 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "reader-asleep", "application");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "pid"), "412");
}

/* Of one task, of which this and the reading of its queue take so long. */
static void assert_cause(enum hook hook, uint64_t ms, uint64_t reader_ms, const char *expected)
{
	begin(NULL);
	add(FROM_STAMP, hook, KEY_OF(FIRST_SERVICE), 100, ms * NS_PER_MS, 0);
	add(IPV4(tcp_socket_enqueued),
	    hook == HOOK_udp_send ? HOOK_udp_socket_read : HOOK_tcp_socket_read,
	    KEY_OF(FIRST_SERVICE), 100, reader_ms * NS_PER_MS, 0);
	judge();
	assert_classes(1, expected);
	end(NULL);
}

static void test_what_takes_longer_is_the_cause(void **state)
{
	(void)state;
	end(NULL);
	assert_cause(HOOK_udp_send, 2, 80, "application");
	assert_cause(HOOK_udp_send, 2, 81, "reader-asleep");
	assert_cause(HOOK_tcp_accept, 20, 40, "accept");
	assert_cause(HOOK_tcp_accept, 20, 41, "reader-asleep");
	begin(NULL);
}

/* Each connection is accepted, and read from, by a process of its own. */
static void test_who_accepts_late_makes_others_read_late(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 80, .pid = 411), 100, 20 * NS_PER_MS, 0);
	add(IPV4(tcp_socket_enqueued), HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 412), 100,
	    20 * NS_PER_MS, 0);
	add(IPV4(tcp_socket_enqueued), HOOK_tcp_socket_read, KEY_OF(.port = 81, .pid = 413), 100,
	    15 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "accept", "reader-asleep");
	assert_string_equal(facts_text(&verdict->findings[1].facts, "pid"), "413");
}

/* As each is late in other seconds. */
static void test_what_is_late_at_another_time_is_no_cause(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 30 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 20 * NS_PER_MS, 0);
	judge();
	for (size_t i = 0; i < verdict->nr; i++)
		verdict->findings[i].seconds.late_in =
			verdict->findings[i].class == CLASS_application ? 1 << 2 : 1 << 4;
	assert_classes(2, "reader-asleep", "application");
	verdict_free(verdict);
	judge();
	for (size_t i = 0; i < verdict->nr; i++)
		verdict->findings[i].seconds.late_in = 1 << i;
	assert_classes(1, "application");
}

/* Whoever cannot run has one reason for it, at all of his ports. */
static void test_two_services_of_a_process_may_both_be_bad(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 30 * NS_PER_MS, 0);
	add_reader(KEY_OF(.port = 5003, .pid = 411), 100, 400 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 80, .pid = 411), 100, 20 * NS_PER_MS, 0);
	judge();
	assert_classes(3, "reader-asleep", "reader-asleep", "application");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "port"), "5003");
	verdict_free(verdict);
	judge();
	for (size_t i = 0; i < verdict->nr; i++)
		verdict->findings[i].host.state = 'T';
	assert_classes(1, "reader-stopped");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "port"), "5003");
}

static void swap(struct finding *a, struct finding *b)
{
	struct finding tmp = *a;

	*a = *b;
	*b = tmp;
}

/* What people read of the findings, the permutation of this number of them first. */
static char *text_of_permutation(unsigned int number)
{
	char *text;

	judge();
	for (size_t i = verdict->nr; i > 1; number /= i--)
		swap(&verdict->findings[i - 1], &verdict->findings[number % i]);
	explain();
	text = PRINTED(verdict_print_text, verdict);
	verdict_free(verdict);
	verdict = NULL;
	return text;
}

static void test_causes_do_not_depend_on_an_order(void **state)
{
	char *first, *other;

	(void)state;
	/* Rules explain one backlog, and that another, and that a reader, and that its lateness. */
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.ifindex = 2, .cpu = 1), 100, 20 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.ifindex = 2, .cpu = 2), 90, 20 * NS_PER_MS, 0);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.ifindex = 2, .cpu = 1), 100, 3 * NS_PER_MS,
	    0);
	add_part(KEY_OF(FIRST_SERVICE, .cpu = 1), PART_READY, 50, 10 * NS_PER_MS);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 40, 20 * NS_PER_MS, 0);
	add_part(KEY_OF(.port = 5003, .pid = 412), PART_ASLEEP, 50, 10 * NS_PER_MS);
	first = text_of_permutation(0);
	for (unsigned int i = 1; i < 2 * 3 * 4 * 5 * 6; i++) {
		other = text_of_permutation(i);
		assert_string_equal(other, first);
		free(other);
	}
	assert_non_null(strstr(first, "Three things are late"));
	free(first);
}

static unsigned int chance(unsigned int *state, unsigned int nr)
{
	*state = *state * 1103515245 + 12345;
	return (*state >> 16) % nr;
}

/* Late in one of all ways, on one of two CPUs, at one of two ports, by one of two tasks. */
static void add_any(unsigned int *state)
{
	static const struct {
		__u8 from;
		enum hook to;
	} late_at[] = {
		{ FROM_STAMP, HOOK_netif_receive },
		{ IPV4(netif_receive), HOOK_ip_rcv },
		{ IPV4(ip_deliver), HOOK_udp_start },
		{ IPV4(tcp_start), HOOK_tcp_do_rcv },
		{ IPV4(udp_start), HOOK_udp_socket_enqueued },
		{ STAGE_FROM(PART_ASLEEP, 0), HOOK_tcp_socket_read },
		{ STAGE_FROM(PART_READY, 0), HOOK_tcp_socket_read },
		{ STAGE_FROM(PART_RUNNING, 0), HOOK_tcp_socket_read },
		{ FROM_STAMP, HOOK_tcp_accept },
		{ FROM_STAMP, HOOK_tcp_send },
		{ FROM_STAMP, HOOK_tcp_socket_enqueued },
		{ FROM_STAMP, HOOK_udp_socket_enqueued },
		{ FROM_STAMP, HOOK_softirq_net_rx },
	};
	unsigned int which = chance(state, sizeof(late_at) / sizeof(*late_at));
	const struct group_key key = KEY_OF(.port = 80 + chance(state, 2), .pid = chance(state, 3),
					    .cpu = chance(state, 2));

	add(late_at[which].from, late_at[which].to, key, 3 + chance(state, 50),
	    (2ULL << chance(state, 8)) * NS_PER_MS, 0);
}

/* Where allocations are watched, each takes a hundred times as long. */
#ifdef __SANITIZE_ADDRESS__
#define NR_ROUNDS 100
#else
#define NR_ROUNDS 20000
#endif

static void test_there_is_no_circle_of_causes(void **state)
{
	unsigned int seed = 1;

	(void)state;
	end(NULL);
	for (unsigned int round = 0; round < NR_ROUNDS; round++) {
		begin(NULL);
		for (unsigned int i = 0; i < 3 + round % 4; i++)
			add_any(&seed);
		judge();
		explain();
		assert_true(verdict->nr > 0);
		end(NULL);
	}
	begin(NULL);
}

static void test_who_gets_no_cpu_takes_long_for_all_else(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 80 * NS_PER_MS, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 19 * NS_PER_MS);
	judge();
	assert_classes(1, "reader-no-cpu");
}

static void test_the_host_tells_in_what_and_for_whom_it_waited(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add_part(KEY_OF(.port = 5003, .pid = 412), PART_READY, 100, 90 * NS_PER_MS);
	judge();
	assert_classes(2, "reader-asleep", "reader-no-cpu");
	assert_string_equal(verdict->findings[1].cause,
			    "task412 was ready to run, and got no CPU: who had it is not known.");
	verdict_free(verdict);
	judge();
	strcpy(verdict->findings[0].host.asleep_in, "futex");
	strcpy(verdict->findings[1].host.other_comm, "hog");
	verdict->findings[1].host.other_pid = 7;
	verdict->findings[1].host.other_ran_ns = 98 * NS_PER_MS;
	assert_classes(2, "reader-asleep", "reader-no-cpu");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 slept in futex while packets were in its queue.");
	assert_string_equal(
		verdict->findings[1].cause,
		"task412 was ready to run, and got no CPU: hog (pid 7) ran instead, once for "
		"98ms without a break.");
	assert_string_equal(facts_text(&verdict->findings[1].facts, "other_comm"), "hog");
	assert_string_equal(facts_text(&verdict->findings[1].facts, "other_pid"), "7");
}

/* An idle CPU has no culprit, but for what is above this host's view. */
static void test_nobody_is_accused_of_having_run(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	judge();
	verdict->findings[0].host.nobody_ran = true;
	verdict->findings[0].host.state = 'R';
	assert_classes(1, "reader-no-cpu");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 was ready to run, and got no CPU: no task ran instead; "
			    "softirqs, a limit of a cgroup above or the hypervisor may have kept "
			    "it.");
	end(NULL);
	begin(NULL);

	/* Where /proc hides it, nobody has looked at its own. */
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	judge();
	verdict->findings[0].host.nobody_ran = true;
	assert_classes(1, "reader-no-cpu");
	assert_non_null(strstr(verdict->findings[0].cause, "a limit of its cgroup or"));
}

static void assert_rules(const struct host_facts *host, const char *cause, const char *next)
{
	begin(NULL);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 0), 100, 8 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host = *host;
	assert_classes(1, "netfilter-in");
	assert_string_equal(verdict->findings[0].cause, cause);
	assert_string_equal(verdict->findings[0].next, next);
	end(NULL);
}

static void test_no_rules_are_said_and_those_of_old(void **state)
{
	const struct host_facts nothing = { 0 }, none = { .rules_by = "nft" };
	const struct host_facts legacy = { .rules_by = "nft", .has_legacy_rules = true };
	const struct host_facts both = { .rules_by = "nft",
					 .nr_rules = 9,
					 .has_legacy_rules = true };

	(void)state;
	end(NULL);
#define WHAT_LIES_THERE "What lies there takes that long: netfilter's INPUT chains"
	assert_rules(&nothing, WHAT_LIES_THERE ".", "nft list ruleset");
	assert_rules(&none,
		     WHAT_LIES_THERE "; as the namespace has no rules of nft, it is something "
				     "else there, or what interrupts it.",
		     "nft list ruleset");
	assert_rules(&legacy,
		     WHAT_LIES_THERE
		     "; the namespace has no rules of nft, but some of iptables-legacy.",
		     "nft list ruleset; iptables-legacy-save");
	assert_rules(&both,
		     WHAT_LIES_THERE "; the namespace has 9 rules, of nft, and more, of "
				     "iptables-legacy.",
		     "nft list ruleset; iptables-legacy-save");
	begin(NULL);
}

/* Half of those that are late, or more. */
static void test_who_decides_on_packets_for_netfilter_is_named(void **state)
{
	char *text;

	(void)state;
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 2), 100, 8 * NS_PER_MS, 0);
	add(IPV4(tx_ip), HOOK_tx_queue, KEY_OF(.netns = 2), 50, 8 * NS_PER_MS, 0);
	add(IPV4(tx_ip), HOOK_tx_queue, KEY_OF(.netns = 3), 100, 8 * NS_PER_MS, 0);
	judge();
	for (size_t i = 0; i < verdict->nr; i++)
		verdict->findings[i].host.queued_packets =
			verdict->findings[i].place.netns == 2 ? 50 : 49;
	assert_classes(2, "netfilter-out", "userspace-filter");
	assert_string_equal(verdict->findings[1].cause,
			    "Netfilter asks a process about each of these packets (NFQUEUE 0), "
			    "which takes that long to answer.");
	text = PRINTED(verdict_print_text, verdict);
	assert_null(strstr(text, "netfilter-in"));
	free(text);
}

static void test_the_host_tells_of_limits_and_queues(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 20 * NS_PER_MS, 0);
	add(IPV4(tx_ip), HOOK_tx_queue, KEY_OF(.netns = 2), 100, 8 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host = (struct host_facts){ .throttled = "/svc",
							 .cgroup_root = "/sys/fs/cgroup",
							 .throttled_ns = 5 * NS_PER_S,
							 .cpu_max = "20000 100000" };
	strcpy(verdict->findings[1].host.qdisc_kind, "tbf");
	verdict->findings[2].host = (struct host_facts){ .nr_rules = 9, .rules_by = "nft" };
	assert_classes(3, "reader-throttled", "qdisc", "netfilter-out");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 was ready to run, and its cgroup /svc may use no more CPU "
			    "(20000 100000): throttled for 5s.");
	assert_string_equal(verdict->findings[0].next,
			    "cat /sys/fs/cgroup/svc/cpu.max /sys/fs/cgroup/svc/cpu.stat");
	assert_string_equal(
		verdict->findings[1].cause,
		"It waits in the queue of the device, whose qdisc is tbf, which lets no more through than its rate.");
	assert_string_equal(facts_text(&verdict->findings[1].facts, "kind"), "tbf");
	assert_string_equal(facts_text(&verdict->findings[2].facts, "rules"), "9");
	assert_string_equal(facts_text(&verdict->findings[2].facts, "rules_by"), "nft");
}

static void test_limits_of_version_1_are_in_another_file(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	judge();
	verdict->findings[0].host = (struct host_facts){ .throttled = "/svc",
							 .cgroup_root = "/sys/fs/cgroup/cpu",
							 .throttled_ns = 5 * NS_PER_S,
							 .limit_is_v1 = true };
	assert_classes(1, "reader-throttled");
	assert_string_equal(
		verdict->findings[0].next,
		"cat /sys/fs/cgroup/cpu/svc/cpu.cfs_quota_us /sys/fs/cgroup/cpu/svc/cpu.stat");
}

/* The words of each command in a command, as a shell makes them of it; nothing runs. */
static void expand(const char *command, char words[SHELL_OUTPUT_SIZE])
{
	static const char *const commands[] = { "cat",	   "ethtool", "find",  "grep", "ip",
						"nsenter", "nstat",   "perf",  "ss",   "strace",
						"tc",	   "sysctl",  "mpstat" };
	char *script = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(out, "%s() { printf '<%%s>' %s \"$@\"; }\n", commands[i], commands[i]);
	fprintf(out, "%s\n", command);
	fclose(out);
	run_in_shell("sh", script, words);
	free(script);
}

static const char *const hostile[] = {
	"$(touch owned)", "`reboot`", "a b", "'; reboot; '", "\"x\"", "*",     "a|b&c>d",
	"~root",	  "!x",	      "#",   "-n",	     "\\",    "$HOME", "{a,b}",
};
#define NR_HOSTILE (sizeof(hostile) / sizeof(*hostile))

static void assert_words(const char *command, const char *format, const char *name)
{
	static char words[SHELL_OUTPUT_SIZE];
	char expected[4096];

	snprintf(expected, sizeof(expected), format, name, name);
	expand(command, words);
	assert_string_equal(words, expected);
}

static void test_commands_have_hostile_names_as_words(void **state)
{
	static char words[SHELL_OUTPUT_SIZE];

	(void)state;
	end(NULL);
	for (size_t i = 0; i < NR_HOSTILE; i++) {
		char path[64];

		begin(NULL);
		add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
		add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 20 * NS_PER_MS, 0);
		judge();
		snprintf(path, sizeof(path), "/x/%s", hostile[i]);
		verdict->findings[0].host = (struct host_facts){ .throttled = path,
								 .throttled_ns = 5 * NS_PER_S,
								 .cgroup_root = "/mnt" };
		facts_set(&verdict->findings[1].facts, "interface", hostile[i]);
		facts_set(&verdict->findings[1].facts, "netns", hostile[i]);
		assert_classes(2, "reader-throttled", "qdisc");
		assert_words(verdict->findings[0].next,
			     "<cat></mnt/x/%s/cpu.max></mnt/x/%s/cpu.stat>", hostile[i]);
		assert_words(verdict->findings[1].next,
			     "<ip><netns><exec><%s><tc><-s><qdisc><show><dev><%s>", hostile[i]);
		end(NULL);
	}
	/* Which of them a terminal acts on, none reaches it. */
	begin(NULL);
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 20 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host = (struct host_facts){ .throttled = "/\033[2J\xff",
							 .throttled_id = 4711,
							 .throttled_ns = 5 * NS_PER_S,
							 .cgroup_root = "/a b" };
	facts_set(&verdict->findings[1].facts, "interface", "eth\\x1b");
	assert_classes(2, "reader-throttled", "qdisc");
	assert_string_equal(verdict->findings[0].next, "cat \"$(find '/a b' -inum 4711)\"/cpu.max "
						       "\"$(find '/a b' -inum 4711)\"/cpu.stat");
	expand(verdict->findings[0].next, words);
	assert_string_equal(words, "<cat><<find></a b><-inum><4711>/cpu.max>"
				   "<<find></a b><-inum><4711>/cpu.stat>");
	assert_string_equal(verdict->findings[1].next, "tc -s qdisc show dev if4");
	/* Nor is there a name where nobody may look for it. */
	facts_set(&verdict->findings[1].facts, "interface", "index/4");
	explain();
	assert_string_equal(verdict->findings[1].next, "tc -s qdisc show dev if4");
	assert_non_null(strstr(verdict->findings[0].cause, "cgroup /\\x1b[2J\\xff may"));
}

static void test_sentences_have_printable_names_only(void **state)
{
	const struct host_facts host = { .ready_ns = 4 * NS_PER_S,
					 .other_pid = 7,
					 .other_comm = "\033]0;pwn\a\xff" };

	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	judge();
	verdict->findings[0].host = host;
	assert_classes(1, "reader-no-cpu");
	assert_non_null(strstr(verdict->findings[0].cause, ": \\x1b]0;pwn\\x07\\xff (pid 7) ran"));
	assert_string_equal(facts_text(&verdict->findings[0].facts, "other_comm"),
			    "\\x1b]0;pwn\\x07\\xff");
}

/* A service there, and how it is called and asked. */
static void assert_netns(const char *netns, const char *cgroup, const char *where, const char *next)
{
	char expected[200];

	begin(NULL);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 81, .pid = 411), 100, 3 * NS_PER_MS, 0);
	judge();
	facts_set(&verdict->findings[0].facts, "netns", netns);
	facts_set(&verdict->findings[0].facts, "cgroup", cgroup);
	assert_classes(1, "accept");
	snprintf(expected, sizeof(expected), "task411 (pid 411, TCP port 81%s): ", where);
	assert_memory_equal(verdict->findings[0].where, expected, strlen(expected));
	snprintf(expected, sizeof(expected), "%sss -ltnp 'sport = :81'", next);
	assert_string_equal(verdict->findings[0].next, expected);
	end(NULL);
}

static void test_commands_run_where_it_is_late(void **state)
{
	(void)state;
	end(NULL);
	assert_netns("", "/", "", "");
	assert_netns("inode/4026531840", "/svc", ", cgroup /svc", "");
	assert_netns("inode/4026531841", "", ", namespace inode/4026531841", "nsenter -n -t 411 ");
	assert_netns("web", "/svc", ", cgroup /svc, namespace web", "ip netns exec web ");
	begin(NULL);
}

/* How a namespace is entered that has no name, nor a process that anything is known of. */
static void assert_path(const char *path, const char *expected)
{
	begin(NULL);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.netns = 1), 100, 9 * NS_PER_MS, 0);
	judge();
	strcpy(verdict->findings[0].host.netns_path, path);
	assert_classes(1, "netfilter-in");
	assert_string_equal(verdict->findings[0].next, expected);
	end(NULL);
}

static void test_commands_enter_a_namespace_without_a_name(void **state)
{
	(void)state;
	end(NULL);
	assert_path("/proc/77/ns/net", "nsenter --net=/proc/77/ns/net nft list ruleset");
	assert_path("/run/docker/netns/$(x)",
		    "nsenter --net='/run/docker/netns/$(x)' nft list ruleset");
	/* In no other, where nobody knows how to enter it. */
	assert_path("/run/docker/netns/\033x", "# in namespace cookie/1: nft list ruleset");
	begin(NULL);
}

static void test_the_worst_comes_first(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 30 * NS_PER_MS, 0);
	add_reader(KEY_OF(.port = 5003, .pid = 412), 100, 40 * NS_PER_MS, 0);
	add_reader(KEY_OF(.port = 5004, .pid = 413), 100, 20 * NS_PER_MS, 0);
	drops[0] = (struct report_drop){ .from = HOOK_ip_rcv, .name = "IP_CSUM", .count = 3 };
	drops[1] = (struct report_drop){ .from = HOOK_ip_rcv, .name = "NO_SOCKET", .count = 4 };
	report.nr_drops = 2;
	judge();
	assert_classes(5, "drop", "drop", "reader-asleep", "reader-asleep", "reader-asleep");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "reason"), "NO_SOCKET");
	assert_string_equal(facts_text(&verdict->findings[2].facts, "pid"), "412");
	assert_string_equal(facts_text(&verdict->findings[3].facts, "pid"), "411");
	assert_string_equal(facts_text(&verdict->findings[4].facts, "pid"), "413");
}

static void test_who_was_stopped_for_a_while_did_not_sleep(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 200 * NS_PER_MS);
	add_part(KEY_OF(.port = 5003, .pid = 412), PART_ASLEEP, 90, 200 * NS_PER_MS);
	add_part(KEY_OF(.port = 5004, .pid = 413), PART_ASLEEP, 80, 200 * NS_PER_MS);
	judge();
	verdict->findings[0].host.was_stopped = true;
	verdict->findings[1].host.was_stopped = verdict->findings[1].host.was_frozen = true;
	verdict->findings[2].host.waited_for_io = true;
	strcpy(verdict->findings[2].host.asleep_in, "fsync");
	assert_classes(3, "reader-stopped", "reader-stopped", "reader-asleep");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 was stopped, by a signal or a debugger.");
	assert_string_equal(verdict->findings[1].cause,
			    "task412 was stopped, by its cgroup's freezer.");
	assert_string_equal(
		verdict->findings[2].cause,
		"task413 slept, for a disk or the like, in fsync while packets were in its queue.");
}

static void test_who_was_frozen_may_have_been_suspended(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 200 * NS_PER_MS);
	judge();
	verdict->findings[0].host.was_stopped = verdict->findings[0].host.was_suspended = true;
	assert_classes(1, "reader-stopped");
	assert_string_equal(
		verdict->findings[0].cause,
		"task411 was stopped, by its cgroup's freezer, or in a suspend of the system.");
}

static void test_an_application_may_wait_for_others(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 80 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(.port = 5003, .pid = 412), 100, 40 * NS_PER_MS, 0);
	judge();
	strcpy(verdict->findings[0].host.asleep_in, "epoll_wait");
	verdict->findings[0].host.waited_for_sockets = true;
	strcpy(verdict->findings[1].host.asleep_in, "fsync");
	verdict->findings[1].host.waited_for_io = true;
	assert_classes(1, "application");
	assert_string_equal(verdict->findings[0].cause,
			    "task412 takes that long from reading to writing: it slept, for a "
			    "disk or the like, in fsync.");
}

static void test_an_application_may_be_stopped(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 80 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host.was_stopped = true;
	assert_classes(1, "application");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 takes that long from reading to writing: it was stopped, by a "
			    "signal or a debugger.");
}

/* A limit that held up others is no reason. */
static void test_who_runs_is_not_throttled(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 80 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host.mostly = RUNNING;
	verdict->findings[0].host.throttled = "/cart";
	verdict->findings[0].host.throttled_ns = 5 * NS_PER_S;
	verdict->findings[0].host.cgroup_root = "/sys/fs/cgroup";
	strcpy(verdict->findings[0].host.cpu_max, "20000 100000");
	assert_classes(1, "application");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 takes that long from reading to writing: it was running most "
			    "of that time.");
}

/* Its name may look like one of our facts. */
static void test_an_application_may_get_no_cpu(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 80 * NS_PER_MS, 0);
	judge();
	verdict->findings[0].host.mostly = READY;
	verdict->findings[0].host.other_pid = 7;
	verdict->findings[0].host.other_ran_ns = NS_PER_MS;
	strcpy(verdict->findings[0].host.other_comm, "{service}\033");
	assert_classes(1, "application");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 takes that long from reading to writing: it was ready to run, "
			    "and got no CPU: {service}\\x1b (pid 7) ran instead, once for 1ms "
			    "without a break.");
}

/* A task that waits for a CPU for a moment does not sleep a hundred times as long for that. */
static void test_a_short_wait_explains_no_long_sleep(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 3 * NS_PER_MS);
	add_part(KEY_OF(.port = 5003, .pid = 411), PART_ASLEEP, 100, 300 * NS_PER_MS);
	judge();
	assert_classes(2, "reader-asleep", "reader-no-cpu");
}

static void test_a_wait_explains_a_sleep_of_its_size(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 30 * NS_PER_MS);
	add_part(KEY_OF(.port = 5003, .pid = 411), PART_ASLEEP, 100, 300 * NS_PER_MS);
	judge();
	assert_classes(1, "reader-no-cpu");
}

/* A service sent 20 times late behind a read, and so many of these were no answers. */
static void test_who_sends_unasked_is_not_late(void **state)
{
	(void)state;
	for (uint32_t unasked = 0; unasked <= 20; unasked++) {
		end(NULL);
		begin(NULL);
		add(FROM_STAMP, HOOK_tcp_send, KEY_OF(FIRST_SERVICE), 20, 200 * NS_PER_MS, 0);
		judge();
		verdict->findings[0].host.nr_unasked = unasked;
		explain();
		assert_int_equal(verdict->nr, 20 - unasked >= MIN_LATE);
	}
}

/* The reader is told where no other task is known, and its cgroup where another one is. */
static void test_the_reader_tells_the_cgroup(void **state)
{
	(void)state;
	add(IPV4(tcp_socket_enqueued), HOOK_tcp_socket_read,
	    KEY_OF(.port = 80, .pid = 411, .cgroup = 5), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 80, .pid = 412), 20, 200 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_RWND), 20,
	    100 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "application", "send-wait");
	assert_int_equal(verdict->findings[0].pid, 412);
	assert_int_equal(verdict->findings[0].cgroup, 5);
	assert_int_equal(verdict->findings[1].pid, 411);
	assert_int_equal(verdict->findings[1].cgroup, 5);
}

/* While it waits for another host, its packets wait for it, in this one. */
static void test_who_waits_for_others_may_read_late(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 200 * NS_PER_MS);
	judge();
	for (size_t i = 0; i < verdict->nr; i++) {
		strcpy(verdict->findings[i].host.asleep_in, "recvfrom");
		verdict->findings[i].host.waited_for_sockets = true;
	}
	assert_classes(1, "reader-asleep");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 slept in recvfrom while packets were in its queue.");
}

static void test_clients_may_think(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 40000, .pid = 7), 100, NS_PER_S, 0);
	/* The programs make 0 of such a port. */
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 0, .pid = 7), 100, NS_PER_S, 0);
	judge();
	assert_classes(0);
}

/* Who listens is known, whatever the port is; others there are clients. */
static void test_services_may_have_any_port(void **state)
{
	const struct service_port seen[] = {
		{ .port = 50053, .protocol = IPPROTO_TCP },
		{ .port = 50051, .protocol = IPPROTO_TCP },
		{ .port = 50052, .protocol = IPPROTO_UDP },
		{ .port = 50051, .protocol = IPPROTO_TCP },
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(service_ports_add(&ports, &seen[i]), 0);
	assert_int_equal(ports.nr, 3);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 50051, .pid = 7), 100, NS_PER_S, 0);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 50052, .pid = 8), 100, NS_PER_S, 0);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 50051, .netns = 1, .pid = 9), 100, NS_PER_S,
	    0);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 61000, .pid = 10), 100, NS_PER_MS, 0);
	judge();
	assert_classes(1, "application");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "pid"), "7");
	verdict_free(verdict);
	/* Where the kernel takes all ports for clients. */
	ports.first_of_clients = 1024;
	groups[1].key.port = 5002;
	judge();
	assert_classes(1, "application");
}

#define ETH(index) .ifindex = index, .netns = 1

static void add_backlog(uint16_t cpu, uint64_t late_packets, uint64_t ms)
{
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(ETH(2), .cpu = cpu), late_packets,
	    ms * NS_PER_MS, 50);
}

static void test_a_backlog_is_the_fault_of_the_busiest(void **state)
{
	(void)state;
	add_backlog(1, 50, 20);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(2), .cpu = 1), 0, 0, 100);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 0, 0, 90000);
	/* It is late elsewhere, or while others may run. */
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(4), .cpu = 2), 0, 0, 999999);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(ETH(5), .cpu = 1), 0, 0, 999999);
	setup.plan.group_by |= 1U << KEY_INTERFACE | 1U << KEY_NETNS;
	judge();
	assert_classes(1, "backlog");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "interface"), "index/3");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "cpu"), "1");
	assert_string_equal(verdict->findings[0].cause,
			    "They wait in its backlog, behind packets of index/3 in namespace "
			    "cookie/1, which took 90ms of its time.");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "work_ns"), "90000000");
}

/* Nobody waits for 20 ms behind what takes 9 ms in all. */
static void test_what_takes_no_time_makes_nobody_wait(void **state)
{
	(void)state;
	add_backlog(1, 50, 20);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 0, 0, 9000);
	judge();
	assert_classes(1, "backlog");
	assert_string_equal(verdict->findings[0].cause,
			    "They wait in its backlog; what takes its time meanwhile is none of "
			    "the stages that are measured.");
}

static void add_softirq(uint16_t cpu, uint64_t late_times, uint64_t ms)
{
	add(FROM_STAMP, HOOK_softirq_net_rx, KEY_OF(.cpu = cpu), late_times, ms * NS_PER_MS, 50);
}

static void test_a_backlog_waits_for_a_cpu_that_is_late_to_receive(void **state)
{
	(void)state;
	add_softirq(1, 20, 20);
	add_backlog(1, 90, 15);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 0, 0, 900);
	judge();
	assert_classes(1, "softirq");
	assert_string_equal(verdict->findings[0].where,
			    "CPU 1 is late to receive: 29 % of the times that it is told to, "
			    "p99 33.6ms");
	assert_string_equal(verdict->findings[0].cause,
			    "No task ran meanwhile: another softirq, interrupts or the "
			    "hypervisor had the CPU.");
	verdict_free(verdict);
	/* That of another CPU does not, nor what waits much longer. */
	add_backlog(2, 90, 15);
	judge();
	assert_classes(2, "backlog", "softirq");
	verdict_free(verdict);
	add_backlog(1, 9, 99);
	judge();
	assert_classes(3, "backlog", "backlog", "softirq");
}

static void test_a_cpu_that_works_begins_late_with_more(void **state)
{
	(void)state;
	/* For 6 s of ten. */
	add_softirq(1, 20, 20);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 0, 0, 6000000);
	setup.plan.group_by |= 1U << KEY_INTERFACE | 1U << KEY_NETNS;
	judge();
	assert_classes(1, "softirq");
	assert_string_equal(verdict->findings[0].cause,
			    "Packets of index/3 in namespace cookie/1 take most of its time.");
	verdict_free(verdict);
	add_backlog(1, 90, 15);
	judge();
	assert_classes(1, "backlog");
}

/* It works longer than it is late, but for little of the watch. */
static void test_a_cpu_that_works_now_and_then_is_late_for_a_task(void **state)
{
	(void)state;
	add_softirq(1, 20, 20);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 0, 0, 900000);
	judge();
	assert_classes(1, "softirq");
	assert_false(verdict->findings[0].work.takes_cpu);
}

static void test_a_few_late_packets_explain_no_backlog_of_many(void **state)
{
	(void)state;
	add_backlog(1, 10000, 200);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 3, 2200 * NS_PER_US, 0);
	judge();
	assert_classes(2, "backlog", "netfilter-in");
	verdict_free(verdict);
	/* Nor do those of another CPU, however long they take. */
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 2), 9000, 2200 * NS_PER_US, 0);
	judge();
	assert_classes(2, "backlog", "netfilter-in");
}

static void test_rules_explain_a_backlog(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.ifindex = 2, .cpu = 1), 100, 20 * NS_PER_MS, 0);
	add(IPV4(ip_deliver), HOOK_udp_start, KEY_OF(.ifindex = 2, .cpu = 1), 100, 3 * NS_PER_MS,
	    0);
	judge();
	verdict->findings[1].host = (struct host_facts){ .nr_rules = 25000, .rules_by = "nft" };
	assert_classes(1, "netfilter-in");
	assert_string_equal(
		verdict->findings[0].cause,
		"What lies there takes that long: netfilter's INPUT chains; the namespace has "
		"25000 rules, of nft.");
}

static void test_what_bulk_queues_on_the_way_is_told(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_min_rtt, KEY_OF(.port = 80), 1, 45 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_rtt, KEY_OF(.port = 80), 1, 300 * NS_PER_MS, 0);
	report.queued = &spans[1];
	report.nr_groups = 1;
	report.nr_queued = 2;
	judge();
	assert_text("    TCP port 80: 100 packets, in 1us; peers 45ms away, 300ms for bulk\n");
	assert_int_equal(verdict->nr, 0);
}

/* Each socket has a group. */
static void test_what_is_not_answered_yet_is_told_of_who_answers(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 80), 0, 0, 90);
	for (uint64_t i = 0; i < 3; i++)
		add(STAGE_FROM(HOOK_tcp_socket_read, 0), HOOK_tcp_send,
		    KEY_OF(.port = 80, .pid = 7), 1, i * 2100 * NS_PER_MS, 0);
	report.queued = stages;
	report.nr_stages = 0;
	report.nr_queued = 3;
	judge();
	assert_text(
		"    TCP port 80: 90 answers, 2us each in this host: in 1us, application 1us; 2 "
		"not answered yet, for up to 4.2s, if they asked for anything\n");
	assert_int_equal(verdict->nr, 0);
	verdict_free(verdict);
	/* A service that answers nobody takes what others log. */
	report.nr_groups = 1;
	judge();
	assert_text("    TCP port 80: 100 packets, in 1us\n");
}

static void test_peers_that_are_far_are_no_finding(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	/* As its connections tell when the watch ends. */
	add(FROM_STAMP, HOOK_tcp_min_rtt, KEY_OF(.port = 80), 1, 45 * NS_PER_MS, 0);
	report.queued = &spans[1];
	report.nr_queued = report.nr_groups = 1;
	judge();
	assert_text("    TCP port 80: 100 packets, in 1us; peers 45ms away\n");
	assert_int_equal(verdict->nr, 0);
}

/* Whatever the verdict is. */
static void test_each_service_has_its_means(void **state)
{
	(void)state;
	setup.plan.group_by |= 1U << KEY_CGROUP;
	add(FROM_STAMP, HOOK_udp_socket_read, KEY_OF(FIRST_SERVICE), 10, 90 * NS_PER_MS, 90);
	add_reader(KEY_OF(FIRST_SERVICE), 10, 89 * NS_PER_MS, 90);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE, .cpu = 0), 30, 400 * NS_PER_US, 0);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE, .cpu = 1), 30, 600 * NS_PER_US, 0);
	add(IPV4(tx_ip), HOOK_tx_queue, KEY_OF(.port = 5002), 50, 20 * NS_PER_US, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.port = 5002), 50, 30 * NS_PER_US, 0);
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 200);
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 81, .pid = 7), 0, 0, 0);
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 40000, .pid = 7), 0, 0, 300);
	/* In the list of stages, too, as it is with the application's there. */
	stages[report.nr_stages++] = spans[1];
	judge();
	assert_text(
		"\nOn average:\n"
		"    TCP port 80: 200 packets, in 1us\n"
		"    task411 (pid 411, UDP port 5002): 60 answers, 9.55ms each in this host: in "
		"9ms, application 500us, out 50us\n"
		"\nLooked at, and fine: ");
}

/* A host may forward what a container is asked and answers, which is not counted. */
static void test_means_are_within_a_namespace(void **state)
{
	(void)state;
	setup.plan.group_by = 1U << KEY_NETNS | 1U << KEY_PORT;
	add_reader(KEY_OF(.netns = 7, .port = 53), 0, 0, 100);
	add(FROM_STAMP, HOOK_udp_socket_read, KEY_OF(.netns = 7, .port = 53), 0, 0, 100);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(.netns = 7, .port = 53), 50, 100 * NS_PER_US, 0);
	judge();
	assert_text("UDP port 53 (namespace cookie/7): 50 answers, 101us each in its namespace: ");
}

/* tx-queue and tx-start are of each device. */
static void test_devices_upon_devices_are_all_on_the_way_out(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 80, .pid = 7), 50, 100 * NS_PER_US, 0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80), 50, 10 * NS_PER_US, 0);
	add(IPV4(tx_ip), HOOK_tx_queue, KEY_OF(.port = 80, .ifindex = 5), 50, 20 * NS_PER_US, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.port = 80, .ifindex = 5), 50, 10 * NS_PER_US, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.port = 80, .ifindex = 2), 50, 30 * NS_PER_US, 0);
	judge();
	assert_text("50 answers, 171us each in this host: in 1us, application 100us, out 70us\n");
}

/* A packet in a tunnel is sent by IP twice: to the tunnel's device, and in another packet. */
static void test_a_packet_in_a_tunnel_is_one(void **state)
{
	struct interfaces tunnels = { 1, { { .ifindex = 5 } } };

	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 80, .pid = 7), 50, 100 * NS_PER_US, 0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80), 50, 10 * NS_PER_US, 0);
	add(IPV4(tx_ip), HOOK_egress, KEY_OF(.port = 80), 98, 10 * NS_PER_US, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.port = 80, .ifindex = 5), 50, 0, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.port = 80, .ifindex = 2), 48, 30 * NS_PER_US, 0);
	judge();
	assert_text("50 answers, 136us each in this host: in 1us, application 100us, out 34.7us\n");
	services_count_tunneled_once(&verdict->services, &report, &ports, &tunnels);
	assert_text("50 answers, 161us each in this host: in 1us, application 100us, out 60.4us\n");
	/* The encrypted ones were lost from sight. */
	verdict->unpaired[HOOK_egress] = (struct unpaired){ 50, 100 };
	assert_text("50 answers, 161us or more each in this host: in 1us, application 100us, out "
		    "60.4us or more\n");
	/* Another namespace has the device below. */
	verdict_free(verdict);
	judge();
	tunnels.list[1].ifindex = 2;
	tunnels.nr = 2;
	services_count_tunneled_once(&verdict->services, &report, &ports, &tunnels);
	assert_text("50 answers, 136us each in this host: in 1us, application 100us, out 34.7us\n");
}

static void test_an_answer_may_have_many_segments(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(.port = 80, .pid = 7), 50, 100 * NS_PER_US, 0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80), 160, 10 * NS_PER_MS, 0);
	judge();
	assert_text("50 answers of 3 segments each: in 1us, application 100us, out 10ms a "
		    "segment\n");
}

static void test_the_busiest_service_comes_first(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 80, .pid = 7), 0, 0, 100);
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 90, .pid = 7), 0, 0, 200);
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(.port = 70, .pid = 7), 0, 0, 100);
	judge();
	assert_text("\nOn average:\n"
		    "    TCP port 90: 200 packets, in 1us\n"
		    "    TCP port 70: 100 packets, in 1us\n"
		    "    TCP port 80: 100 packets, in 1us\n");
}

static void test_what_is_missed_comes_first(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	drops[0] = (struct report_drop){ .from = HOOK_udp_start, .name = "NO_SOCKET", .count = 4 };
	drops[1] = (struct report_drop){ .from = HOOK_ip_rcv, .name = "OTHERHOST", .count = 99 };
	drops[2] = (struct report_drop){ .from = HOOK_udp_start, .name = "UDP_CSUM", .count = 2 };
	drops[3] = (struct report_drop){ .from = HOOK_tcp_start, .name = "NO_SOCKET", .count = 3 };
	report.nr_drops = 4;
	judge();
	assert_classes(2, "drop", "reader-asleep");
	assert_int_equal(verdict->findings[0].lateness.count, 7);
	assert_string_equal(verdict->findings[0].where, "7 packets were dropped: NO_SOCKET");
}

/* Packets that were last seen at a hook. Groups have number 3 for the reason. */
static void add_drops(enum hook from, const char *reason, uint64_t count)
{
	assert_int_equal(reason_names_add(setup.reasons, 3, reason), 0);
	drops[0] = (struct report_drop){ .from = from, .name = reason, .count = count };
	report.nr_drops = 1;
}

static void assert_protocol_of_drops(enum hook from, const char *reason, uint8_t expected)
{
	begin(NULL);
	add_drops(from, reason, 9);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5001), 0, 0, 9);
	judge();
	assert_classes(1, "drop");
	assert_int_equal(verdict->findings[0].place.protocol, expected);
	end(NULL);
}

/* Before TCP and UDP, a reason may tell what was dropped. */
static void test_the_protocol_of_drops_is_told(void **state)
{
	(void)state;
	end(NULL);
	assert_protocol_of_drops(HOOK_tcp_start, "SOCKET_FILTER", IPPROTO_TCP);
	assert_protocol_of_drops(HOOK_ip_rcv, "TCP_RFC7323_PAWS", IPPROTO_TCP);
	assert_protocol_of_drops(NR_HOOKS, "UDP_CSUM", IPPROTO_UDP);
	assert_protocol_of_drops(HOOK_ip_rcv, "IP_CSUM", 0);
	begin(NULL);
}

static void test_the_port_of_most_drops_is_named(void **state)
{
	(void)state;
	add_drops(HOOK_udp_start, "TC_INGRESS", 7);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5002), 0, 0, 3);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5001), 0, 0, 4);
	assert_int_equal(reason_names_add(setup.reasons, 4, "OTHERHOST"), 0);
	add(0, HOOK_drop, KEY_OF(.reason = 4, .port = 5003), 0, 0, 90);
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where,
			    "7 packets were dropped, most of them at port 5001: TC_INGRESS");
	verdict_free(verdict);
	drops[0].count = 4;
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where,
			    "4 packets were dropped, at port 5001: TC_INGRESS");
	verdict_free(verdict);
	drops[0].count = 8;
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where, "8 packets were dropped: TC_INGRESS");
}

static void add_drops_at_port(void)
{
	add_drops(HOOK_tcp_start, DROP_NO_SOCKET, 9);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .ifindex = 2, .port = 5001), 0, 0, 9);
}

static void add_socket_of_service(uint64_t netns, bool is_bound, uint32_t pid)
{
	const struct service_port socket = {
		.netns = netns,
		.port = 5001,
		.protocol = IPPROTO_TCP,
		.is_bound = is_bound,
		.pid = pid,
		.comm = "sixteen_letters\a",
	};

	assert_int_equal(service_ports_add(&ports, &socket), 0);
}

static void assert_next_of_drops(const char *expected)
{
	judge();
	assert_classes(1, "drop");
	assert_non_null(strstr(verdict->findings[0].next, expected));
	verdict_free(verdict);
	verdict = NULL;
}

static void test_who_has_the_port_at_another_address_is_told(void **state)
{
	const char *nobody = "nstat -asz", *bound = "ss -lntup 'sport = :5001'";

	(void)state;
	add_drops_at_port();
	assert_next_of_drops(nobody);
	add_socket_of_service(0, true, 7);
	assert_next_of_drops(bound);
	add_socket_of_service(0, false, 8);
	assert_next_of_drops(nobody);
	add_socket_of_service(0, true, 9);
	assert_next_of_drops(nobody);
	/* Nobody has it any more, and then somebody has. */
	service_ports_look(&ports);
	assert_next_of_drops(nobody);
	add_socket_of_service(0, true, 10);
	/* Most were dropped elsewhere, which this port does not explain. */
	drops[0].count = 19;
	assert_next_of_drops(nobody);
	drops[0] =
		(struct report_drop){ .from = HOOK_udp_start, .name = DROP_NO_SOCKET, .count = 9 };
	assert_next_of_drops(nobody);
	drops[0].from = HOOK_tcp_start;
	judge();
	assert_classes(1, "drop");
	assert_string_equal(
		verdict->findings[0].cause,
		"At that port, sixteen_letters\\x07 (pid 10) takes only what is sent to the "
		"address, or comes by the device, that its socket is bound to.");
	verdict_free(verdict);
	drops[0].name = "TCP_MINTTL";
	assert_int_equal(reason_names_add(setup.reasons, 4, "TCP_MINTTL"), 0);
	add(0, HOOK_drop, KEY_OF(.reason = 4, .port = 5001), 0, 0, 9);
	assert_next_of_drops("TcpExtTCPMinTTLDrop");
	judge();
}

/* It was there when the watch began, and when it ended. */
static void test_who_has_the_port_all_along_is_told(void **state)
{
	const char *nobody = "nstat -asz", *has = "ip link show type vrf";

	(void)state;
	add_drops_at_port();
	add_socket_of_service(0, false, 7);
	assert_next_of_drops(nobody);
	service_ports_look(&ports);
	assert_next_of_drops(nobody);
	add_socket_of_service(0, false, 8);
	assert_next_of_drops(nobody);
	service_ports_look(&ports);
	add_socket_of_service(0, false, 8);
	assert_next_of_drops(has);
	judge();
}

static void test_who_has_the_port_in_another_namespace_is_told(void **state)
{
	const char *nobody = "nstat -asz", *elsewhere = "nsenter -t 9 -n ss -lntup 'sport = :5001'";

	(void)state;
	add_drops_at_port();
	add_socket_of_service(1, true, 7);
	assert_next_of_drops(nobody);
	add_socket_of_service(2, false, 9);
	assert_next_of_drops(elsewhere);
	drops[0].from = NR_HOOKS;
	assert_next_of_drops(elsewhere);
	drops[0].from = HOOK_udp_start;
	assert_next_of_drops(nobody);
	drops[0].from = HOOK_tcp_start;
	/* It may have come later, so that nothing is known of why there was none. */
	add_socket_of_service(0, false, 8);
	assert_next_of_drops(nobody);
	add_socket_of_service(3, false, 8);
	assert_next_of_drops(nobody);
	service_ports_look(&ports);
	assert_next_of_drops(nobody);
	judge();
}

/* The kernel says NO_SOCKET of them, too. */
static void test_what_a_listener_refuses_is_sent_to_a_socket(void **state)
{
	(void)state;
	setup.plan.group_by = 1U << KEY_NETNS | 1U << KEY_PORT;
	add_drops(NR_HOOKS, "NO_SOCKET", 9);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .netns = 1, .port = 5002), 0, 0, 9);
	judge();
	assert_classes(0);
	verdict_free(verdict);
	drops[0].count = 12;
	add(0, HOOK_drop, KEY_OF(.reason = 3, .netns = 1, .ifindex = 2, .port = 5001), 0, 0, 3);
	judge();
	assert_classes(1, "drop");
	assert_string_equal(
		verdict->findings[0].where,
		"3 packets were dropped in namespace cookie/1, at port 5001: NO_SOCKET");
}

/* Ports from 32768 on are those of probes, and a wrong header is no circle. */
static void test_packets_in_a_circle_are_told_from_probes(void **state)
{
	(void)state;
	setup.plan.group_by = 1U << KEY_PORT;
	add_drops(HOOK_ip_forward, "IP_INHDR", 20);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 33434), 0, 0, 10);
	add(0, HOOK_drop, KEY_OF(.reason = 3), 0, 0, 10);
	judge();
	assert_classes(0);
	verdict_free(verdict);
	drops[0].count = 25;
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 32767), 0, 0, 5);
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where,
			    "5 packets were dropped, at port 32767: IP_INHDR");
	verdict_free(verdict);
	drops[0].from = HOOK_ip_rcv;
	judge();
	assert_classes(0);
}

/* The largest group of a port tells the interface. */
static void test_how_many_were_dropped_in_a_namespace_is_said(void **state)
{
	(void)state;
	setup.plan.group_by = 1U << KEY_NETNS | 1U << KEY_PORT | 1U << KEY_INTERFACE;
	add_drops(NR_HOOKS, "TC_INGRESS", 10);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .netns = 7, .ifindex = 2), 0, 0, 2);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .netns = 7, .ifindex = 3), 0, 0, 3);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .netns = 7, .ifindex = 2, .port = 80), 0, 0, 1);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .netns = 8, .ifindex = 3), 0, 0, 4);
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where,
			    "10 packets were dropped, most of them in namespace cookie/7: "
			    "TC_INGRESS");
	assert_string_equal(verdict->findings[0].next,
			    "# in namespace cookie/7: tc -s filter show dev if3 ingress; "
			    "# in namespace cookie/7: bpftool net");
	verdict_free(verdict);
	drops[0].count = 13;
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where,
			    "13 packets were dropped, some of them in namespace cookie/7: "
			    "TC_INGRESS");
}

static void test_who_reads_too_slowly_is_named(void **state)
{
	(void)state;
	add_drops(HOOK_udp_queue_rcv, "SOCKET_RCVBUFF", 9);
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 100);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5002), 0, 0, 9);
	judge();
	assert_classes(1, "drop");
	assert_string_equal(
		verdict->findings[0].cause,
		"The socket's receive queue was full: task411 (pid 411) was too slow, or the "
		"queue is too short.");
}

static void test_what_a_late_reader_loses_is_told_with_it(void **state)
{
	(void)state;
	add_drops(HOOK_udp_queue_rcv, "SOCKET_RCVBUFF", 548);
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add_reader(KEY_OF(.port = 5003, .pid = 412), 100, 300 * NS_PER_MS, 0);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5002, .cpu = 0), 0, 0, 448);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5002, .cpu = 1), 0, 0, 100);
	judge();
	assert_classes(2, "reader-asleep", "reader-asleep");
	assert_string_equal(verdict->findings[0].where,
			    "task411 (pid 411, UDP port 5002): 100 % of its packets wait for the "
			    "reader, p99 268ms; 548 more were dropped, as its queue was full");
	assert_int_equal(verdict->findings[1].dropped, 0);
	/* One of them was dropped elsewhere. */
	verdict_free(verdict);
	drops[0].count++;
	judge();
	assert_classes(3, "drop", "reader-asleep", "reader-asleep");
}

/* So many datagrams in each of four seconds, which wait for so long, mostly behind others. */
static void judge_seconds(uint64_t count, uint64_t wait_ns, uint64_t work_ns)
{
	struct late_seconds seconds = { 0 };
	struct tallies tallies;

	late.task_ns = 10 * NS_PER_MS;
	add(FROM_STAMP, HOOK_udp_socket_read, KEY_OF(FIRST_SERVICE), count, wait_ns, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, count, work_ns / 4);
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, count, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_RUNNING, count, work_ns);
	report.duration_ns = NS_PER_S;
	for (int second = 0; second < 4; second++) {
		assert_int_equal(tallies_make(&tallies, &report, &late, &ports), 0);
		assert_int_equal(late_seconds_add(&seconds, &tallies), 0);
		tallies_free(&tallies);
	}
	report.duration_ns = 10 * NS_PER_S;
	judge();
	assert_int_equal(overloads_find(verdict, &report, &seconds), 0);
	late_seconds_clear(&seconds);
}

/* Each of these is read as soon as that before it is done, and all are late, 26 at a time. */
static void test_a_reader_that_has_no_time_for_all_is_late(void **state)
{
	(void)state;
	judge_seconds(100, 260 * NS_PER_MS, 8 * NS_PER_MS);
	assert_classes(1, "reader-busy");
	assert_string_equal(verdict->findings[0].where,
			    "task411 (pid 411, UDP port 5002): 100 % of its packets wait for the "
			    "reader, p99 268ms");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 was running, and read some 26 others meanwhile: more comes "
			    "than it has time for.");
	assert_false(finding_is_inferred(&verdict->findings[0]));
}

/* It would have had time for them, had they not come all at once. */
static void test_a_burst_is_no_overload(void **state)
{
	(void)state;
	judge_seconds(100, 260 * NS_PER_MS, 6 * NS_PER_MS);
	assert_classes(0);
	assert_text("Nothing is late; all that does not wait behind others takes less than");
	assert_text("\nNo fault: 100 of 100 packets waited behind others that came at once, p99 "
		    "268ms, for\ntask411 (pid 411, UDP port 5002).\n");
}

static void test_what_comes_late_does_not_wait_behind_others(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_socket_enqueued, KEY_OF(FIRST_SERVICE), 100, 250 * NS_PER_MS, 0);
	judge_seconds(100, 260 * NS_PER_MS, 8 * NS_PER_MS);
	assert_classes(1, "receive-path");
	assert_int_equal(verdict->services.services[0].behind_others.late, 0);
}

/* They find a short queue. */
static void test_a_reader_that_is_busy_is_not_overloaded(void **state)
{
	(void)state;
	judge_seconds(100, 11 * NS_PER_MS, 8 * NS_PER_MS);
	assert_classes(0);
}

/* It sleeps for a few of them, for longer than it runs for all. */
static void test_what_a_reader_is_late_for_is_told_once(void **state)
{
	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 5, 200 * NS_PER_MS);
	judge_seconds(100, 260 * NS_PER_MS, 8 * NS_PER_MS);
	assert_classes(1, "reader-asleep");
	assert_string_equal(
		verdict->findings[0].cause,
		"task411 slept while packets were in its queue, and read some 13 others "
		"meanwhile: more comes than it has time for.");
}

/* It has no port: what it reads is sent to an interface. */
static void test_who_reads_late_from_a_tun_is_named(void **state)
{
	(void)state;
	setup.plan.group_by |= 1U << KEY_INTERFACE;
	add(IPV4(tx_start), HOOK_tun_read, KEY_OF(.ifindex = 7, .pid = 411), 100, 200 * NS_PER_MS,
	    0);
	add(IPV4(tx_start), HOOK_tun_read, KEY_OF(.ifindex = 8, .pid = 411), 0, 0, 100);
	judge();
	assert_classes(1, "reader-asleep");
	assert_string_equal(verdict->findings[0].where,
			    "task411 (pid 411, interface index/7): 100 % of its packets wait for "
			    "the reader, p99 268ms");
	assert_int_equal(verdict->nr_services + verdict->nr_clients, 0);
}

static void test_what_a_full_tun_loses_is_told_with_its_reader(void **state)
{
	(void)state;
	add(IPV4(tx_start), HOOK_tun_read, KEY_OF(.ifindex = 7, .pid = 411), 100, 200 * NS_PER_MS,
	    0);
	add_drops(HOOK_tx_start, "FULL_RING", 50);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .ifindex = 7), 0, 0, 50);
	judge();
	assert_classes(1, "reader-asleep");
	assert_int_equal(verdict->findings[0].dropped, 50);
	verdict_free(verdict);
	groups[1].key.ifindex = 8;
	judge();
	assert_classes(2, "drop", "reader-asleep");
}

/* Sixteen are listed: of another one, nobody knows. */
static void test_a_tun_is_looked_at_if_what_is_sent_there_is_read(void **state)
{
	struct interfaces tuns = { 17,
				   { { .ifindex = 7, .is_tun = true, .name = "tun0" },
				     { .ifindex = 8, .is_tun = true, .name = "tun1" },
				     { .ifindex = 9, .name = "macvtap0" } } };

	(void)state;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 7), 0, 0, 100);
	add(IPV4(tx_start), HOOK_tun_read, KEY_OF(.ifindex = 7), 0, 0, 60);
	for (enum reader_part part = PART_ASLEEP; part < END_OF_PARTS; part++)
		add(STAGE_FROM(part, 0), HOOK_tun_read, KEY_OF(.ifindex = 7), 0, 0, 21);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .ifindex = 7), 0, 0, 10);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 8), 0, 0, 100);
	add(IPV4(tx_start), HOOK_tun_read, KEY_OF(.ifindex = 8), 0, 0, 89);
	for (size_t i = 3; i < MAX_LISTED_INTERFACES; i++)
		tuns.list[i].is_tun = true;
	tuns_leave_unread(&tuns, &report);
	assert_int_equal(tuns.nr, 3);
	assert_string_equal(tuns.list[0].name, "tun1");
	assert_string_equal(tuns.list[1].name, "macvtap0");
}

static void test_a_few_strays_are_no_harm(void **state)
{
	(void)state;
	add_samples(counts[HOOK_ip_rcv].latency.buckets, 1000, NS_PER_US);
	add_drops(HOOK_udp_start, "TC_INGRESS", 9);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5002), 0, 0, 9);
	judge();
	assert_classes(0);
	verdict_free(verdict);
	drops[0].count = 10;
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	/* But of a service with few packets, or many. */
	drops[0].count = 9;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 800);
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	spans[0].count = stages[0].count = 0;
	drops[0].count = 9;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 10000);
	judge();
	assert_classes(0);
}

static void test_copies_of_icmp_are_not_missed(void **state)
{
	(void)state;
	drops[0] = (struct report_drop){ .from = HOOK_icmp_start, .name = "NO_SOCKET", .count = 9 };
	drops[1] = (struct report_drop){ .from = HOOK_udp_start, .name = "NO_SOCKET", .count = 2 };
	report.nr_drops = 2;
	judge();
	assert_classes(0);
}

/* A kernel of next year has more reasons; a number, or a place in its code, is none. */
static void test_a_reason_that_is_not_known_is_told_by_its_name(void **state)
{
	(void)state;
	drops[0] = (struct report_drop){ .from = HOOK_ip_rcv, .name = "OF_NEXT_YEAR", .count = 9 };
	drops[1] = (struct report_drop){ .from = HOOK_ip_rcv, .name = "TCP_OLD_DATA", .count = 9 };
	drops[2] = (struct report_drop){ .from = HOOK_ip_rcv, .number = "number/7", .count = 9 };
	report.nr_drops = 3;
	judge();
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where, "9 packets were dropped: OF_NEXT_YEAR");
	assert_non_null(strstr(verdict->findings[0].next, "skb:kfree_skb"));
	verdict_free(verdict);
	reason_names_free(setup.reasons);
	setup.reasons = reason_names_new("/dev/null");
	assert_non_null(setup.reasons);
	judge();
	assert_classes(0);
}

static void add_segments(enum sequence sequence, uint64_t count)
{
	add(STAGE_FROM(HOOK_tcp_start, 0), HOOK_tcp_do_rcv,
	    KEY_OF(.port = 80, .sequence = sequence), 0, 0, count);
}

static void add_sent(uint16_t port, uint64_t count)
{
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = port), 0, 0, count);
}

static void add_sent_again(uint16_t port, enum retransmit retransmit, uint64_t count)
{
	setup.plan.group_by |= 1U << KEY_RETRANSMIT;
	add(FROM_STAMP, HOOK_tcp_retransmit, KEY_OF(.port = port, .retransmit = retransmit), count,
	    200 * NS_PER_MS, 0);
}

static void test_what_waits_in_a_tun_is_sent_again(void **state)
{
	(void)state;
	add(IPV4(tx_start), HOOK_tun_read, KEY_OF(.ifindex = 7, .pid = 411), 100, 400 * NS_PER_MS,
	    0);
	add_sent(5001, 60);
	add_sent_again(5001, RETRANSMIT_TIMEOUT, 16);
	judge();
	assert_classes(1, "reader-asleep");
	verdict_free(verdict);
	/* Beyond the network's way, it has been acknowledged. */
	groups[0].hook = HOOK_udp_socket_read;
	groups[0].from = IPV4(udp_socket_enqueued);
	groups[0].key.ifindex = 0;
	judge();
	assert_classes(2, "retransmit", "reader-asleep");
}

static void test_segments_out_of_order_were_lost(void **state)
{
	(void)state;
	add_segments(SEQUENCE_NO_DATA, 900);
	add_segments(SEQUENCE_IN_ORDER, 900);
	add_segments(SEQUENCE_BEHIND_GAP, 90);
	add_segments(SEQUENCE_RECEIVED_BEFORE, 10);
	judge();
	assert_classes(1, "loss");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 10 % of its segments come behind a gap, or again");
	assert_string_equal(verdict->findings[0].cause,
			    "They get lost, overtake each other or are doubled on their way, or "
			    "are acknowledged too late.");
}

static void test_segments_that_come_again_were_not_lost(void **state)
{
	char *text;

	(void)state;
	add_segments(SEQUENCE_IN_ORDER, 900);
	add_segments(SEQUENCE_RECEIVED_BEFORE, 100);
	judge();
	assert_classes(1, "loss");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 10 % of its segments come again");
	assert_string_equal(
		verdict->findings[0].cause,
		"They are doubled on their way, or sent again as ACKs get lost or are late.");
	text = PRINTED(verdict_print_text, verdict);
	assert_non_null(strstr(text, "Nothing is late, and segments come again; all takes"));
	free(text);
}

static void test_few_segments_are_lost_by_chance(void **state)
{
	(void)state;
	add_segments(SEQUENCE_IN_ORDER, 1000);
	add_segments(SEQUENCE_BEHIND_GAP, 9);
	add_sent(80, 1000);
	add_sent_again(80, RETRANSMIT_TIMEOUT, 2);
	add(FROM_STAMP, HOOK_udp_transmit, KEY_OF(.port = 80), 0, 0, 1000);
	judge();
	assert_classes(0);
	assert_int_equal(verdict->looked_at[CLASS_loss].count, 1009);
	assert_int_equal(verdict->looked_at[CLASS_retransmit].count, 1002);
}

static void test_what_is_sent_again_was_lost(void **state)
{
	(void)state;
	add_sent(80, 95);
	add_sent_again(80, RETRANSMIT_TIMEOUT, 1);
	add_sent_again(80, RETRANSMIT_FAST, 4);
	add_sent(81, 95);
	judge();
	assert_classes(1, "retransmit");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "retransmit"), "fast");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 5 % of what it sends is sent again, as its peers "
			    "acknowledge only what came later");
}

static void test_a_way_loses_in_both_directions(void **state)
{
	(void)state;
	add_sent(80, 95);
	add_sent_again(80, RETRANSMIT_TIMEOUT, 5);
	add_segments(SEQUENCE_BEHIND_GAP, 80);
	judge();
	assert_classes(1, "retransmit");
	assert_string_equal(verdict->findings[0].cause,
			    "Segments get lost on the way to the peer and back, or are "
			    "acknowledged too late.");
	verdict_free(verdict);
	add_segments(SEQUENCE_BEHIND_GAP, 1);
	judge();
	assert_classes(2, "loss", "retransmit");
}

/* So many segments of TCP are sent again, and packets wait here for so long before they leave. */
static void judge_sent_again(enum retransmit retransmit, uint64_t again, uint64_t ns)
{
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 2, .ifindex = 4), 20, ns, 0);
	add_sent(80, 300);
	add_sent_again(80, retransmit, again);
	judge();
}

static void test_what_waits_here_for_longer_than_a_timer_is_not_lost(void **state)
{
	(void)state;
	judge_sent_again(RETRANSMIT_TIMEOUT, 20, 260 * NS_PER_MS);
	assert_classes(1, "qdisc");
	end(NULL);
	begin(NULL);
	judge_sent_again(RETRANSMIT_PROBE, 20, 20 * NS_PER_MS);
	assert_classes(1, "qdisc");
	end(NULL);
	begin(NULL);
	/* It did not wait for so long ... */
	judge_sent_again(RETRANSMIT_TIMEOUT, 20, 130 * NS_PER_MS);
	assert_classes(2, "retransmit", "qdisc");
	end(NULL);
	begin(NULL);
	/* ... or so often ... */
	judge_sent_again(RETRANSMIT_TIMEOUT, 21, 260 * NS_PER_MS);
	assert_classes(2, "retransmit", "qdisc");
	end(NULL);
	begin(NULL);
	/* ... or the peer says what it lacks. */
	judge_sent_again(RETRANSMIT_FAST, 20, 260 * NS_PER_MS);
	assert_classes(2, "retransmit", "qdisc");
}

static void test_peers_send_again_what_is_acknowledged_late_here(void **state)
{
	(void)state;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 2, .ifindex = 4), 20, 20 * NS_PER_MS, 0);
	add_segments(SEQUENCE_IN_ORDER, 180);
	add_segments(SEQUENCE_RECEIVED_BEFORE, 20);
	judge();
	assert_classes(1, "qdisc");
	verdict_free(verdict);
	add_segments(SEQUENCE_BEHIND_GAP, 1);
	judge();
	assert_classes(2, "loss", "qdisc");
}

static void test_who_scans_or_floods_tells_nothing_of_a_way(void **state)
{
	(void)state;
	add_sent(80, 100);
	add_sent_again(80, RETRANSMIT_SYN_ACK, 50);
	judge();
	assert_classes(0);
}

/* At least as many: the peer may be behind a way that loses, besides. */
static void test_acks_wait_for_the_lock_too(void **state)
{
	(void)state;
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 80, .pid = 411), 20, 50 * NS_PER_MS,
	    0);
	add_sent(80, 100);
	add_sent_again(80, RETRANSMIT_TIMEOUT, 20);
	judge();
	assert_classes(1, "socket-lock");
	verdict_free(verdict);
	add_sent_again(80, RETRANSMIT_PROBE, 1);
	judge();
	assert_classes(2, "retransmit", "socket-lock");
	verdict_free(verdict);
	/* The lock of another. */
	groups[0].key.port = 81;
	report.nr_groups--;
	judge();
	assert_classes(2, "retransmit", "socket-lock");
}

static void test_peers_send_again_what_waits_for_the_lock(void **state)
{
	(void)state;
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 80, .pid = 411), 20, 50 * NS_PER_MS,
	    0);
	add_segments(SEQUENCE_IN_ORDER, 100);
	add_segments(SEQUENCE_RECEIVED_BEFORE, 20);
	judge();
	assert_classes(1, "socket-lock");
	verdict_free(verdict);
	add_segments(SEQUENCE_RECEIVED_BEFORE, 1);
	judge();
	assert_classes(2, "loss", "socket-lock");
}

static void test_what_is_dropped_here_is_no_loss_besides(void **state)
{
	(void)state;
	add_segments(SEQUENCE_BEHIND_GAP, 100);
	drops[0] = (struct report_drop){ .from = HOOK_ip_deliver,
					 .name = "NETFILTER_DROP",
					 .count = 7 };
	report.nr_drops = 1;
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	/* Nor does one of them have so many behind it. */
	drops[0].count = 6;
	judge();
	assert_classes(2, "loss", "drop");
	verdict_free(verdict);
	/* Two that are sent again were dropped at once, or one of them was not lost. */
	report.nr_stages = 0;
	add_sent_again(80, RETRANSMIT_TIMEOUT, 12);
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	add_sent_again(80, RETRANSMIT_TIMEOUT, 1);
	judge();
	assert_classes(2, "retransmit", "drop");
	verdict_free(verdict);
	/* Others were dropped for another reason. */
	drops[1] = (struct report_drop){ .from = HOOK_tcp_do_rcv, .name = "PROTO_MEM", .count = 3 };
	report.nr_drops = 2;
	judge();
	assert_classes(2, "drop", "drop");
	verdict_free(verdict);
	report.nr_drops = 1;
	report.nr_groups = 0;
	report.nr_stages = 1;
	/* TCP misses no packets of UDP. */
	drops[0] = (struct report_drop){ .from = HOOK_udp_queue_rcv,
					 .name = "SOCKET_RCVBUFF",
					 .count = 7 };
	judge();
	assert_classes(2, "loss", "drop");
}

static void test_late_duplicates_are_dropped_as_others_waited(void **state)
{
	(void)state;
	add_drops(HOOK_tcp_do_rcv, "TCP_RFC7323_PAWS", 20);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 1, .ifindex = 4), 20, 20 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "qdisc");
	verdict_free(verdict);
	drops[0].count = 21;
	judge();
	assert_classes(2, "drop", "qdisc");
	verdict_free(verdict);
	/* Nothing is sent again that soon. */
	report.nr_stages = 0;
	drops[0].count = 20;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 1, .ifindex = 4), 20, 2 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "drop", "qdisc");
	verdict_free(verdict);
	/* Others are dropped for another reason. */
	report.nr_stages = 0;
	add_drops(HOOK_tcp_do_rcv, "TCP_CSUM", 20);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = 1, .ifindex = 4), 20, 20 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "drop", "qdisc");
}

static void test_what_is_dropped_on_the_way_out_is_no_loss_of_the_network(void **state)
{
	(void)state;
	add_sent(5001, 60);
	add_sent_again(5001, RETRANSMIT_TIMEOUT, 16);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 5001), 0, 0, 16);
	add_drops(HOOK_tx_queue, "QDISC_DROP", 16);
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	/* A packet that is forwarded is no service's. */
	drops[0].from = HOOK_ip_forward;
	judge();
	assert_classes(2, "drop", "retransmit");
}

static void test_what_is_dropped_elsewhere_is_another_loss(void **state)
{
	(void)state;
	add_segments(SEQUENCE_BEHIND_GAP, 100);
	add_drops(HOOK_ip_deliver, "NETFILTER_DROP", 90);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 81), 0, 0, 90);
	judge();
	assert_classes(2, "loss", "drop");
	verdict_free(verdict);
	/* Others may be of this port: each gap has so many segments behind it. */
	drops[0].count += 7;
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	drops[0].count -= 7;
	groups[1].key.port = 80;
	judge();
	assert_classes(1, "drop");
}

/* As of a firewall, which drops what scans a host of the internet. */
static void test_what_is_dropped_at_many_ports_is_none_of_one(void **state)
{
	(void)state;
	add_sent(443, 95);
	add_sent_again(443, RETRANSMIT_TIMEOUT, 5);
	for (uint16_t port = 22; port < 32; port++)
		add(0, HOOK_drop, KEY_OF(.reason = 3, .port = port), 0, 0, 10);
	add(0, HOOK_drop, KEY_OF(.reason = 3, .port = 443), 0, 0, 2);
	add_drops(HOOK_ip_deliver, "NETFILTER_DROP", 102);
	judge();
	assert_classes(2, "drop", "retransmit");
	verdict_free(verdict);
	drops[0].count++;
	spans[report.nr_groups - 1].count++;
	judge();
	assert_classes(1, "drop");
	verdict_free(verdict);
	/* Those of another namespace may have been on their way to a peer there. */
	for (size_t i = 2; i < report.nr_groups; i++)
		groups[i].key.netns = 1;
	judge();
	assert_classes(1, "drop");
}

static void test_who_holds_the_lock_processes_what_waits(void **state)
{
	const struct group_key held = KEY_OF(.port = 40000, .pid = 411);

	(void)state;
	/* From the backlog, by who held the lock; and in a softirq. */
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, held, 20, 50 * NS_PER_MS, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 40000), 0, 0, 80);
	judge();
	assert_classes(1, "socket-lock");
	assert_int_equal(verdict->findings[0].lateness.count, 100);
	assert_string_equal(verdict->findings[0].cause,
			    "task411 holds the lock meanwhile: it does something long in a call "
			    "on this socket, or gets no CPU in one.");
}

/* A filter is slow where no task holds the lock. Packets that wait for the lock came past it, too.
 */
static void test_what_no_task_holds_up_is_filtered(void **state)
{
	const struct group_key held = KEY_OF(.port = 80, .pid = 411), unheld = KEY_OF(.port = 80);

	(void)state;
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, unheld, 20, 5 * NS_PER_MS, 60);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, held, 20, 5 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "socket-filter");
	assert_int_equal(verdict->findings[0].lateness.count, 100);
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 20 % of its packets are late on their way into its "
			    "socket, p99 8.39ms");
	assert_string_equal(verdict->findings[0].cause,
			    "What lies there takes that long: the search for the socket and its "
			    "filters. A filter is one of the socket itself, a BPF program of its "
			    "cgroup, or a security module.");
	verdict_free(verdict);
	/* The lock takes much longer. */
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, held, 20, 50 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "socket-lock", "socket-filter");
	verdict_free(verdict);
	/* That of another. */
	groups[1].key.port = 81;
	groups[2].key.port = 81;
	report.nr_stages--;
	judge();
	assert_classes(2, "socket-lock", "socket-filter");
}

/* The means are of all packets at that port, whether they waited for the lock or not. */
static void test_a_way_has_the_lock_and_the_filter(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_socket_enqueued, KEY_OF(.port = 80), 100, 2 * NS_PER_MS, 0);
	add(IPV4(ip_rcv), HOOK_ip_deliver, KEY_OF(.netns = 0), 100, 900 * NS_PER_US, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 80), 50, 600 * NS_PER_US, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 80, .pid = 411), 50, 800 * NS_PER_US,
	    0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = 81), 50, 900 * NS_PER_US, 0);
	judge();
	assert_classes(1, "receive-path");
	assert_string_equal(verdict->findings[0].cause,
			    "No part of their way through the stack is late alone: netfilter's "
			    "PREROUTING chains 900us, the search for the socket and its filters "
			    "300us, the socket's lock 400us on average.");
}

/* It says nothing of the filter of another one, which is late alone. */
static void test_a_way_tells_of_its_own_filter(void **state)
{
	(void)state;
	add_receive_path(900 * NS_PER_US, 0);
	add(IPV4(udp_start), HOOK_udp_socket_enqueued, KEY_OF(.netns = 1, .port = 5002), 100,
	    900 * NS_PER_US, 0);
	add(IPV4(udp_start), HOOK_udp_socket_enqueued, KEY_OF(.netns = 1, .port = 5003), 5,
	    2 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "receive-path", "socket-filter");
	assert_int_equal(verdict->findings[1].place.port, 5003);
}

/* Its filter makes others wait, whose CPU it has. */
static void test_a_filter_takes_a_cpu(void **state)
{
	(void)state;
	add(IPV4(udp_start), HOOK_udp_socket_enqueued, KEY_OF(.port = 80, .cpu = 1), 9,
	    500 * NS_PER_US, 1000);
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.ifindex = 2, .cpu = 1), 20, 4 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "backlog");
	assert_non_null(strstr(verdict->findings[0].cause, ", behind packets of UDP port 80, "));
	verdict_free(verdict);
	/* A client's port says nothing. */
	groups[0].key.port = 40000;
	judge();
	assert_classes(1, "backlog");
	assert_non_null(strstr(verdict->findings[0].cause, ", behind packets of UDP, "));
}

static void test_senders_wait_for_window_or_buffer(void **state)
{
	(void)state;
	setup.plan.group_by |= 1U << KEY_LIMIT;
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_RWND), 90,
	    50 * NS_PER_MS, 10);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NONE), 100,
	    500 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 81, .limit = TCP_LIMIT_SNDBUF), 20,
	    40 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "send-wait", "send-wait");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 45 % of its segments wait to be sent, p99 67.1ms");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "limit"), "rwnd");
	assert_string_equal(facts_text(&verdict->findings[1].facts, "limit"), "sndbuf");
}

static void test_steal_is_told_before_findings(void **state)
{
	struct json_object *object;

	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	judge();
	verdict->steal_ns = 1200 * NS_PER_MS;
	assert_text(
		"\nThe hypervisor kept CPUs from this machine for 1.2s meanwhile (steal): what is late "
		"may have\nwaited for that.\n\n 1  ");
	object = print_object();
	assert_int_equal(json_object_get_int64(member(object, "steal_ns")), 1200 * NS_PER_MS);
	json_object_put(object);
}

/* A service that is gone answers nobody. */
static void test_who_was_killed_for_memory_is_told_though_nothing_is_late(void **state)
{
	(void)state;
	judge();
	verdict->oom_kills = 1;
	assert_text(
		"\nThe kernel killed 1 process meanwhile, as memory was short: dmesg names it.\n");
	verdict->oom_kills = 2;
	assert_text(
		"\nThe kernel killed 2 processes meanwhile, as memory was short: dmesg names them.\n");
}

static void test_nagle_is_a_finding_of_its_own(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NAGLE), 20,
	    40 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NONE), 20,
	    NS_PER_US, 0);
	judge();
	assert_classes(1, "nagle");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 50 % of its segments wait to be sent, p99 67.1ms");
}

static void test_what_waits_within_a_write_is_not_held_back_by_tcp(void **state)
{
	struct json_object *object;

	(void)state;
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_WRITE), 20,
	    40 * NS_PER_MS, 80);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NONE), 10,
	    NS_PER_US, 0);
	judge();
	assert_classes(1, "slow-write");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 80: 18 % of its segments wait within the call that writes "
			    "them, p99 67.1ms");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "limit"), "write");
	object = print_object();
	assert_int_equal(json_object_get_int(member(member(object, "held_back"), "late")), 0);
	assert_int_equal(json_object_get_int(member(member(object, "held_back"), "count")), 110);
	json_object_put(object);
}

static void test_an_application_may_take_its_time_for_the_rest_of_an_answer(void **state)
{
	(void)state;
	late = (struct thresholds){ NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_CORK), 40,
	    50 * NS_PER_MS, 0);
	judge();
	verdict->packets = 40;
	assert_text(" Nothing is late; all takes less than 1ms in the stack, 10ms for a task, and "
		    "100ms to begin an answer or write its rest.\n");
	verdict_free(verdict);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 81, .limit = TCP_LIMIT_CORK), 20,
	    150 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "cork");
	assert_string_equal(verdict->findings[0].where,
			    "TCP port 81: 100 % of its segments wait for the rest that is written, "
			    "p99 268ms");
}

static void add_nagle_behind_queue(uint64_t netns, uint64_t ns)
{
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.netns = 1, .limit = TCP_LIMIT_NAGLE), 20, ns, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.netns = netns, .ifindex = 4), 90, 20 * NS_PER_MS,
	    0);
	judge();
}

static void test_nagle_waits_for_acks_of_what_is_queued_here(void **state)
{
	(void)state;
	add_nagle_behind_queue(1, 50 * NS_PER_MS);
	assert_classes(1, "qdisc");
	end(NULL);
	begin(NULL);
	add_nagle_behind_queue(1, 200 * NS_PER_MS);
	assert_classes(2, "nagle", "qdisc");
	end(NULL);
	begin(NULL);
	add_nagle_behind_queue(2, 50 * NS_PER_MS);
	assert_classes(2, "qdisc", "nagle");
}

static void add_nagle_beside_retransmits(__u16 port, uint64_t ns)
{
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NAGLE), 20, ns, 0);
	add(FROM_STAMP, HOOK_tcp_retransmit, KEY_OF(.port = port, .retransmit = RETRANSMIT_TIMEOUT),
	    20, 300 * NS_PER_MS, 0);
	judge();
}

static void test_nagle_waits_longer_than_a_peer_delays_acks_for_what_is_sent_again(void **state)
{
	(void)state;
	add_nagle_beside_retransmits(80, 300 * NS_PER_MS);
	assert_classes(1, "retransmit");
	end(NULL);
	begin(NULL);
	add_nagle_beside_retransmits(80, 50 * NS_PER_MS);
	assert_classes(2, "retransmit", "nagle");
	end(NULL);
	begin(NULL);
	add_nagle_beside_retransmits(443, 300 * NS_PER_MS);
	assert_classes(2, "retransmit", "nagle");
}

static void add_nagle_beside_lock(__u16 port, uint64_t ns)
{
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NAGLE), 20, ns, 0);
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(.port = port, .pid = 3), 90, 50 * NS_PER_MS,
	    0);
	judge();
}

static void test_nagle_waits_for_acks_that_wait_for_the_lock(void **state)
{
	(void)state;
	add_nagle_beside_lock(80, 20 * NS_PER_MS);
	assert_classes(1, "socket-lock");
	end(NULL);
	begin(NULL);
	add_nagle_beside_lock(80, 200 * NS_PER_MS);
	assert_classes(2, "socket-lock", "nagle");
	end(NULL);
	begin(NULL);
	add_nagle_beside_lock(443, 20 * NS_PER_MS);
	assert_classes(2, "socket-lock", "nagle");
}

/* A client has no port that tells it, and no command asks for one. */
static void test_short_segments_for_lack_of_room_are_no_finding_of_nagle(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.limit = TCP_LIMIT_SNDBUF), 50, 50 * NS_PER_MS,
	    0);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.limit = TCP_LIMIT_NAGLE), 40, 50 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "send-wait");
	assert_string_equal(verdict->findings[0].next,
			    "ss -tinmO | grep -E 'rwnd_limited|sndbuf_limited'");
	verdict_free(verdict);
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.limit = TCP_LIMIT_NAGLE), 40, 50 * NS_PER_MS, 0);
	judge();
	assert_classes(2, "nagle", "send-wait");
}

static void test_what_tcp_holds_back_is_no_finding(void **state)
{
	struct json_object *object;

	(void)state;
	add(FROM_STAMP, HOOK_tcp_transmit, KEY_OF(.port = 80, .limit = TCP_LIMIT_NONE), 50,
	    500 * NS_PER_MS, 150);
	judge();
	assert_text("\nNo fault: TCP itself held back 50 of 200 segments, for congestion control "
		    "or pacing, or as enough waits in a qdisc, p99 537ms.\n");
	assert_int_equal(verdict->nr, 0);
	verdict->packets = 200;
	assert_text(" Nothing is late; all that TCP does not hold back takes less than 1ms.\n");
	object = print_object();
	assert_int_equal(json_object_get_int(member(member(object, "held_back"), "late")), 50);
	json_object_put(object);
}

/* Without one that was read. */
static void test_what_is_still_queued_is_late(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 20, 5 * NS_PER_S, 0);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 80, .pid = 412), 5, NS_PER_S, 0);
	report.queued = (struct report_group[]){ stages[0], spans[0] };
	report.nr_queued = 2;
	report.nr_stages = report.nr_groups = 0;
	judge();
	verdict->findings[0].host.state = 'T';
	assert_classes(2, "reader-stopped", "accept");
	assert_int_equal(verdict->findings[0].lateness.late, 20);
	assert_string_equal(facts_text(&verdict->findings[0].facts, "pid"), "411");
	assert_int_equal(verdict->findings[1].lateness.count, 5);
}

/* One process that has the socket has read from it; the other one is the last that has it. */
static void test_a_shared_socket_waits_for_who_has_read_from_it(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 20, 5 * NS_PER_S, 0);
	groups[0].nr_sharing = 1;
	add_reader(KEY_OF(.port = 5002, .pid = 412), 0, 0, 1);
	report.queued = (struct report_group[]){ stages[0] };
	report.nr_queued = 1;
	stages[0] = stages[1];
	report.nr_stages = 1;
	judge();
	assert_classes(1, "reader-asleep");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "pid"), "412");
	assert_string_equal(verdict->findings[0].cause,
			    "task412 slept while packets were in its queue.");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "sharing"), "");
}

static void test_others_may_read_from_a_shared_socket(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 20, 5 * NS_PER_S, 0);
	groups[0].nr_sharing = 3;
	report.queued = (struct report_group[]){ stages[0] };
	report.nr_queued = 1;
	report.nr_stages = 0;
	judge();
	assert_classes(1, "reader-asleep");
	assert_string_equal(verdict->findings[0].cause,
			    "task411 slept while packets were in its queue. 3 other processes have "
			    "the same socket, and one of them may be to blame.");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "sharing"), "3");
}

/* Two that are still queued, of which one is what the kernel merged of the others. */
static void test_segments_that_were_merged_are_late(void **state)
{
	(void)state;
	add(IPV4(tcp_socket_enqueued), HOOK_tcp_socket_read, KEY_OF(FIRST_SERVICE), 2, NS_PER_S, 0);
	report.queued = (struct report_group[]){ stages[0] };
	report.nr_queued = 1;
	report.nr_stages = 0;
	add(FROM_STAMP, HOOK_tcp_socket_enqueued, KEY_OF(FIRST_SERVICE, .cpu = 1), 0, 0, 12);
	add(FROM_STAMP, HOOK_tcp_socket_enqueued, KEY_OF(FIRST_SERVICE, .cpu = 2), 0, 0, 12);
	add(FROM_STAMP, HOOK_tcp_socket_enqueued, KEY_OF(.port = 80), 0, 0, 99);
	add(FROM_STAMP, HOOK_tcp_socket_read, KEY_OF(FIRST_SERVICE), 0, 0, 4);
	judge();
	assert_classes(1, "reader-asleep");
	assert_int_equal(verdict->findings[0].lateness.late, 20);
	verdict_free(verdict);
	/* Some were never read, and do not wait. */
	counts[HOOK_tcp_socket_read].discarded[DISCARD_UNREAD] = 12;
	judge();
	assert_classes(1, "reader-asleep");
	assert_int_equal(verdict->findings[0].lateness.late, 8);
	verdict_free(verdict);
	counts[HOOK_tcp_socket_read].discarded[DISCARD_UNREAD] = 0;
	/* All but these were read. */
	spans[3].count = 24;
	judge();
	assert_classes(0);
}

#define LOSSES(id, its_name, ...) \
	((const struct netns_losses){ .netns = id, .name = its_name, __VA_ARGS__ })

/* A listener that dropped so many packets when the watch ended, and none when it began. */
static void add_listener_in(uint64_t netns, uint16_t port, uint64_t drops)
{
	struct service_port listener = { .netns = netns, .port = port, .protocol = IPPROTO_TCP };

	assert_int_equal(service_ports_add(&ports, &listener), 0);
	listener.drops = drops;
	assert_int_equal(service_ports_add(&ports, &listener), 0);
}

static void add_listener(uint16_t port, uint64_t drops)
{
	add_listener_in(0, port, drops);
}

static void test_what_a_full_accept_queue_refused_is_told(void **state)
{
	(void)state;
	add_listener(80, 27);
	add_listener(81, 0);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 80, .pid = 412), 5, NS_PER_S, 0);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 81, .pid = 413), 5, NS_PER_S, 0);
	counts[HOOK_tcp_accept].discarded[DISCARD_OVERFLOW] = 27;
	judge();
	assert_classes(2, "accept", "accept");
	assert_string_equal(verdict->findings[0].cause,
			    "task412 comes late to accept(2) what is in the listener's queue; that "
			    "was full, and refused connections 27 times.");
	assert_null(facts_find(&verdict->findings[1].facts, "refused"));
}

/* All that is accepted from it is so at once. */
static void test_whose_accept_queue_was_full_is_told(void **state)
{
	(void)state;
	add_listener(82, 9);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 80, .pid = 412), 5, NS_PER_S, 0);
	counts[HOOK_tcp_accept].discarded[DISCARD_OVERFLOW] = 27;
	judge();
	assert_classes(2, "drop", "accept");
	assert_string_equal(verdict->findings[0].where,
			    "27 packets were dropped, at port 82: TCP_LISTEN_OVERFLOW");
	assert_string_equal(verdict->findings[0].next, "ss -ltn 'sport = :82'");
	assert_null(facts_find(&verdict->findings[1].facts, "refused"));
}

/* Where no program can be attached that does, the kernel's counter tells of them. */
static void test_what_no_program_saw_refused_is_told(void **state)
{
	(void)state;
	add_listener_in(1, 82, 27);
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "web", .overflows = 2)), 0);
	assert_int_equal(verdict->nr, 0);
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "web", .overflows = 27)), 0);
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "web", .overflows = 27)), 0);
	assert_int_equal(lost_add_netns(verdict, &LOSSES(2, "other\033", .overflows = 9)), 0);
	assert_classes(2, "drop", "drop");
	assert_string_equal(verdict->findings[0].where,
			    "27 packets were dropped in namespace web, at port 82: "
			    "TCP_LISTEN_OVERFLOW");
	assert_string_equal(verdict->findings[1].where,
			    "9 packets were dropped in namespace other\\x1b: TCP_LISTEN_OVERFLOW");
}

static void test_who_accepts_late_is_told_what_no_program_saw_refused(void **state)
{
	(void)state;
	add_listener_in(1, 80, 27);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.netns = 1, .port = 80, .pid = 412), 5, NS_PER_S,
	    0);
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "web", .overflows = 27)), 0);
	assert_classes(1, "accept");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "refused"), "27");
}

static void test_of_many_that_drop_none_is_blamed(void **state)
{
	(void)state;
	add_listener(80, 20);
	add_listener(81, 7);
	add(FROM_STAMP, HOOK_tcp_accept, KEY_OF(.port = 80, .pid = 412), 5, NS_PER_S, 0);
	counts[HOOK_tcp_accept].discarded[DISCARD_OVERFLOW] = 27;
	judge();
	assert_classes(2, "drop", "accept");
	assert_string_equal(verdict->findings[0].where,
			    "27 packets were dropped: TCP_LISTEN_OVERFLOW");
	assert_null(facts_find(&verdict->findings[1].facts, "refused"));
}

/* A listener that dropped packets before the watch may not have done so in it. */
static void test_drops_before_the_watch_blame_nobody(void **state)
{
	(void)state;
	add_listener(80, 20);
	service_ports_look(&ports);
	add_listener(80, 20);
	add_listener(81, 7);
	assert_int_equal(service_ports_only_dropper(&ports, IPPROTO_TCP)->port, 81);
	assert_null(service_ports_only_dropper(&ports, IPPROTO_UDP));
}

static void test_a_backlog_takes_the_cpu_of_readers(void **state)
{
	(void)state;
	add_backlog(1, 100, 20);
	add_part(KEY_OF(FIRST_SERVICE, .cpu = 1), PART_READY, 50, 10 * NS_PER_MS);
	add(IPV4(ip_rcv), HOOK_udp_start, KEY_OF(ETH(3), .cpu = 1), 0, 0, 90000);
	judge();
	assert_classes(1, "backlog");
	/* Of that CPU. */
	verdict_free(verdict);
	groups[1].key.cpu = 0;
	judge();
	assert_classes(2, "backlog", "reader-no-cpu");
}

/* What no work explains, whoever has the CPU does. */
static void test_a_task_keeps_ksoftirqd_from_a_cpu(void **state)
{
	static const enum reader_part parts[] = { PART_READY, PART_RUNNING };
	static const char *const names[] = { "reader-no-cpu", "reader-busy" };

	(void)state;
	end(NULL);
	for (size_t i = 0; i < 2; i++) {
		begin(NULL);
		add_backlog(1, 3, 8);
		add_part(KEY_OF(FIRST_SERVICE, .cpu = 1), parts[i], 50, 60 * NS_PER_MS);
		judge();
		assert_classes(1, names[i]);
		verdict_free(verdict);
		/* It takes less. */
		add_backlog(1, 3000, 8);
		judge();
		assert_classes(2, "backlog", names[i]);
		end(NULL);
	}
	begin(NULL);
}

static void test_who_holds_the_lock_does_nothing_else(void **state)
{
	(void)state;
	add(IPV4(tcp_start), HOOK_tcp_do_rcv, KEY_OF(FIRST_SERVICE), 9, 50 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_tcp_send, KEY_OF(FIRST_SERVICE), 9, 20 * NS_PER_MS, 0);
	judge();
	assert_classes(1, "socket-lock");
}

static void test_what_is_not_known_is_a_question_mark(void **state)
{
	struct facts facts = { 0 };
	char *text;

	(void)state;
	facts_set_number(&facts, "pid", 411);
	facts_set_number(&facts, "pid", 412);
	text = facts_expand(&facts, "ps -p {pid} {other}.");
	assert_string_equal(text, "ps -p 412 ?.");
	free(text);
	facts_free(&facts);
}

/* All names that sentences use are facts that are known of findings of their class. */
static void test_no_sentence_has_a_question_mark(void **state)
{
	(void)state;
	test_each_stage_has_its_class(state);
	for (size_t i = 0; i < verdict->nr; i++) {
		const struct finding *finding = &verdict->findings[i];

		/* The namespaces and interfaces of this report are not there. */
		assert_null(strstr(finding->where, "?"));
		assert_null(strstr(finding->cause, "?"));
	}
}

static void test_people_read_sentences(void **state)
{
	char *text;

	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 1, 20 * NS_PER_MS, 999);
	judge();
	explain();
	text = PRINTED(verdict_print_text, verdict);
	assert_string_equal(
		text,
		"10 s, 0 packets, 1 service. One thing is late; nearly all else takes less "
		"than 1ms.\n"
		"\n"
		" 1  task411 (pid 411, UDP port 5002): 100 % of its packets wait for the "
		"reader, p99 268ms\n"
		"    task411 slept while packets were in its queue. (Inferred, not measured.)\n"
		"    -> strace -f -T -p 411\n"
		"\n"
		"Looked at, and fine: qdisc (1.02us).\n");
	free(text);
}

static void assert_text(const char *expected)
{
	char *text;

	explain();
	text = PRINTED(verdict_print_text, verdict);
	if (!strstr(text, expected))
		fail_msg("'%s' is not in:\n%s", expected, text);
	free(text);
}

#define FRAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Of the reader of FIRST_SERVICE at this port. */
static void add_stack(uint16_t port, uint64_t ms, const char *const *frames)
{
	struct named_stack stack = {
		.key = { .pid = 411, .port = port, .of = STACK_OF_READER },
		.wait = { .count = 3, .ns = ms * NS_PER_MS },
	};

	for (size_t i = 0; frames[i]; i++)
		stack.frames[i] = strdup(frames[i]);
	assert_int_equal(named_stacks_add(&verdict->stacks, &stack), 0);
	named_stacks_sort(&verdict->stacks);
}

static void test_people_read_in_what_code_a_reader_sleeps(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	judge();
	verdict->has_stacks = true;
	add_stack(5002, 50, FRAMES("1", "2", "__x64_sys_3", "4"));
	add_stack(5002, 940, FRAMES("1", "2", "3", "4", "5", "6"));
	add_stack(5002, 10, FRAMES(NULL));
	add_stack(9, 9999, FRAMES("9"));
	assert_text(" while packets were in its queue. (Inferred, not measured.)\n"
		    "    94 % asleep in 1 < 2 < 3 < 4 < 5 < 6\n"
		    "     5 % asleep in 1 < 2 < __x64_sys_3\n"
		    "     1 % not known: not long enough at a time for a stack to be taken\n"
		    "    -> strace -f -T -p 411\n");
	add_stack(5002, 2000, FRAMES("1", "2", "3", "4", "5", "6", "7"));
	assert_text("    67 % asleep in 1 < 2 < 3 < 4 < 5 < 6 < ...\n"
		    "    31 % asleep in 1 < 2 < 3 < 4 < 5 < 6\n"
		    "     2 % asleep in 1 < 2 < __x64_sys_3\n"
		    "    and others, see -j\n"
		    "    -> strace -f -T -p 411\n");
}

/* Linux 7.2 gives a reason of its own. */
static void test_wrong_checksums_are_told_once(void **state)
{
	(void)state;
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "quiet", .wrong_checksums = 2)), 0);
	assert_int_equal(verdict->nr, 0);
	assert_int_equal(lost_add_netns(verdict, &LOSSES(2, "noisy\033", .wrong_checksums = 9)), 0);
	assert_classes(1, "drop");
	assert_string_equal(verdict->findings[0].where,
			    "9 packets were dropped in namespace noisy\\x1b: UDP_CSUM");
	assert_string_equal(verdict->findings[0].cause, "Their UDP checksums are wrong.");
	verdict_free(verdict);
	drops[0] = (struct report_drop){ .from = HOOK_udp_socket_enqueued,
					 .name = "UDP_CSUM",
					 .count = 9 };
	report.nr_drops = 1;
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(2, "noisy", .wrong_checksums = 9)), 0);
	assert_classes(1, "drop");
}

static void test_syns_that_cannot_be_answered_are_told(void **state)
{
	(void)state;
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "quiet", .unrouted_syns = 2)), 0);
	assert_int_equal(verdict->nr, 0);
	assert_int_equal(lost_add_netns(verdict, &LOSSES(2, "lost", .unrouted_syns = 9)), 0);
	assert_classes(1, "drop");
	assert_int_equal(verdict->findings[0].dropped_at, HOOK_tcp_do_rcv);
	assert_string_equal(verdict->findings[0].where,
			    "9 packets were dropped in namespace lost: IP_OUTNOROUTES");
	assert_string_equal(verdict->findings[0].cause,
			    "They begin connections, and no route leads back to where they come "
			    "from.");
}

static void add_failure(enum failed failed, __u16 port, int err, uint64_t count)
{
	const struct failed_calls calls = {
		.key = { .pid = 411, .port = port, .failed = failed, .err = err },
		.failure = { .count = count, .comm = "cart\033" },
	};

	assert_int_equal(failures_find(verdict, &report, &calls, 1), 0);
}

/* Answers by another port, and in time, are none of it. */
static void test_answers_that_cannot_be_sent_are_told(void **state)
{
	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 0, 0, 1000);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(.port = 5003, .pid = 9), 0, 0, 1000);
	judge();
	add_failure(FAILED_ANSWER, 5002, ENETUNREACH, 9);
	assert_int_equal(verdict->nr, 0);
	add_failure(FAILED_ANSWER, 5002, ENETUNREACH, 20);
	assert_classes(1, "unsent");
	assert_string_equal(verdict->findings[0].where,
			    "cart\\x1b (pid 411, UDP port 5002): 20 of 1000 answers could not be "
			    "sent");
	assert_string_equal(
		verdict->findings[0].cause,
		"The kernel refused them (ENETUNREACH): there is no route to where they "
		"go, here or further on.");
	assert_text("Nothing is late, and answers could not be sent; all");
}

/* The port is the peer's, and so is that of no service here. */
static void test_connections_without_a_port_are_told(void **state)
{
	(void)state;
	judge();
	add_failure(FAILED_CONNECT, 80, 0, 2);
	assert_int_equal(verdict->nr, 0);
	add_failure(FAILED_CONNECT, 80, 0, 7);
	assert_classes(1, "no-port");
	assert_string_equal(verdict->findings[0].where,
			    "cart\\x1b (pid 411, TCP): 7 connections to port 80 could not begin");
	assert_string_equal(verdict->findings[0].next,
			    "ss -tan 'dport = :80'; sysctl net.ipv4.ip_local_port_range "
			    "net.ipv4.tcp_tw_reuse");
	assert_string_equal(facts_text(&verdict->findings[0].facts, "port"), "");
	assert_text("Nothing is late, and connections could not begin; all");
	add_failure(FAILED_CONNECT, 0, 0, 5);
	assert_classes(2, "no-port", "no-port");
	assert_string_equal(verdict->findings[1].where,
			    "cart\\x1b (pid 411, TCP): 5 connections could not begin");
	assert_string_equal(verdict->findings[1].next,
			    "ss -tan; sysctl net.ipv4.ip_local_port_range net.ipv4.tcp_tw_reuse");
}

/* Each of them comes and goes, and tries it once. */
static void test_failures_of_many_processes_are_one(void **state)
{
	struct failed_calls calls[5] = { 0 };

	(void)state;
	judge();
	for (unsigned int i = 0; i < 5; i++) {
		calls[i].key = (struct failure_key){ .pid = i + 1, .failed = FAILED_CONNECT };
		calls[i].key.port = i == 1 ? 443 : 80;
		calls[i].failure = (struct failure){ .count = 1, .comm = "curl" };
	}
	calls[3].failure.count = 2;
	assert_int_equal(failures_find(verdict, &report, calls, 5), 0);
	assert_classes(1, "no-port");
	assert_string_equal(verdict->findings[0].where,
			    "curl (pid 4, TCP) and 3 other processes: 5 connections to port 80 "
			    "could not begin");
}

/* Answers of 192.0.2.LAST, of which the longest took twice as long as each. */
static struct upstream_count asked(uint32_t pid, uint8_t last, uint64_t count, uint64_t each_ns,
				   uint64_t rtt_us)
{
	return (struct upstream_count){
		.key = { .pid = pid,
			 .port = 5432,
			 .protocol = IPPROTO_TCP,
			 .address = { htonl(0xc0000200 + last) } },
		.answers = { .count = count,
			     .ns = count * each_ns,
			     .longest_ns = 2 * each_ns,
			     .min_rtt_us = rtt_us,
			     .comm = "cart\033" },
	};
}

/* Two of them are workers that ask the same, and the last has only begun to. */
static void test_who_is_asked_is_told_with_the_slowest_first(void **state)
{
	struct upstream_count list[] = {
		asked(411, 7, 1, NS_PER_S, 0),	asked(411, 8, 30, 100 * NS_PER_MS, 900),
		asked(9, 7, 10, NS_PER_MS, 5),	asked(412, 8, 10, 500 * NS_PER_MS, 800),
		asked(411, 9, 1, NS_PER_MS, 0), asked(411, 6, 0, 0, 0),
	};
	char *text;

	(void)state;
	list[2].key.port = 80;
	list[4].key.is_ipv6 = 1;
	judge();
	assert_int_equal(upstreams_make(&verdict->upstreams, &report, list, 6), 0);
	assert_int_equal(verdict->upstreams.nr, 4);
	verdict_explain(verdict);
	text = PRINTED(verdict_print_text, verdict);
	assert_non_null(strstr(
		text,
		"On average:\n"
		"    cart\\x1b (TCP) asks 192.0.2.8 port 5432: 40 answers, 200ms each, 1s at most; "
		"800us away\n"
		"    cart\\x1b (pid 411, TCP) asks 192.0.2.7 port 5432: 1 answer, 1s each, 2s at "
		"most\n"
		"    cart\\x1b (pid 9, TCP) asks 192.0.2.7 port 80: 10 answers, 1ms each, 2ms at "
		"most; 5us away\n"
		"    cart\\x1b (pid 411, TCP) asks c000:209:: port 5432: 1 answer, 1ms each, 2ms at "
		"most\n"));
	free(text);
}

/* Asserts what is said of a reader that sleeps in recvfrom(2), with such facts of the host. */
static void assert_asked_text(struct host_facts host, const char *sentence)
{
	strcpy(host.asleep_in, "recvfrom");
	verdict->findings[0].host = host;
	explain();
	assert_string_equal(verdict->findings[0].cause, sentence);
}

static void test_a_reader_that_sleeps_may_wait_for_whom_it_asks(void **state)
{
	struct upstream_count count = asked(411, 7, 3, 9 * NS_PER_MS, 0);

	(void)state;
	strcpy(count.answers.comm, "task411");
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 200 * NS_PER_MS);
	judge();
	assert_int_equal(upstreams_make(&verdict->upstreams, &report, &count, 1), 0);
	assert_asked_text((struct host_facts){ .slept_for_sockets = true },
			  "task411 slept in recvfrom (it asks 192.0.2.7 port 5432: 3 answers, 9ms "
			  "each, 18ms at most) while packets were in its queue.");
	assert_asked_text((struct host_facts){ 0 },
			  "task411 slept in recvfrom while packets were in its queue.");
	assert_asked_text((struct host_facts){ .slept_for_sockets = true, .waker_tid = 7 },
			  "task411 slept in recvfrom while packets were in its queue, until the "
			  "kernel's  (pid 7) woke it.");
	verdict->upstreams.upstreams[0].count.answers.longest_ns = late.task_ns - 1;
	assert_asked_text((struct host_facts){ .slept_for_sockets = true },
			  "task411 slept in recvfrom while packets were in its queue.");
}

/* Questions of the watch before may be answered in this one. */
static void test_what_dns_servers_do_not_answer_is_told(void **state)
{
	struct upstream_count list[] = {
		asked(411, 7, 3, NS_PER_MS, 0),
		asked(411, 8, 0, 0, 0),
		asked(411, 9, 4, NS_PER_MS, 0),
		asked(411, 6, 0, 0, 0),
	};
	const int unanswered[] = { 0, 5, 1, -1 };
	char *text;

	(void)state;
	judge();
	for (int i = 0; i < 4; i++) {
		list[i].key.protocol = IPPROTO_UDP;
		list[i].key.port = 53;
		list[i].answers.unanswered = unanswered[i];
	}
	assert_int_equal(upstreams_make(&verdict->upstreams, &report, list, 4), 0);
	verdict_explain(verdict);
	text = PRINTED(verdict_print_text, verdict);
	assert_non_null(
		strstr(text, "    cart\\x1b (pid 411, UDP) asks 192.0.2.8 port 53: 5 not answered\n"
			     "    cart\\x1b (pid 411, UDP) asks 192.0.2.9 port 53: 4 answers, 1ms "
			     "each, 2ms at most; 1 not answered\n"
			     "    cart\\x1b (pid 411, UDP) asks 192.0.2.7 port 53: 3 answers, 1ms "
			     "each, 2ms at most\n"));
	assert_null(strstr(text, "192.0.2.6"));
	free(text);
}

static void test_who_answers_no_syn_is_told(void **state)
{
	struct upstream_count list[] = { asked(0, 7, 0, 0, 0), asked(411, 8, 3, NS_PER_MS, 0) };
	char *text;

	(void)state;
	list[0].answers.comm[0] = '\0';
	list[0].answers.unanswered = 9;
	add(FROM_STAMP, HOOK_tcp_retransmit, KEY_OF(.retransmit = RETRANSMIT_SYN), 20, NS_PER_S, 0);
	judge();
	assert_int_equal(upstreams_make(&verdict->upstreams, &report, list, 2), 0);
	verdict_explain(verdict);
	assert_string_equal(verdict->findings[0].where,
			    "TCP: 100 % of what it sends is sent again, as nobody answers its SYN "
			    "to 192.0.2.7 port 5432");
	text = PRINTED(verdict_print_text, verdict);
	assert_non_null(strstr(text, "    TCP asks 192.0.2.7 port 5432: 9 SYNs not answered\n"));
	free(text);
}

static void test_of_many_that_are_asked_the_first_are_told(void **state)
{
	struct upstream_count list[11] = { [10] = { .answers = { .count = 12 } } };
	char *text;

	(void)state;
	judge();
	for (unsigned int i = 0; i < 10; i++)
		list[i] = asked(411, i, 1, NS_PER_S - i, 0);
	assert_int_equal(upstreams_make(&verdict->upstreams, &report, list, 11), 0);
	verdict_explain(verdict);
	text = PRINTED(verdict_print_text, verdict);
	assert_non_null(strstr(text, "asks 192.0.2.7 port 5432"));
	assert_null(strstr(text, "asks 192.0.2.8 port 5432"));
	assert_non_null(strstr(text, "    and 2 more that are asked\n"
				     "    and others, 12 times: no more than 1024 are told "
				     "apart\n"));
	free(text);
}

static void test_people_read_of_what_is_lost(void **state)
{
	(void)state;
	drops[0] = (struct report_drop){ .from = HOOK_udp_start, .name = "NO_SOCKET", .count = 7 };
	drops[1] = (struct report_drop){ .from = HOOK_udp_start, .name = "UDP_CSUM", .count = 7 };
	report.nr_drops = 1;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 20 * NS_PER_MS, 0);
	judge();
	assert_text(" One thing is late, and packets were dropped for 1 reason; all else takes "
		    "less than 1ms.\n");
	verdict_free(verdict);
	report.nr_drops = 2;
	report.nr_stages = 0;
	add_sent_again(80, RETRANSMIT_TIMEOUT, 9);
	judge();
	assert_text(" Nothing is late, and packets were dropped for 2 reasons, and segments seem "
		    "to get lost; all takes less than 1ms.\n");
}

static void test_what_a_card_missed_is_a_finding(void **state)
{
	const struct card few = { 7, 2, "eth0", .received = 1000, .missed = 9 };
	const struct card some = { 7, 2, "eth0", .received = 90, .missed = 10 };
	const struct card by_chance = { 7, 1, "eth1", .received = 0, .missed = 2 };

	(void)state;
	judge();
	assert_int_equal(lost_add_card(verdict, "web", &few), 0);
	assert_int_equal(lost_add_card(verdict, "web", &by_chance), 0);
	assert_int_equal(verdict->nr, 0);
	assert_int_equal(lost_add_card(verdict, "web", &some), 0);
	explain();
	assert_int_equal(verdict->nr, 1);
	assert_int_equal(verdict->findings[0].place.netns, 7);
	assert_string_equal(verdict->findings[0].where,
			    "eth0 in namespace web: 10 % of what came to its card was missed, 10 "
			    "packets");
	assert_text(" Nothing is late, and packets were dropped for 1 reason; ");
}

static void test_a_bad_link_is_a_finding(void **state)
{
	const struct card few = { 7, 2, "eth0", .received = 1000, .damaged = 9 };
	const struct card lost = { 7, 2, "eth0", .links_lost = 1 };
	const struct card damages = { 7, 3, "eth1", .received = 90, .damaged = 10 };
	struct json_object *object;

	(void)state;
	judge();
	assert_int_equal(lost_add_card(verdict, "web", &few), 0);
	assert_int_equal(verdict->nr, 0);
	assert_int_equal(lost_add_card(verdict, "web", &lost), 0);
	assert_text(" Nothing is late, and a link is bad; ");
	assert_text("eth0 in namespace web: its link was lost once\n");
	object = print_object();
	assert_null(json_object_object_get(finding_of(object, 0), "share"));
	json_object_put(object);
	assert_int_equal(lost_add_card(verdict, "web", &damages), 0);
	assert_text(" Nothing is late, and links are bad; ");
	assert_text("eth1 in namespace web: 10 of 100 packets came damaged\n");
	assert_int_equal(verdict->findings[0].lateness.late, 10);
}

/* Returns how many findings there are beside one of a card. */
static size_t nr_beside(const struct card *card)
{
	judge();
	assert_int_equal(lost_add_card(verdict, "web", card), 0);
	explain();
	return verdict->nr;
}

static void test_what_came_damaged_is_not_lost_on_the_way(void **state)
{
	const struct card damages = { 7, 2, "eth0", .received = 90, .damaged = 10 };
	const struct card lost = { 7, 2, "eth0", .received = 90, .links_lost = 10 };

	(void)state;
	add_segments(SEQUENCE_IN_ORDER, 900);
	add_segments(SEQUENCE_BEHIND_GAP, 160);
	assert_int_equal(nr_beside(&damages), 1);
	verdict_free(verdict);
	/* Nobody knows how many packets a link has lost. */
	assert_int_equal(nr_beside(&lost), 2);
}

/* Returns how many findings there are, if a card missed ten packets. */
static size_t nr_beside_card(void)
{
	const struct card card = { 7, 2, "eth0", .received = 90, .missed = 10 };

	return nr_beside(&card);
}

static void test_what_a_card_missed_is_not_lost_on_the_way(void **state)
{
	(void)state;
	add_segments(SEQUENCE_IN_ORDER, 900);
	add_segments(SEQUENCE_BEHIND_GAP, 160);
	assert_int_equal(nr_beside_card(), 1);
	verdict_free(verdict);
	add_segments(SEQUENCE_BEHIND_GAP, 1);
	assert_int_equal(nr_beside_card(), 2);
	end(NULL);
	begin(NULL);
	add_sent(80, 300);
	add_sent_again(80, RETRANSMIT_FAST, 20);
	assert_int_equal(nr_beside_card(), 1);
	verdict_free(verdict);
	add_sent_again(80, RETRANSMIT_FAST, 1);
	assert_int_equal(nr_beside_card(), 2);
}

/* Clients of this host sent them again; a few are strays. */
static void test_syns_that_were_dropped_are_a_finding(void **state)
{
	(void)state;
	add_sent_again(80, RETRANSMIT_SYN, 9);
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(1, "quiet", .syns = 2)), 0);
	assert_int_equal(lost_add_netns(verdict, &LOSSES(2, "flooded\033", .syns = 9)), 0);
	explain();
	assert_int_equal(verdict->nr, 1);
	assert_string_equal(verdict->findings[0].where,
			    "namespace flooded\\x1b: 9 SYNs were dropped, each of which begins a "
			    "connection");
	assert_text(" Nothing is late, and packets were dropped for 1 reason; ");
	verdict_free(verdict);
	/* Whoever floods one listener loses no data of others. */
	groups[0].key.retransmit = RETRANSMIT_TIMEOUT;
	judge();
	assert_int_equal(lost_add_netns(verdict, &LOSSES(2, "flooded", .syns = 9000)), 0);
	assert_classes(2, "syn-queue", "retransmit");
}

static void test_that_the_clock_was_set_is_told(void **state)
{
	struct json_object *object;

	(void)state;
	report.nr_clock_changes = 1;
	judge();
	report.nr_clock_changes = 0;
	assert_text("\nThe clock was set meanwhile: packets that only seem late by that are left "
		    "out.\n");
	object = print_object();
	assert_true(json_object_get_boolean(member(object, "clock_changed")));
	json_object_put(object);
}

static void test_people_read_numbers_from_ten_on(void **state)
{
	(void)state;
	for (unsigned int i = 1; i <= 9; i++)
		add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = i), 9, 20 * NS_PER_MS, 0);
	judge();
	assert_text(" Nine things are late; ");
	verdict_free(verdict);
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 10), 9, 20 * NS_PER_MS, 0);
	judge();
	assert_text(" 10 things are late; ");
}

static void test_people_read_how_many_are_there(void **state)
{
	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 1);
	add_reader(KEY_OF(.port = 5003, .pid = 411), 0, 0, 1);
	add_reader(KEY_OF(.pid = 412), 0, 0, 1);
	judge();
	assert_text("10 s, 0 packets, 2 services and 1 client. ");
	verdict_free(verdict);
	groups[0].key.port = groups[1].key.port = 0;
	judge();
	assert_text("10 s, 0 packets, 2 clients. ");
}

static void assert_looked_at(enum reader_part part, const struct host_facts *host,
			     const char *expected)
{
	begin(NULL);
	add(FROM_STAMP, HOOK_netif_receive, KEY_OF(.cpu = 1), 0, 0, 1000);
	add_reader(KEY_OF(.port = 5003, .pid = 412), 100, 1040 * NS_PER_US, 0);
	if (part < END_OF_PARTS)
		add_part(KEY_OF(FIRST_SERVICE), part, 100, 90 * NS_PER_MS);
	judge();
	if (verdict->nr)
		verdict->findings[0].host = *host;
	assert_text(expected);
	end(NULL);
}

/* Readers are, if none is late, whatever keeps it. */
static void test_people_read_what_is_fine(void **state)
{
	const struct host_facts nothing = { 0 }, stopped = { .state = 'T' };
	const struct host_facts throttled = { .throttled = "/svc",
					      .cgroup_root = "/sys/fs/cgroup",
					      .throttled_ns = 5 * NS_PER_S };
	const char *not_readers = "\nLooked at, and fine: backlog (1.02us).\n";

	(void)state;
	end(NULL);
	assert_looked_at(END_OF_PARTS, &nothing,
			 "\nLooked at, and fine: backlog (1.02us), readers (1ms).\n");
	assert_looked_at(PART_ASLEEP, &nothing, not_readers);
	assert_looked_at(PART_ASLEEP, &stopped, not_readers);
	assert_looked_at(PART_READY, &nothing, not_readers);
	assert_looked_at(PART_READY, &throttled, not_readers);
	assert_looked_at(PART_RUNNING, &nothing, not_readers);
	begin(NULL);
}

/* Neither is fine, and the sentence on all else must be true of them. */
static void test_effects_are_said_to_be_late(void **state)
{
	char *text;

	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 200 * NS_PER_MS);
	judge();
	assert_text(
		" One thing is late, and others because of it; all else takes less than 1ms.\n");
	assert_text("\nEffects of that: readers.\n");
	text = PRINTED(verdict_print_text, verdict);
	assert_null(strstr(text, "fine"));
	free(text);
}

static void test_chance_is_said(void **state)
{
	(void)state;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 5 * NS_PER_MS, 0);
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 100);
	judge();
	verdict->packets = 100;
	verdict->findings[0].seconds.late = 1;
	verdict->findings[0].seconds.active = 3;
	assert_text(" Nothing is late; nearly all takes less than 1ms.\n");
	assert_text("\nLooked at, and fine: readers (1.02us).\n\nLate by chance: qdisc.\n");
}

static void test_the_bound_of_answers_is_said(void **state)
{
	char *text;

	(void)state;
	late = (struct thresholds){ NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 40 * NS_PER_MS, 0);
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(.port = 5003, .pid = 412), 100, 200 * NS_PER_MS, 0);
	judge();
	assert_text("One thing is late; all else takes less than 1ms in the stack, 10ms for a "
		    "task, and 100ms to begin an answer.\n");
	verdict_free(verdict);
	judge();
	verdict->packets = 200;
	verdict->findings[0].host.waited_for_sockets = true;
	assert_text("Nothing is late; all takes less than 1ms in the stack, 10ms for a task, and "
		    "100ms to begin an answer that waits for nobody else.\n");
	assert_text("\nLong, as others are waited for: application.\n");
	text = PRINTED(verdict_print_text, verdict);
	assert_null(strstr(text, "fine"));
	free(text);
}

static char *print_thousand_in_time(void)
{
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 0, 0, 1000);
	judge();
	verdict->packets = 1000;
	explain();
	return PRINTED(verdict_print_text, verdict);
}

/* As before Linux 5.11, and with too few rows: nothing is late, of what was looked at. */
static void test_what_was_not_looked_at_is_said(void **state)
{
	static const enum probe lacking[] = { PROBE_inet_csk_accept, PROBE_tcp_sendmsg_locked };
	struct json_object *object;
	char *text;

	(void)state;
	setup.plan.hooks[HOOK_tcp_accept] = setup.plan.hooks[HOOK_tcp_send] =
		setup.plan.hooks[HOOK_ip_rcv] = true;
	for (size_t i = 0; i < 2; i++)
		setup.left_out.why[lacking[i]] = "this kernel has no such function";
	setup.left_out.why[PROBE_do_tcp_sendpages] = "this kernel has no such function";
	/* A part is enough. */
	setup.left_out.why[PROBE_ip_rcv_core] = "this kernel has no such function";
	text = print_thousand_in_time();
	assert_non_null(strstr(text, "Nothing is late of what was looked at; all takes less than"));
	assert_non_null(
		strstr(text, "\nNot looked at, as this kernel cannot: tcp-accept, tcp-send.\n"));
	free(text);
	text = PRINTED(verdict_print_json, verdict);
	object = json_tokener_parse(text);
	assert_int_equal(json_object_array_length(json_object_object_get(object, "not_looked_at")),
			 2);
	json_object_put(object);
	free(text);
	end(NULL);
	begin(NULL);

	counts[HOOK_ip_rcv].discarded[DISCARD_NO_ROOM] = 7;
	text = print_thousand_in_time();
	assert_non_null(strstr(text, "Nothing is late of what was looked at; all takes less than"));
	free(text);
}

static void test_what_may_not_be_seen_is_said(void **state)
{
	struct json_object *object;
	char *text;

	(void)state;
	text = print_thousand_in_time();
	assert_null(strstr(text, "Not to be seen"));
	verdict->unseen[UNSEEN_PROCESSES] = verdict->unseen[UNSEEN_NETLINK] = true;
	free(text);
	text = PRINTED(verdict_print_text, verdict);
	assert_non_null(strstr(text, "\nNot to be seen from here, so not named as a cause: "
				     "processes, qdiscs, rules and cards.\n"));
	free(text);
	text = PRINTED(verdict_print_json, verdict);
	object = json_tokener_parse(text);
	assert_int_equal(json_object_array_length(json_object_object_get(object, "not_seen")), 2);
	json_object_put(object);
	free(text);
}

static void test_nothing_to_say_is_said(void **state)
{
	char *text;

	(void)state;
	judge();
	explain();
	text = PRINTED(verdict_print_text, verdict);
	assert_string_equal(text, "10 s, 0 packets, 0 services. There was nothing to look at.\n");
	free(text);
}

/* The verdict as programs read it, to be put with json_object_put(). */
static struct json_object *print_object(void)
{
	struct json_object *object;
	char *text;

	explain();
	text = PRINTED(verdict_print_json, verdict);
	assert_string_equal(strchr(text, '\n'), "\n");
	object = json_tokener_parse(text);
	assert_non_null(object);
	free(text);
	return object;
}

static struct json_object *finding_of(struct json_object *object, size_t i)
{
	return json_object_array_get_idx(member(object, "findings"), i);
}

static const char *text_of(struct json_object *object, const char *name)
{
	return json_object_get_string(member(object, name));
}

static void test_programs_read_an_object(void **state)
{
	struct json_object *object, *finding;

	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 300);
	judge();
	object = print_object();
	assert_string_equal(text_of(object, "kind"), "diagnosis");
	assert_string_equal(text_of(object, "time"), "2026-02-01T12:00:05.000Z");
	assert_int_equal(json_object_array_length(member(object, "findings")), 1);
	finding = finding_of(object, 0);
	assert_string_equal(text_of(finding, "class"), "reader-asleep");
	assert_int_equal(json_object_get_int(member(member(finding, "service"), "pid")), 411);
	assert_null(member(member(finding, "service"), "netns"));
	assert_string_equal(text_of(member(finding, "stage"), "part"), "asleep");
	assert_string_equal(text_of(finding, "share"), "0.2500");
	assert_int_equal(json_object_get_int64(member(finding, "max_ns")), 1 << 28);
	assert_int_equal(json_object_get_int(member(member(finding, "culprit"), "pid")), 411);
	json_object_put(object);
}

static int64_t evidence_of(struct json_object *finding, const char *name)
{
	return json_object_get_int64(member(member(finding, "evidence"), name));
}

static void test_programs_read_what_a_cause_rests_on(void **state)
{
	struct json_object *object, *finding;

	(void)state;
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 100, 90 * NS_PER_MS);
	judge();
	snprintf(verdict->findings[0].host.other_comm, 4, "hog");
	verdict->findings[0].host.other_ran_ns = 80 * NS_PER_MS;
	object = print_object();
	finding = finding_of(object, 0);
	assert_string_equal(text_of(finding, "class"), "reader-no-cpu");
	assert_string_equal(text_of(finding, "basis"), "measured");
	assert_int_equal(evidence_of(finding, "late"), 100);
	assert_int_equal(evidence_of(finding, "late_ns"), 9000 * NS_PER_MS);
	assert_int_equal(evidence_of(finding, "asleep_ns"), 0);
	assert_int_equal(evidence_of(finding, "ready_ns"), 9000 * NS_PER_MS);
	assert_int_equal(evidence_of(finding, "other_ran_ns"), 80 * NS_PER_MS);
	assert_null(json_object_object_get(member(finding, "evidence"), "throttled_ns"));
	json_object_put(object);
}

static void test_what_was_not_measured_is_inferred(void **state)
{
	struct json_object *object;

	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 300);
	judge();
	object = print_object();
	assert_string_equal(text_of(finding_of(object, 0), "basis"), "inferred");
	json_object_put(object);
}

static void assert_part(enum reader_part part, const struct host_facts *host, const char *expected)
{
	struct json_object *object;

	begin(NULL);
	add_part(KEY_OF(FIRST_SERVICE), part, 100, 90 * NS_PER_MS);
	judge();
	verdict->findings[0].host = *host;
	object = print_object();
	assert_string_equal(text_of(member(finding_of(object, 0), "stage"), "part"), expected);
	json_object_put(object);
	end(NULL);
}

static void test_programs_read_in_which_part_of_a_wait(void **state)
{
	const struct host_facts nothing = { 0 }, stopped = { .state = 'T' };
	const struct host_facts throttled = { .throttled = "/svc",
					      .cgroup_root = "/sys/fs/cgroup",
					      .throttled_ns = 5 * NS_PER_S };

	(void)state;
	end(NULL);
	assert_part(PART_ASLEEP, &nothing, "asleep");
	assert_part(PART_ASLEEP, &stopped, "asleep");
	assert_part(PART_READY, &nothing, "ready");
	assert_part(PART_READY, &throttled, "ready");
	assert_part(PART_RUNNING, &nothing, "running");
	begin(NULL);
}

/* Of what took no time, there are no times; and of drops, nobody knows of how many packets. */
static void test_programs_read_null_for_what_is_not_known(void **state)
{
	struct json_object *object, *drop, *slow;

	(void)state;
	drops[0] = (struct report_drop){ .from = HOOK_udp_start, .name = "NO_SOCKET", .count = 7 };
	report.nr_drops = 1;
	add(IPV4(tx_queue), HOOK_tx_start, KEY_OF(.ifindex = 4), 100, 20 * NS_PER_MS, 300);
	judge();
	object = print_object();
	drop = finding_of(object, 0);
	assert_string_equal(text_of(drop, "class"), "drop");
	assert_int_equal(json_object_get_int(member(drop, "count")), 7);
	assert_string_equal(text_of(member(drop, "stage"), "from"), "udp-start");
	assert_string_equal(text_of(member(drop, "stage"), "to"), "drop");
	assert_null(member(member(drop, "stage"), "part"));
	assert_null(member(drop, "share"));
	assert_null(member(drop, "p50_ns"));
	assert_null(member(drop, "p99_ns"));
	assert_null(member(drop, "max_ns"));
	assert_string_equal(text_of(drop, "cause"), verdict->findings[0].cause);
	slow = finding_of(object, 1);
	assert_string_equal(text_of(member(slow, "stage"), "from"), "tx-queue");
	assert_string_equal(text_of(member(slow, "stage"), "to"), "tx-start");
	assert_null(member(member(slow, "stage"), "part"));
	assert_int_equal(json_object_get_int64(member(slow, "p50_ns")), 1 << 10);
	assert_int_equal(json_object_get_int64(member(slow, "p99_ns")), 1 << 25);
	assert_string_equal(text_of(slow, "next"), verdict->findings[1].next);
	json_object_put(object);
}

/* One in ten is told, and whether one was late is not known. */
static void test_packets_of_which_nothing_is_known_are_told(void **state)
{
	struct json_object *object;
	char *text;

	(void)state;
	setup.plan.hooks[HOOK_udp_socket_read] = true;
	setup.plan.followed[HOOK_udp_socket_enqueued] = true;
	counts[HOOK_udp_socket_read].unpaired = 9;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 80);
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 10, NS_PER_US);
	add_part(KEY_OF(FIRST_SERVICE), PART_READY, 10, NS_PER_US);
	add_part(KEY_OF(FIRST_SERVICE), PART_RUNNING, 10, NS_PER_US);
	judge();
	text = PRINTED(verdict_print_text, verdict);
	assert_null(strstr(text, "not known where"));
	free(text);
	verdict_free(verdict);
	counts[HOOK_udp_socket_read].unpaired = 10;
	judge();
	verdict->packets = 100;
	assert_text("\nNot looked at, as it is not known where they were before: 10 of 100 packets "
		    "at udp-socket-read.\n");
	assert_text("Nothing is late of what was looked at");
	object = print_object();
	assert_int_equal(
		json_object_get_int64(member(member(object, "unpaired"), "udp-socket-read")), 10);
	json_object_put(object);
}

/* What is fine is told with the latest that it took. */
static void test_programs_read_what_was_looked_at(void **state)
{
	struct json_object *object, *looked_at;

	(void)state;
	add_reader(KEY_OF(FIRST_SERVICE), 0, 0, 1000);
	counts[0].discarded[DISCARD_NO_ROOM] = 1;
	counts[NR_HOOKS - 1].discarded[DISCARD_NO_ROOM] = 2;
	judge();
	verdict->packets = 1001;
	object = print_object();
	assert_int_equal(json_object_get_int(member(object, "schema")), JSON_SCHEMA);
	assert_string_equal(text_of(object, "interval_s"), "10.000000");
	assert_int_equal(json_object_get_int64(member(object, "late_ns")), NS_PER_MS);
	assert_int_equal(json_object_get_int64(member(object, "packets")), 1001);
	assert_int_equal(json_object_get_int64(member(object, "services")), 1);
	assert_int_equal(json_object_get_int64(member(object, "clients")), 0);
	assert_int_equal(json_object_get_int64(member(object, "no_room")), 3);
	assert_int_equal(json_object_array_length(member(object, "looked_at")), NR_CLASSES);
	looked_at = json_object_array_get_idx(member(object, "looked_at"), CLASS_reader_asleep);
	assert_string_equal(text_of(looked_at, "class"), "reader-asleep");
	assert_int_equal(json_object_get_int64(member(looked_at, "count")), 1000);
	assert_int_equal(json_object_get_int64(member(looked_at, "latest_ns")), 1 << 10);
	assert_string_equal(text_of(looked_at, "outcomes"), "[ ]");
	json_object_put(object);
}

static void test_programs_read_of_effects(void **state)
{
	struct json_object *object, *looked_at;

	(void)state;
	add(FROM_STAMP, HOOK_udp_send, KEY_OF(FIRST_SERVICE), 100, 200 * NS_PER_MS, 0);
	add_part(KEY_OF(FIRST_SERVICE), PART_ASLEEP, 100, 200 * NS_PER_MS);
	judge();
	object = print_object();
	looked_at = json_object_array_get_idx(member(object, "looked_at"), CLASS_reader_asleep);
	assert_string_equal(text_of(looked_at, "outcomes"), "[ \"effect\" ]");
	looked_at = json_object_array_get_idx(member(object, "looked_at"), CLASS_application);
	assert_string_equal(text_of(looked_at, "outcomes"), "[ \"told\" ]");
	json_object_put(object);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
static const struct CMUnitTest tests[] = {
	TEST(test_nothing_is_late),
	TEST(test_a_few_late_ones_are_chance),
	TEST(test_a_few_that_are_very_late_are_none),
	TEST(test_tasks_have_more_time_than_the_stack),
	TEST(test_what_is_in_time_is_said_to_be_no_later),
	TEST(test_what_an_application_always_takes_is_no_fault),
	TEST(test_late_is_what_surely_takes_as_long),
	TEST(test_each_stage_has_its_class),
	TEST(test_parts_are_late_together),
	TEST(test_a_part_that_is_late_makes_all_of_the_way_late),
	TEST(test_few_that_are_late_on_a_quick_way_are_so_by_chance),
	TEST(test_other_parts_do_not),
	TEST(test_who_asks_for_neighbours_waits_in_queues),
	TEST(test_a_share_of_all_waits_for_neighbours),
	TEST(test_what_waits_for_nobody_is_not_late_at_all),
	TEST(test_a_part_that_is_late_now_and_then_is_told_with_the_way),
	TEST(test_what_stops_the_machine_is_told_from_what_stops_a_task),
	TEST(test_a_second_is_chance_unless_it_is_bad),
	TEST(test_what_has_no_place_is_left_out),
	TEST(test_packets_of_all_ips_and_cpus_are_of_one_service),
	TEST(test_what_the_reader_did_tells_its_class),
	TEST(test_what_the_reader_does_tells_what_unread_packets_wait_for),
	TEST(test_what_a_limit_on_memory_did_is_inferred),
	TEST(test_parts_of_a_wait_are_one_packet),
	TEST(test_a_task_is_named_once),
	TEST(test_what_takes_longer_is_the_cause),
	TEST(test_who_accepts_late_makes_others_read_late),
	TEST(test_what_is_late_at_another_time_is_no_cause),
	TEST(test_two_services_of_a_process_may_both_be_bad),
	TEST(test_causes_do_not_depend_on_an_order),
	TEST(test_there_is_no_circle_of_causes),
	TEST(test_who_gets_no_cpu_takes_long_for_all_else),
	TEST(test_the_host_tells_in_what_and_for_whom_it_waited),
	TEST(test_nobody_is_accused_of_having_run),
	TEST(test_no_rules_are_said_and_those_of_old),
	TEST(test_who_decides_on_packets_for_netfilter_is_named),
	TEST(test_the_host_tells_of_limits_and_queues),
	TEST(test_limits_of_version_1_are_in_another_file),
	TEST(test_commands_have_hostile_names_as_words),
	TEST(test_sentences_have_printable_names_only),
	TEST(test_who_was_stopped_for_a_while_did_not_sleep),
	TEST(test_who_was_frozen_may_have_been_suspended),
	TEST(test_commands_run_where_it_is_late),
	TEST(test_commands_enter_a_namespace_without_a_name),
	TEST(test_an_application_may_wait_for_others),
	TEST(test_an_application_may_be_stopped),
	TEST(test_who_runs_is_not_throttled),
	TEST(test_an_application_may_get_no_cpu),
	TEST(test_a_short_wait_explains_no_long_sleep),
	TEST(test_a_wait_explains_a_sleep_of_its_size),
	TEST(test_who_sends_unasked_is_not_late),
	TEST(test_the_reader_tells_the_cgroup),
	TEST(test_who_waits_for_others_may_read_late),
	TEST(test_clients_may_think),
	TEST(test_services_may_have_any_port),
	TEST(test_a_backlog_is_the_fault_of_the_busiest),
	TEST(test_rules_explain_a_backlog),
	TEST(test_what_takes_no_time_makes_nobody_wait),
	TEST(test_a_backlog_waits_for_a_cpu_that_is_late_to_receive),
	TEST(test_a_cpu_that_works_begins_late_with_more),
	TEST(test_a_cpu_that_works_now_and_then_is_late_for_a_task),
	TEST(test_a_few_late_packets_explain_no_backlog_of_many),
	TEST(test_what_is_not_answered_yet_is_told_of_who_answers),
	TEST(test_peers_that_are_far_are_no_finding),
	TEST(test_what_bulk_queues_on_the_way_is_told),
	TEST(test_each_service_has_its_means),
	TEST(test_means_are_within_a_namespace),
	TEST(test_devices_upon_devices_are_all_on_the_way_out),
	TEST(test_a_packet_in_a_tunnel_is_one),
	TEST(test_an_answer_may_have_many_segments),
	TEST(test_the_busiest_service_comes_first),
	TEST(test_the_worst_comes_first),
	TEST(test_what_is_missed_comes_first),
	TEST(test_the_protocol_of_drops_is_told),
	TEST(test_the_port_of_most_drops_is_named),
	TEST(test_who_has_the_port_at_another_address_is_told),
	TEST(test_who_has_the_port_all_along_is_told),
	TEST(test_who_has_the_port_in_another_namespace_is_told),
	TEST(test_what_a_listener_refuses_is_sent_to_a_socket),
	TEST(test_packets_in_a_circle_are_told_from_probes),
	TEST(test_how_many_were_dropped_in_a_namespace_is_said),
	TEST(test_who_reads_too_slowly_is_named),
	TEST(test_what_a_late_reader_loses_is_told_with_it),
	TEST(test_a_reader_that_has_no_time_for_all_is_late),
	TEST(test_a_burst_is_no_overload),
	TEST(test_what_comes_late_does_not_wait_behind_others),
	TEST(test_a_reader_that_is_busy_is_not_overloaded),
	TEST(test_what_a_reader_is_late_for_is_told_once),
	TEST(test_who_reads_late_from_a_tun_is_named),
	TEST(test_what_a_full_tun_loses_is_told_with_its_reader),
	TEST(test_what_waits_in_a_tun_is_sent_again),
	TEST(test_a_tun_is_looked_at_if_what_is_sent_there_is_read),
	TEST(test_a_few_strays_are_no_harm),
	TEST(test_copies_of_icmp_are_not_missed),
	TEST(test_a_reason_that_is_not_known_is_told_by_its_name),
	TEST(test_segments_out_of_order_were_lost),
	TEST(test_segments_that_come_again_were_not_lost),
	TEST(test_few_segments_are_lost_by_chance),
	TEST(test_what_is_sent_again_was_lost),
	TEST(test_a_way_loses_in_both_directions),
	TEST(test_what_waits_here_for_longer_than_a_timer_is_not_lost),
	TEST(test_peers_send_again_what_is_acknowledged_late_here),
	TEST(test_who_scans_or_floods_tells_nothing_of_a_way),
	TEST(test_acks_wait_for_the_lock_too),
	TEST(test_peers_send_again_what_waits_for_the_lock),
	TEST(test_what_is_dropped_here_is_no_loss_besides),
	TEST(test_late_duplicates_are_dropped_as_others_waited),
	TEST(test_what_is_dropped_on_the_way_out_is_no_loss_of_the_network),
	TEST(test_what_is_dropped_elsewhere_is_another_loss),
	TEST(test_what_is_dropped_at_many_ports_is_none_of_one),
	TEST(test_who_holds_the_lock_processes_what_waits),
	TEST(test_what_no_task_holds_up_is_filtered),
	TEST(test_a_way_has_the_lock_and_the_filter),
	TEST(test_a_way_tells_of_its_own_filter),
	TEST(test_a_filter_takes_a_cpu),
	TEST(test_senders_wait_for_window_or_buffer),
	TEST(test_steal_is_told_before_findings),
	TEST(test_who_was_killed_for_memory_is_told_though_nothing_is_late),
	TEST(test_nagle_is_a_finding_of_its_own),
	TEST(test_what_waits_within_a_write_is_not_held_back_by_tcp),
	TEST(test_an_application_may_take_its_time_for_the_rest_of_an_answer),
	TEST(test_nagle_waits_for_acks_of_what_is_queued_here),
	TEST(test_nagle_waits_longer_than_a_peer_delays_acks_for_what_is_sent_again),
	TEST(test_nagle_waits_for_acks_that_wait_for_the_lock),
	TEST(test_short_segments_for_lack_of_room_are_no_finding_of_nagle),
	TEST(test_what_tcp_holds_back_is_no_finding),
	TEST(test_what_is_still_queued_is_late),
	TEST(test_a_shared_socket_waits_for_who_has_read_from_it),
	TEST(test_others_may_read_from_a_shared_socket),
	TEST(test_whose_accept_queue_was_full_is_told),
	TEST(test_what_no_program_saw_refused_is_told),
	TEST(test_who_accepts_late_is_told_what_no_program_saw_refused),
	TEST(test_of_many_that_drop_none_is_blamed),
	TEST(test_drops_before_the_watch_blame_nobody),
	TEST(test_segments_that_were_merged_are_late),
	TEST(test_what_a_full_accept_queue_refused_is_told),
	TEST(test_a_backlog_takes_the_cpu_of_readers),
	TEST(test_a_task_keeps_ksoftirqd_from_a_cpu),
	TEST(test_who_holds_the_lock_does_nothing_else),
	TEST(test_what_is_not_known_is_a_question_mark),
	TEST(test_people_read_sentences),
	TEST(test_people_read_in_what_code_a_reader_sleeps),
	TEST(test_wrong_checksums_are_told_once),
	TEST(test_syns_that_cannot_be_answered_are_told),
	TEST(test_answers_that_cannot_be_sent_are_told),
	TEST(test_connections_without_a_port_are_told),
	TEST(test_failures_of_many_processes_are_one),
	TEST(test_who_is_asked_is_told_with_the_slowest_first),
	TEST(test_what_dns_servers_do_not_answer_is_told),
	TEST(test_who_answers_no_syn_is_told),
	TEST(test_of_many_that_are_asked_the_first_are_told),
	TEST(test_a_reader_that_sleeps_may_wait_for_whom_it_asks),
	TEST(test_people_read_of_what_is_lost),
	TEST(test_what_a_card_missed_is_a_finding),
	TEST(test_what_a_card_missed_is_not_lost_on_the_way),
	TEST(test_a_bad_link_is_a_finding),
	TEST(test_what_came_damaged_is_not_lost_on_the_way),
	TEST(test_syns_that_were_dropped_are_a_finding),
	TEST(test_that_the_clock_was_set_is_told),
	TEST(test_people_read_numbers_from_ten_on),
	TEST(test_people_read_how_many_are_there),
	TEST(test_effects_are_said_to_be_late),
	TEST(test_chance_is_said),
	TEST(test_the_bound_of_answers_is_said),
	TEST(test_people_read_what_is_fine),
	TEST(test_what_was_not_looked_at_is_said),
	TEST(test_what_may_not_be_seen_is_said),
	TEST(test_nothing_to_say_is_said),
	TEST(test_programs_read_an_object),
	TEST(test_programs_read_what_a_cause_rests_on),
	TEST(test_what_was_not_measured_is_inferred),
	TEST(test_programs_read_in_which_part_of_a_wait),
	TEST(test_programs_read_null_for_what_is_not_known),
	TEST(test_packets_of_which_nothing_is_known_are_told),
	TEST(test_programs_read_what_was_looked_at),
	TEST(test_programs_read_of_effects),
	TEST(test_no_sentence_has_a_question_mark),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
