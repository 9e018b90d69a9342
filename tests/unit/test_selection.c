// SPDX-License-Identifier: GPL-2.0
/* Which programs are loaded, and what they are to do, on kernels that have this or that. */
#include "unit.h"

#include <string.h>

#include "lib/kernel/selection.h"

/* A kernel that has everything. */
static struct selection new_kernel(void)
{
	struct selection selection = { .has_sk_storage = true };

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		selection.targets[probe] = 1 + probe;
	return selection;
}

static struct left_out left_out;

static int forget_reasons(void **state)
{
	(void)state;
	memset(&left_out, 0, sizeof(left_out));
	return 0;
}

/* Selects the hooks that a pattern names. */
static void make(struct selection *selection, const char *pattern, bool include_hol_delay)
{
	struct plan plan = { .include_hol_delay = include_hol_delay };

	assert_true(hooks_select(pattern, true, plan.hooks));
	selection_make(selection, &plan, &left_out);
}

/* With stages, from hook to hook of these, or without them. */
static void follow(struct plan *plan, const char *pattern, bool enable)
{
	plan->stages = true;
	assert_true(hooks_select(pattern, enable, plan->hooks));
	memcpy(plan->followed, plan->hooks, sizeof(plan->followed));
}

static unsigned int nr_loaded(const struct selection *selection)
{
	unsigned int nr = 0;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		nr += selection_loads(selection->tasks, probe);
	return nr;
}

static void test_a_hook_has_its_programs_and_no_others(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "udp-queue-rcv", false);
	assert_int_equal(nr_loaded(&selection), 2);
	assert_int_equal(selection.tasks[PROBE_udp_queue_rcv_one_skb], TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_udpv6_queue_rcv_one_skb], TASK_COUNT);
}

static void test_a_function_that_is_missing_is_left_out(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	selection.targets[PROBE_udpv6_queue_rcv_one_skb] = 0;
	make(&selection, "udp-*", false);
	assert_non_null(left_out.why[PROBE_udpv6_queue_rcv_one_skb]);
	assert_null(left_out.why[PROBE_udp_queue_rcv_one_skb]);
	assert_int_equal(selection.tasks[PROBE_udpv6_queue_rcv_one_skb], 0);
	/* What nobody wants is not missed. */
	selection.targets[PROBE_tcp_v4_rcv] = 0;
	make(&selection, "udp-*", false);
	assert_null(left_out.why[PROBE_tcp_v4_rcv]);
}

static void test_softirqs_take_the_program_where_they_are_raised(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "softirq-net-rx", false);
	assert_int_equal(nr_loaded(&selection), 2);
	assert_int_equal(selection.tasks[PROBE_softirq_entry], TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_softirq_raise], TASK_REMEMBER);
	/* Neither is of any use without the other. */
	selection_give_up(&selection, PROBE_softirq_raise, "because", &left_out);
	assert_string_equal(left_out.why[PROBE_softirq_entry], "because");
	assert_null(left_out.why[PROBE_tcp_cleanup_rbuf]);
}

static void test_a_softirq_that_may_not_be_told_when_raised_is_left_out(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "softirq-net-rx", false);
	selection_refuse(&selection, PROBE_softirq_raise, &left_out);
	make(&selection, "softirq-net-rx", false);
	assert_non_null(left_out.why[PROBE_softirq_entry]);
	assert_int_equal(nr_loaded(&selection), 0);
}

/* As where tcp_v4_syn_recv_sock() has a seventh argument (Ubuntu's 5.15.0-204). */
static void test_without_what_it_may_lack_a_hook_is_measured(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "tcp-accept", false);
	assert_true(selection.tasks[PROBE_tcp_v4_syn_recv_sock]);
	selection_give_up(&selection, PROBE_tcp_v4_syn_recv_sock, "because", &left_out);
	selection_give_up(&selection, PROBE_tcp_v6_syn_recv_sock, "because", &left_out);
	assert_null(left_out.why[PROBE_inet_csk_accept]);
	selection_refuse(&selection, PROBE_tcp_conn_request, &left_out);
	assert_non_null(left_out.why[PROBE_tcp_conn_request]);
	assert_null(left_out.why[PROBE_inet_csk_accept]);
	selection_give_up(&selection, PROBE_inet_csk_complete_hashdance, "because", &left_out);
	assert_string_equal(left_out.why[PROBE_inet_csk_accept], "because");
}

