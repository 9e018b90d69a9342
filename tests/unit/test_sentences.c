// SPDX-License-Identifier: GPL-2.0
/*
 * Every sentence that a verdict can have, in golden/sentences.txt: to be read, and then accepted by
 * GOLDEN_UPDATE=1 .output/tests/unit/test_sentences
 */
#include "unit.h"

#include <stdio.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "json_member.h"
#include "lib/diagnose/verdict.h"
#include "lib/tables/retransmit.h"
#include "lib/tables/tcp_limit.h"
#include "lib/tables/units.h"

#define PATH "tests/unit/golden/sentences.txt"

static const struct thresholds late = { NS_PER_MS, 10 * NS_PER_MS, 100 * NS_PER_MS };
static struct service_ports ports;
static struct hook_counts counts[NR_HOOKS];
static struct report_setup setup;
static struct report report = {
	.setup = &setup,
	.hooks = counts,
	.duration_ns = 10 * NS_PER_S,
};

/* What the report knows of a finding, where it knows all. */
static const char *const known[][2] = {
	{ "netns", "web" },
	{ "interface", "eth0" },
	{ "cgroup", "/svc-cart" },
	{ "port", "5001" },
	{ "pid", "411" },
	{ "comm", "cart" },
	{ "cpu", "3" },
	{ "protocol", "TCP" },
	{ "holder", "cart" },
	{ "between", "(what lies between)" },
};