static void test_reads_take_a_program_that_remembers(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "tcp-socket-read", false);
	assert_int_equal(nr_loaded(&selection), 4);
	assert_int_equal(selection.tasks[PROBE_tcp_cleanup_rbuf], TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_tcp_queue_rcv], TASK_STORE);
	assert_int_equal(selection.tasks[PROBE_tcp_disconnect], TASK_FORGET);
	assert_int_equal(selection.tasks[PROBE_tcp_v4_destroy_sock], TASK_FORGET);
	assert_string_equal(left_out.why[PROBE_tcp_recv_timestamp], NOT_NEEDED);

	make(&selection, "tcp-socket-*", false);
	assert_int_equal(selection.tasks[PROBE_tcp_queue_rcv], TASK_STORE | TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_tcp_data_queue], 0);

	make(&selection, "tcp-socket-enqueued", false);
	assert_int_equal(nr_loaded(&selection), 1);
	assert_int_equal(selection.tasks[PROBE_tcp_queue_rcv], TASK_COUNT);
}

static void test_one_program_reads_for_two(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	/* What it does for others takes none of those that remember segments. */
	make(&selection, "tcp-send", false);
	assert_int_equal(selection.tasks[PROBE_tcp_sendmsg_locked], TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_tcp_cleanup_rbuf], TASK_STORE);
	assert_int_equal(selection.tasks[PROBE_tcp_queue_rcv], 0);
	/* Nobody asked for the hook there, which has a fallback. */
	selection_give_up(&selection, PROBE_tcp_cleanup_rbuf, "because", &left_out);
	assert_string_equal(left_out.why[PROBE_tcp_sendmsg_locked], "because");
	assert_false(selection_lacks_fallback(&selection, &left_out));
}

static void test_what_remembers_is_attached_after_what_reads_and_forgets(void **state)
{
	struct selection selection = new_kernel();
	struct plan plan = { .include_hol_delay = true };

	(void)state;
	memset(plan.hooks, true, sizeof(plan.hooks));
	selection_make(&selection, &plan, &left_out);
	for (unsigned int i = 0; i < nr_probe_needs; i++) {
		const struct probe_need *need = &probe_needs[i];

		if (need->task & (TASK_STORE | TASK_REMEMBER))
			assert_true(selection.turns[need->other] > selection.turns[need->probe]);
		if (need->task == TASK_FORGET)
			assert_int_equal(selection.turns[need->other], 0);
	}
	assert_int_equal(selection.turns[PROBE_tcp_v4_rcv], 0);
}

static void test_what_is_queued_is_kept_before(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "udp-socket-enqueued", false);
	assert_int_equal(nr_loaded(&selection), 3);
	assert_int_equal(selection.tasks[PROBE___udp_enqueue_schedule_skb], TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_udp_queue_rcv_one_skb], TASK_KEEP);
	assert_int_equal(selection.tasks[PROBE_udpv6_queue_rcv_one_skb], TASK_KEEP);
	make(&selection, "udp-*", false);
	assert_int_equal(selection.tasks[PROBE_udp_queue_rcv_one_skb], TASK_KEEP | TASK_COUNT);

	/* A kernel without IPv6. */
	selection.targets[PROBE_udpv6_queue_rcv_one_skb] = 0;
	make(&selection, "udp-socket-enqueued", false);
	assert_int_equal(nr_loaded(&selection), 2);
	selection.targets[PROBE_udp_queue_rcv_one_skb] = 0;
	make(&selection, "udp-socket-enqueued", false);
	assert_int_equal(nr_loaded(&selection), 0);
	assert_non_null(left_out.why[PROBE___udp_enqueue_schedule_skb]);
}

static void test_for_stages_packets_are_followed(void **state)
{
	struct selection selection = new_kernel();
	struct plan plan = { .stages = true };

	(void)state;
	hooks_select("udp-queue-rcv", true, plan.hooks);
	hooks_select("udp-start", true, plan.followed);
	hooks_select("udp-queue-rcv", true, plan.followed);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(nr_loaded(&selection), 5);
	/* Where all journeys begin, and where the filter does not know what it asks for. */
	assert_int_equal(selection.tasks[PROBE_netif_receive_skb], TASK_FOLLOW);
	assert_int_equal(selection.tasks[PROBE_udp_rcv], TASK_FOLLOW);
	assert_int_equal(selection.tasks[PROBE_udp_queue_rcv_one_skb], TASK_FOLLOW | TASK_COUNT);
	/* A hook that cannot be used is told, be it counted or only followed to. */
	selection.targets[PROBE_udp_rcv] = 0;
	selection_make(&selection, &plan, &left_out);
	assert_non_null(left_out.why[PROBE_udp_rcv]);
	assert_int_equal(selection.tasks[PROBE_udp_rcv], 0);
	/* It is the first probe of all. */
	hooks_select("netif-receive", true, plan.followed);
	selection.targets[PROBE_netif_receive_skb] = 0;
	selection_make(&selection, &plan, &left_out);
	assert_non_null(left_out.why[PROBE_netif_receive_skb]);
}

static void test_wakeups_take_the_scheduler(void **state)
{
	struct selection selection = new_kernel();
	struct plan plan = { 0 };

	(void)state;
	follow(&plan, "udp-*", true);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE_sched_waking], 0);
	plan.wakeups = true;
	selection_make(&selection, &plan, &left_out);
	assert_int_not_equal(selection.tasks[PROBE_sched_waking], 0);
	assert_int_not_equal(selection.tasks[PROBE_sched_switch], 0);
}

/* Stages begin where they can end at a hook that packets are followed to. */
static void test_the_way_out_begins_where_it_is_followed(void **state)
{
	struct selection selection = new_kernel();
	struct plan plan = { 0 };

	(void)state;
	follow(&plan, "udp-*", true);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE_netif_receive_skb], TASK_FOLLOW);
	assert_int_equal(selection.tasks[PROBE___ip_local_out], 0);
	assert_int_equal(selection.tasks[PROBE_enqueue_to_backlog], 0);
	follow(&plan, "tx-queue", true);
	follow(&plan, "netif-receive", true);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE___ip_local_out], TASK_FOLLOW);
	assert_int_equal(selection.tasks[PROBE_net_dev_queue], TASK_COUNT | TASK_FOLLOW);
	assert_int_equal(selection.tasks[PROBE_enqueue_to_backlog], TASK_FOLLOW);
	assert_int_equal(selection.tasks[PROBE___skb_gso_segment], 0);
	follow(&plan, "tx-start", true);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE___skb_gso_segment], TASK_FOLLOW);
}

/* Whether drop is asked for or not, and where it cannot be used, nobody misses it. */
static void test_for_stages_drops_are_followed(void **state)
{
	struct selection selection = new_kernel();
	struct plan plan = { .drops = true };

	(void)state;
	follow(&plan, "udp-*", true);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE_kfree_skb], TASK_FOLLOW);
	follow(&plan, "drop", true);
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE_kfree_skb], TASK_COUNT | TASK_FOLLOW);
	follow(&plan, "drop", false);
	selection.targets[PROBE_kfree_skb] = 0;
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE_kfree_skb], 0);
	assert_null(left_out.why[PROBE_kfree_skb]);
	selection.targets[PROBE_kfree_skb] = 1;
	plan.drops = false;
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(selection.tasks[PROBE_kfree_skb], 0);
}