static void add_finding(struct verdict *verdict, enum class class, const struct host_facts *host)
{
	struct finding *finding;

	verdict->findings = reallocarray(verdict->findings, 1, sizeof(*finding));
	assert_non_null(verdict->findings);
	verdict->nr = 1;
	finding = verdict->findings;
	*finding = (struct finding){ .class = class, .pid = 411, .host = *host };
	finding->lateness = (struct lateness){
		.count = 200,
		.late = 60,
		.late_ns = 3 * NS_PER_S,
		.p50_ns = NS_PER_MS,
		.p99_ns = 50 * NS_PER_MS,
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		facts_set(&finding->facts, known[i][0], known[i][1]);
}

/* Of the class that the host's facts lead to. */
static void print_finding(FILE *out, enum class class, const struct host_facts *host,
			  void (*change)(struct finding *finding))
{
	struct verdict *verdict = verdict_new(&report, &late, &ports);
	const struct finding *finding;

	assert_non_null(verdict);
	add_finding(verdict, class, host);
	if (change)
		change(verdict->findings);
	verdict_explain(verdict);
	assert_int_equal(verdict->nr, 1);
	finding = verdict->findings;
	assert_true(finding->facts.nr < MAX_FACTS);
	fprintf(out, "\n%s\n    %s\n    %s\n    -> %s\n", classes[finding->class].name,
		finding->where, finding->cause, finding->next);
	verdict_free(verdict);
}

static const struct host_facts nothing;
static const struct host_facts asleep = { .asleep_in = "futex" };
static const struct host_facts crashed = { .dumps_core = true };
static const struct host_facts woken_by_thread = {
	.asleep_in = "futex",
	.waker_pid = 411,
	.waker_tid = 415,
	.waker_comm = "logger",
	.waker_mostly = ASLEEP,
	.waker_asleep_in = "fsync",
};
static const struct host_facts woken_by_other = {
	.asleep_in = "futex",
	.waker_pid = 7,
	.waker_tid = 8,
	.waker_comm = "postgres",
	.waker_mostly = RUNNING,
};
static const struct host_facts woken_by_starved = {
	.asleep_in = "read",
	.waker_pid = 7,
	.waker_tid = 7,
	.waker_comm = "helper",
	.waker_mostly = READY,
};
static const struct host_facts woken_by_kernel = {
	.asleep_in = "fsync",
	.waited_for_io = true,
	.waker_tid = 8,
	.waker_comm = "jbd2/vda1-8",
	.waker_mostly = NR_PARTS,
};
static const struct host_facts without_memory = { .asleep_in = "recvfrom",
						  .waited_for_memory = true };
static const struct memory_limit memory_max = {
	.id = 7, .root = "/sys/fs/cgroup", .path = "/a b", .file = "memory.max", .bytes = "25165824"
};
static const struct host_facts at_memory_max = { .asleep_in = "recvfrom",
						 .waited_for_memory = true,
						 .memory_limit = &memory_max };
static const struct host_facts at_disk = { .asleep_in = "fsync", .waited_for_io = true };
static const struct host_facts at_swap = { .asleep_in = "a page fault",
					   .waited_for_io = true,
					   .swapped_bytes = 10 << 20 };
static const struct host_facts kept_at_swap = { .asleep_in = "a page fault",
						.waited_for_io = true,
						.swapped_bytes = 10 << 20,
						.memory_limit = &memory_max };
static const struct host_facts often_at_disk = { .asleep_in = "pread64",
						 .waited_for_io = true,
						 .slept_often = true };
static const struct host_facts often_asleep = { .asleep_in = "futex", .slept_often = true };
static const struct host_facts often_in_unknown = { .mostly = ASLEEP, .slept_often = true };
static const struct host_facts stopped = { .state = 'T' };
static const struct host_facts frozen = { .was_stopped = true, .was_frozen = true };
static const struct host_facts ready = { .ready_ns = 9 * NS_PER_S };
static const struct host_facts kept = { .ready_ns = 9 * NS_PER_S, .nobody_ran = true };
static const struct host_facts kept_in_real_time = {
	.mostly = READY, .nobody_ran = true, .state = 'R', .policy = SCHED_RR
};
static const struct host_facts kept_by_deadline = {
	.mostly = READY, .nobody_ran = true, .state = 'R', .policy = SCHED_DEADLINE
};

#define BESIDE_HOG .other_pid = 7, .other_comm = "hog", .other_ran_ns = 98 * NS_PER_MS
#define THROTTLED                                                                          \
	.throttled = "/svc-cart", .throttled_ns = 5 * NS_PER_S, .cpu_max = "20000 100000", \
	.cgroup_root = "/sys/fs/cgroup"

static const struct host_facts beside = { .ready_ns = 9 * NS_PER_S, BESIDE_HOG };
static const struct host_facts throttled = { THROTTLED };
static const struct host_facts beside_at_work = { .mostly = READY, BESIDE_HOG };
static const struct host_facts throttled_at_work = { .mostly = READY, THROTTLED };
static const struct host_facts throttled_as_it_seems = { .mostly = NR_PARTS, THROTTLED };
static const struct host_facts interrupted_at_work = { .mostly = READY,
						       .other_comm = "softirqs",
						       .other_ran_ns = 98 * NS_PER_MS };
static const struct host_facts works = { .mostly = RUNNING };
static const struct host_facts busy = { .running_ns = 9 * NS_PER_S };
static const struct host_facts rules = { .nr_rules = 25000, .rules_by = "nft" };
static const struct host_facts no_rules = { .rules_by = "nft" };
static const struct host_facts old_rules = { .rules_by = "nft", .has_legacy_rules = true };
static const struct host_facts queued = {
	.queued_packets = 60,
	.nfqueue = 3,
	.decider_pid = 42,
	.decider_comm = "sensor",
};
static const struct host_facts queued_for_somebody = { .queued_packets = 60 };
static const struct host_facts balanced = {
	.has_conntrack = true, .has_ipvs = true, .nr_rules = 9, .rules_by = "nft"
};
static const struct host_facts only_balanced = { .has_ipvs = true, .rules_by = "nft" };
static const struct host_facts room = {
	.has_conntrack = true,
	.conntrack_dropped = 99,
	.conntrack_max = 65536,
};
static const struct host_facts clashes = {
	.has_conntrack = true,
	.conntrack_dropped = 99,
	.conntrack_clashed = 100,
};
static const struct host_facts no_room = {
	.has_conntrack = true,
	.conntrack_dropped = 100,
	.conntrack_max = 65536,
};
static const struct host_facts softirqs_off = {
	.other_pid = 7,
	.other_comm = "hog",
	.other_ran_ns = 45 * NS_PER_MS,
};
static const struct host_facts no_ksoftirqd = {
	.thread = "ksoftirqd/1",
	.other_pid = 7,
	.other_comm = "hog",
	.other_ran_ns = 45 * NS_PER_MS,
};
static const struct host_facts no_napi_thread = {
	.thread = "napi/eth0-8193",
	.other_pid = 7,
	.other_comm = "hog",
	.other_ran_ns = 45 * NS_PER_MS,
};
static const struct host_facts squeezed = { .cpu = { 3 * NS_PER_S, 12 } };
static const struct host_facts no_file_left = { .files_at_limit = 1024 };
static const struct host_facts unplugged = { .has_no_carrier = true };
static const struct host_facts queue = { .qdisc_kind = "tbf" };
static const struct host_facts fair_queue = { .qdisc_kind = "fq" };
static const struct host_facts other_queue = { .qdisc_kind = "mq" };

static const struct host_facts woken_by_ring = {
	.asleep_in = "io_uring_enter",
	.waker_pid = 411,
	.waker_tid = 415,
	.waker_comm = "iou-sqp-411",
	.waker_mostly = RUNNING,
};

/* A thread of io_uring's, as Linux names it today, and did before 5.12. */
static void by_ring(struct finding *finding)
{
	facts_set(&finding->facts, "comm", "iou-sqp-411");
}

static void by_old_ring(struct finding *finding)
{
	facts_set(&finding->facts, "comm", "io_uring-sq");
}

static void few(struct finding *finding)
{
	finding->lateness.count = 10000;
	finding->lateness.late = finding->lateness.very_late = 9;
	finding->lateness.max_ns = 5 * NS_PER_S;
}

static void drops_too(struct finding *finding)
{
	finding->dropped = 548;
}

static void takes_cpu(struct finding *finding)
{
	finding->work = (struct work){ .ns = 170 * NS_PER_MS, .takes_cpu = true };
}

static void has_parts(struct finding *finding)
{
	static const struct class_stage backlog = { .between = "the CPU's backlog" };
	static const struct class_stage rules_in = { .between = "netfilter's INPUT chains" };

	finding->path_parts[0] = (struct path_part){ &backlog, 2, 1800 * NS_PER_US };
	finding->path_parts[1] = (struct path_part){ &rules_in, 1, 850 * NS_PER_US };
	finding->nr_path_parts = 2;
}

static void once(struct finding *finding)
{
	finding->lateness.late_once = 60;
	finding->seconds = (struct late_seconds_entry){ .late = 1, .active = 10 };
}

static void now_and_then(struct finding *finding)
{
	finding->seconds = (struct late_seconds_entry){ .late = 4, .active = 10 };
}

static void has_shared_socket(struct finding *finding)
{
	finding->nr_sharing = 1;
}

static void have_shared_socket(struct finding *finding)
{
	finding->nr_sharing = 4;
}

static void refuses(struct finding *finding)
{
	facts_set(&finding->facts, "refused", "27");
}

static void is_refused(struct finding *finding)
{
	facts_set(&finding->facts, "and_others", "");
	facts_set(&finding->facts, "error", "ENETUNREACH");
	facts_set(&finding->facts, "error_text", "there is no route to where they go");
}

static void has_no_port(struct finding *finding)
{
	facts_set(&finding->facts, "port", "");
	facts_set(&finding->facts, "and_others", " and 3 other processes");
	facts_set(&finding->facts, "to_port", " to port 80");
	facts_set(&finding->facts, "and_dport", " 'dport = :80'");
}

static enum tcp_limit limit;

static void limited(struct finding *finding)
{
	finding->limit = limit;
}

static void print_limited(FILE *out, enum class class, enum tcp_limit by)
{
	limit = by;
	print_finding(out, class, &nothing, limited);
}

static enum retransmit retransmit;

static void sent_again(struct finding *finding)
{
	finding->retransmit = retransmit;
	finding->is_both_ways = retransmit == RETRANSMIT_FAST;
}

static void all_came_again(struct finding *finding)
{
	finding->came_again = finding->lateness.late;
}

static void some_came_again(struct finding *finding)
{
	finding->came_again = 1;
}

/* As much as is known without any task or name. */
static void unknown(struct finding *finding)
{
	facts_free(&finding->facts);
	facts_set(&finding->facts, "protocol", "TCP");
	facts_set(&finding->facts, "port", "40000");
	facts_set(&finding->facts, "between", "(what lies between)");
	facts_set(&finding->facts, "interface", "eth0");
	facts_set(&finding->facts, "holder", "A task");
}

/* Most packets are late, by 160 ms each, 300 a second. */
static void has_long_queue(struct finding *finding)
{
	finding->lateness.count = finding->lateness.late = 3000;
	finding->lateness.late_ns = 480 * NS_PER_S;
}

static void print_readers(FILE *out)
{
	static const struct host_facts *const hosts[] = {
		&nothing, &asleep,	   &at_disk,	   &at_swap,	  &stopped,
		&frozen,  &ready,	   &kept,	   &beside,	  &throttled,
		&busy,	  &without_memory, &at_memory_max, &kept_at_swap, NULL
	};

	for (const struct host_facts *const *host = hosts; *host; host++)
		print_finding(out, CLASS_reader_asleep, *host, NULL);
	print_finding(out, CLASS_reader_asleep, &crashed, NULL);
	print_finding(out, CLASS_reader_asleep, &woken_by_thread, NULL);
	print_finding(out, CLASS_reader_asleep, &woken_by_other, NULL);
	print_finding(out, CLASS_reader_asleep, &asleep, few);
	print_finding(out, CLASS_reader_asleep, &asleep, once);
	print_finding(out, CLASS_reader_asleep, &asleep, now_and_then);
	print_finding(out, CLASS_reader_asleep, &asleep, drops_too);
	print_finding(out, CLASS_reader_asleep, &nothing, has_shared_socket);
	print_finding(out, CLASS_reader_busy, &busy, has_long_queue);
	print_finding(out, CLASS_reader_busy, &busy, by_ring);
	print_finding(out, CLASS_reader_busy, &busy, by_old_ring);
}

static void missed(struct finding *finding)
{
	facts_set(&finding->facts, "missed", "60");
}

static void link_has(struct finding *finding, const char *lost, const char *damaged)
{
	facts_set(&finding->facts, "links_lost", lost);
	facts_set(&finding->facts, "damaged", damaged);
}

static void link_is_lost(struct finding *finding)
{
	link_has(finding, "1", "0");
}
static void packets_are_damaged(struct finding *finding)
{
	link_has(finding, "0", "60");
}
static void link_is_bad(struct finding *finding)
{
	link_has(finding, "3", "60");
}

static void syns(struct finding *finding)
{
	facts_set(&finding->facts, "syns", "293");
}

static void print_on_rt(FILE *out)
{
	setup.host = (struct utsname){ .version = "#1 SMP PREEMPT_RT Debian 7.2.3-1" };
	print_finding(out, CLASS_backlog, &nothing, takes_cpu);
	print_finding(out, CLASS_netfilter_in, &rules, NULL);
	print_finding(out, CLASS_socket_filter, &nothing, NULL);
	setup.host = (struct utsname){ 0 };
}

static void print_stack(FILE *out)
{
	print_finding(out, CLASS_card, &nothing, missed);
	print_finding(out, CLASS_link, &nothing, link_is_lost);
	print_finding(out, CLASS_link, &nothing, packets_are_damaged);
	print_finding(out, CLASS_link, &nothing, link_is_bad);
	print_finding(out, CLASS_softirq, &nothing, NULL);
	print_finding(out, CLASS_softirq, &nothing, takes_cpu);
	print_finding(out, CLASS_softirq, &softirqs_off, NULL);
	print_finding(out, CLASS_softirq, &no_ksoftirqd, NULL);
	print_finding(out, CLASS_softirq, &no_napi_thread, NULL);
	print_finding(out, CLASS_backlog, &nothing, NULL);
	print_finding(out, CLASS_backlog, &nothing, takes_cpu);
	print_finding(out, CLASS_backlog, &squeezed, takes_cpu);
	print_finding(out, CLASS_ingress, &nothing, NULL);
	print_finding(out, CLASS_netfilter_in, &rules, NULL);
	print_finding(out, CLASS_netfilter_in, &no_rules, NULL);
	print_finding(out, CLASS_netfilter_forward, &old_rules, NULL);
	print_finding(out, CLASS_netfilter_out, &nothing, NULL);
	print_finding(out, CLASS_netfilter_out, &nothing, unknown);
	print_finding(out, CLASS_netfilter_in, &queued, NULL);
	print_finding(out, CLASS_netfilter_out, &queued_for_somebody, NULL);
	print_finding(out, CLASS_bridged, &nothing, NULL);
	print_finding(out, CLASS_socket_lock, &nothing, NULL);
	print_finding(out, CLASS_socket_lock, &nothing, unknown);
	print_finding(out, CLASS_socket_filter, &nothing, NULL);
	print_finding(out, CLASS_receive_path, &nothing, NULL);
	print_finding(out, CLASS_receive_path, &nothing, has_parts);
	print_finding(out, CLASS_neighbour, &nothing, NULL);
	print_finding(out, CLASS_egress, &nothing, NULL);
	print_finding(out, CLASS_qdisc, &nothing, NULL);
	print_finding(out, CLASS_qdisc, &queue, NULL);
	print_finding(out, CLASS_qdisc, &fair_queue, NULL);
	print_finding(out, CLASS_qdisc, &other_queue, NULL);
	print_on_rt(out);
}

static void print_others(FILE *out_file)
{
	print_finding(out_file, CLASS_syn_queue, &nothing, syns);
	print_finding(out_file, CLASS_unsent, &nothing, is_refused);
	print_finding(out_file, CLASS_no_port, &nothing, has_no_port);
	print_finding(out_file, CLASS_accept, &nothing, NULL);
	print_finding(out_file, CLASS_accept, &nothing, refuses);
	print_finding(out_file, CLASS_accept, &nothing, have_shared_socket);
	print_finding(out_file, CLASS_accept, &no_file_left, NULL);
	print_finding(out_file, CLASS_accept, &stopped, NULL);
	print_finding(out_file, CLASS_accept, &asleep, refuses);
	print_finding(out_file, CLASS_accept, &throttled_as_it_seems, NULL);
	print_finding(out_file, CLASS_application, &nothing, NULL);
	print_finding(out_file, CLASS_application, &asleep, NULL);
	print_finding(out_file, CLASS_application, &woken_by_thread, NULL);
	print_finding(out_file, CLASS_application, &woken_by_other, NULL);
	print_finding(out_file, CLASS_application, &woken_by_starved, NULL);
	print_finding(out_file, CLASS_application, &woken_by_kernel, NULL);
	print_finding(out_file, CLASS_application, &at_disk, NULL);
	print_finding(out_file, CLASS_application, &often_at_disk, NULL);
	print_finding(out_file, CLASS_application, &often_asleep, NULL);
	print_finding(out_file, CLASS_application, &often_in_unknown, NULL);
	print_finding(out_file, CLASS_application, &at_memory_max, NULL);
	print_finding(out_file, CLASS_application, &kept_at_swap, NULL);
	print_finding(out_file, CLASS_application, &beside_at_work, NULL);
	print_finding(out_file, CLASS_application, &works, by_ring);
	print_finding(out_file, CLASS_application, &woken_by_ring, NULL);
	print_finding(out_file, CLASS_application, &interrupted_at_work, NULL);
	print_finding(out_file, CLASS_application, &throttled_at_work, NULL);
	print_finding(out_file, CLASS_application, &kept_in_real_time, NULL);
	print_finding(out_file, CLASS_application, &kept_by_deadline, NULL);
	print_finding(out_file, CLASS_application, &works, NULL);
	print_limited(out_file, CLASS_send_wait, TCP_LIMIT_RWND);
	print_limited(out_file, CLASS_send_wait, TCP_LIMIT_SNDBUF);
	print_finding(out_file, CLASS_nagle, &nothing, NULL);
	print_limited(out_file, CLASS_slow_write, TCP_LIMIT_PAGE);
	print_limited(out_file, CLASS_slow_write, TCP_LIMIT_WRITE);
	print_limited(out_file, CLASS_cork, TCP_LIMIT_CORK);
	print_finding(out_file, CLASS_loss, &nothing, NULL);
	print_finding(out_file, CLASS_loss, &nothing, unknown);
	print_finding(out_file, CLASS_loss, &nothing, all_came_again);
	print_finding(out_file, CLASS_loss, &nothing, some_came_again);
	for (retransmit = 0; retransmit < END_OF_RETRANSMITS; retransmit++)
		if (retransmit != RETRANSMIT_SYN_ACK)
			print_finding(out_file, CLASS_retransmit, &nothing, sent_again);
}

static const char *reason;

static void for_reason(struct finding *finding)
{
	facts_set(&finding->facts, "reason", reason);
	finding->drop = class_drop_find(reason);
}

/* Why it was dropped is known better than by the kernel's reason. */
static const char *known_as;

static void for_known_reason(struct finding *finding)
{
	for_reason(finding);
	finding->drop = class_drop_find(known_as);
}

static void for_reason_at_no_device(struct finding *finding)
{
	for_reason(finding);
	facts_set(&finding->facts, "interface", "");
}

/* The kernel has no such reasons. */
static bool is_known_better(const char *name)
{
	static const char *const names[] = { DROP_BY_ADDRESS,	 DROP_BY_KIND,	    DROP_BY_NETNS,
					     DROP_BY_RULE,	 DROP_BY_CONNTRACK, DROP_BY_CLASH,
					     DROP_NO_ROUTE_BACK, DROP_NO_CARRIER };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void print_drops(FILE *out_file)
{
	static const char *const reasons[] = {
#define DROP(reason, cause, next) reason,
#include "lib/diagnose/classes.def"
	};
	static const struct {
		const char *reason, *row;
	} known_better[] = {
		{ DROP_NO_SOCKET, DROP_BY_ADDRESS },
		{ DROP_NO_SOCKET, DROP_BY_KIND },
		{ DROP_NO_SOCKET, DROP_BY_NETNS },
		{ DROP_NO_ROUTE, DROP_NO_ROUTE_BACK },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		reason = reasons[i];
		if (!is_known_better(reason))
			print_finding(out_file, CLASS_drop, &nothing, for_reason);
	}
	reason = "TC_INGRESS";
	print_finding(out_file, CLASS_drop, &nothing, for_reason_at_no_device);
	for (size_t i = 0; i < sizeof(known_better) / sizeof(*known_better); i++) {
		reason = known_better[i].reason;
		known_as = known_better[i].row;
		print_finding(out_file, CLASS_drop, &nothing, for_known_reason);
	}
	reason = DROP_BY_NETFILTER;
	print_finding(out_file, CLASS_drop, &no_rules, for_reason);
	print_finding(out_file, CLASS_drop, &balanced, for_reason);
	print_finding(out_file, CLASS_drop, &only_balanced, for_reason);
	print_finding(out_file, CLASS_drop, &room, for_reason);
	print_finding(out_file, CLASS_drop, &clashes, for_reason);
	print_finding(out_file, CLASS_drop, &no_room, for_reason);
	reason = DROP_BY_QDISC;
	print_finding(out_file, CLASS_drop, &unplugged, for_reason);
}

static void test_all_sentences_were_read(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out_file = open_memstream(&text, &size);

	(void)state;
	service_ports_init(&ports);
	report.names = label_names_new();
	print_stack(out_file);
	print_readers(out_file);
	print_others(out_file);
	print_drops(out_file);
	fclose(out_file);
	label_names_free(report.names);
	assert_golden_text(text, PATH);
	/* Nothing that a sentence names is unknown. */
	assert_null(strchr(text, '?'));
	free(text);
}

/* One that is added to the table is to be read as well, by people and programs. */
static void test_each_class_is_there(void **state)
{
	struct json_object *schema = json_object_from_file("doc/report.schema.json"), *listed;
	char *text = golden_read(PATH), name[64];

	(void)state;
	listed = member(member(member(schema, "definitions"), "class"), "enum");
	assert_int_equal(json_object_array_length(listed), NR_CLASSES);
	for (enum class class = 0; class < NR_CLASSES; class ++) {
		snprintf(name, sizeof(name), "\n%s\n", classes[class].name);
		assert_true(!classes[class].where || strstr(text, name));
		assert_string_equal(
			json_object_get_string(json_object_array_get_idx(listed, class)),
			classes[class].name);
	}
	json_object_put(schema);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sentences_were_read),
		cmocka_unit_test(test_each_class_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