static void test_late_segments_are_remembered_if_asked_for(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "tcp-socket-read", true);
	assert_int_equal(nr_loaded(&selection), 5);
	assert_int_equal(selection.tasks[PROBE_tcp_data_queue], TASK_STORE);
}

static void assert_falls_back(const struct selection *selection)
{
	assert_non_null(left_out.why[PROBE_tcp_cleanup_rbuf]);
	assert_null(left_out.why[PROBE_tcp_recv_timestamp]);
	assert_int_equal(selection->tasks[PROBE_tcp_cleanup_rbuf], 0);
	assert_int_equal(selection->tasks[PROBE_tcp_recv_timestamp], TASK_COUNT);
	assert_int_equal(selection->tasks[PROBE_tcp_queue_rcv] & TASK_STORE, 0);
}

static void test_older_kernels_fall_back(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	selection.has_sk_storage = false;
	make(&selection, "tcp-socket-*", true);
	assert_falls_back(&selection);
	assert_int_equal(selection.tasks[PROBE_tcp_queue_rcv], TASK_COUNT);
	assert_int_equal(selection.tasks[PROBE_tcp_data_queue], 0);
}

static void test_without_the_queue_reads_fall_back(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	selection.targets[PROBE_tcp_queue_rcv] = 0;
	make(&selection, "tcp-socket-read", false);
	assert_falls_back(&selection);
	/* Of a hook that nobody asked for. */
	assert_null(left_out.why[PROBE_tcp_queue_rcv]);
}

static void test_a_refused_program_is_tried_again_with_less_to_do(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "tcp-socket-*", false);
	selection_refuse(&selection, PROBE_tcp_queue_rcv, &left_out);
	make(&selection, "tcp-socket-*", false);
	assert_falls_back(&selection);
	assert_int_equal(selection.tasks[PROBE_tcp_queue_rcv], TASK_COUNT);
	selection_refuse(&selection, PROBE_tcp_queue_rcv, &left_out);
	make(&selection, "tcp-socket-*", false);
	assert_non_null(left_out.why[PROBE_tcp_queue_rcv]);
	assert_int_equal(nr_loaded(&selection), 1);
}

static void test_segments_that_cannot_be_forgotten_are_not_remembered(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "tcp-socket-read", false);
	selection_refuse(&selection, PROBE_tcp_disconnect, &left_out);
	make(&selection, "tcp-socket-read", false);
	assert_falls_back(&selection);
	assert_int_equal(nr_loaded(&selection), 1);

	memset(&left_out, 0, sizeof(left_out));
	make(&selection, "tcp-socket-read", false);
	selection_give_up(&selection, PROBE_tcp_v4_destroy_sock, "no room", &left_out);
	assert_string_equal(left_out.why[PROBE_tcp_cleanup_rbuf], "no room");
}

static void test_without_what_is_remembered_nothing_is_read(void **state)
{
	struct selection selection = new_kernel();

	(void)state;
	make(&selection, "tcp-socket-*", false);
	selection_give_up(&selection, PROBE_tcp_queue_rcv, "no room", &left_out);
	assert_string_equal(left_out.why[PROBE_tcp_queue_rcv], "no room");
	assert_string_equal(left_out.why[PROBE_tcp_cleanup_rbuf], "no room");
}

static void test_what_stands_in_for_a_refused_one_is_loaded_again(void **state)
{
	const struct plan plan = { .hooks = { [HOOK_tcp_socket_read] = true } };
	struct selection selection = new_kernel();

	(void)state;
	selection_make(&selection, &plan, &left_out);
	assert_false(selection_has_changed(&selection, &plan, &left_out));
	/* Nobody stands in for what only forgets, but nothing may be remembered then. */
	selection_refuse(&selection, PROBE_tcp_disconnect, &left_out);
	assert_true(selection_has_changed(&selection, &plan, &left_out));
	selection_make(&selection, &plan, &left_out);
	assert_false(selection_has_changed(&selection, &plan, &left_out));
	assert_falls_back(&selection);
}

static void test_one_program_does_the_work_of_two_at_its_function(void **state)
{
	const struct plan plan = {
		.hooks = { [HOOK_tcp_transmit] = true, [HOOK_tcp_retransmit] = true }
	};
	struct selection selection = new_kernel();
	__u32 *tasks = selection.tasks;

	(void)state;
	selection_make(&selection, &plan, &left_out);
	assert_int_equal(tasks[PROBE_tcp_retransmit], TASK_COUNT);
	assert_false(selection_loads(tasks, PROBE_tcp_retransmit));
	assert_true(selection_loads(tasks, PROBE___tcp_transmit_skb));
	/* Each has one of its own where the other does not count. */
	selection_refuse(&selection, PROBE___tcp_transmit_skb, &left_out);
	assert_true(selection_has_changed(&selection, &plan, &left_out));
	selection_make(&selection, &plan, &left_out);
	assert_true(selection_loads(tasks, PROBE_tcp_retransmit));
	assert_false(selection_loads(tasks, PROBE___tcp_transmit_skb));

	memset(&left_out, 0, sizeof(left_out));
	selection_make(&selection, &plan, &left_out);
	selection_give_up(&selection, PROBE___tcp_transmit_skb, "no room", &left_out);
	assert_string_equal(left_out.why[PROBE_tcp_retransmit], "no room");
}

static void test_what_is_given_up_lacks_its_fallback_until_that_is_selected(void **state)
{
	const struct plan plan = { .hooks = { [HOOK_tx_ip] = true } };
	struct selection selection = new_kernel();

	(void)state;
	selection_make(&selection, &plan, &left_out);
	assert_false(selection_lacks_fallback(&selection, &left_out));
	selection_give_up(&selection, PROBE_inet6_csk_xmit - 1, "no room", &left_out);
	assert_true(selection_lacks_fallback(&selection, &left_out));
	selection_make(&selection, &plan, &left_out);
	assert_false(selection_lacks_fallback(&selection, &left_out));

	/* There is none in this kernel. */
	memset(&left_out, 0, sizeof(left_out));
	selection.targets[PROBE_inet6_csk_xmit] = 0;
	selection_make(&selection, &plan, &left_out);
	selection_give_up(&selection, PROBE_inet6_csk_xmit - 1, "no room", &left_out);
	assert_false(selection_lacks_fallback(&selection, &left_out));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, forget_reasons)
	const struct CMUnitTest tests[] = {
		TEST(test_a_hook_has_its_programs_and_no_others),
		TEST(test_a_function_that_is_missing_is_left_out),
		TEST(test_softirqs_take_the_program_where_they_are_raised),
		TEST(test_a_softirq_that_may_not_be_told_when_raised_is_left_out),
		TEST(test_without_what_it_may_lack_a_hook_is_measured),
		TEST(test_reads_take_a_program_that_remembers),
		TEST(test_one_program_reads_for_two),
		TEST(test_what_remembers_is_attached_after_what_reads_and_forgets),
		TEST(test_what_is_queued_is_kept_before),
		TEST(test_for_stages_packets_are_followed),
		TEST(test_wakeups_take_the_scheduler),
		TEST(test_the_way_out_begins_where_it_is_followed),
		TEST(test_for_stages_drops_are_followed),
		TEST(test_late_segments_are_remembered_if_asked_for),
		TEST(test_older_kernels_fall_back),
		TEST(test_without_the_queue_reads_fall_back),
		TEST(test_a_refused_program_is_tried_again_with_less_to_do),
		TEST(test_what_stands_in_for_a_refused_one_is_loaded_again),
		TEST(test_one_program_does_the_work_of_two_at_its_function),
		TEST(test_what_is_given_up_lacks_its_fallback_until_that_is_selected),
		TEST(test_segments_that_cannot_be_forgotten_are_not_remembered),
		TEST(test_without_what_is_remembered_nothing_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
