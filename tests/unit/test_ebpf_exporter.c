// SPDX-License-Identifier: GPL-2.0
/*
 * What is made for ebpf_exporter, against a golden file. After a change that is meant:
 * GOLDEN_UPDATE=1 .output/tests/unit/test_ebpf_exporter, and look at the difference.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "lib/generate/ebpf_exporter.h"
#include "lib/tables/hooks.h"

#define GOLDEN "tests/unit/golden/ebpf_exporter.yaml"

static void test_config(void **state)
{
	char *text;
	__u32 tasks[NR_PROBES];

	(void)state;
	assert_true(exporter_choose("", "", tasks));
	text = PRINTED(exporter_print_config, tasks);
	assert_golden_text(text, GOLDEN);
	free(text);
}

static void assert_tasks(const char *hooks, const char *without, enum probe probe, __u32 expected)
{
	__u32 tasks[NR_PROBES];

	assert_true(exporter_choose(hooks, without, tasks));
	assert_int_equal(tasks[probe], expected);
}

static void test_choice(void **state)
{
	(void)state;
	/* The defaults, and what these need. */
	assert_tasks("", "", PROBE_ip_rcv_core, TASK_COUNT);
	assert_tasks("", "", PROBE_ip_forward, 0);
	assert_tasks("", "", PROBE_tcp_cleanup_rbuf, TASK_COUNT);
	assert_tasks("", "", PROBE_tcp_queue_rcv, TASK_COUNT | TASK_STORE);
	assert_tasks("", "", PROBE_tcp_recv_timestamp, 0);
	assert_tasks("", "", PROBE_sched_switch, 0);
	/* Hooks, by name and pattern. */
	assert_tasks("tcp-start,tcp-socket-read", "", PROBE_tcp_queue_rcv, TASK_STORE);
	assert_tasks("udp-st*,udp-socket-enq*", "", PROBE_udp_queue_rcv_one_skb, TASK_KEEP);
	assert_tasks("ip-rcv,ip-forward", "", PROBE_ip_forward, TASK_COUNT);
	assert_tasks("ip-rcv,ip-forward", "", PROBE_tcp_v4_rcv, 0);
	/* All of a hook, or a function, and what is of no use then. */
	assert_tasks("", "tcp-socket-read", PROBE_tcp_cleanup_rbuf, 0);
	assert_tasks("", "tcp-socket-read", PROBE_tcp_queue_rcv, TASK_COUNT);
	assert_tasks("", "tcp_cleanup_rbuf", PROBE_tcp_recv_timestamp, 0);
	assert_tasks("", "ip6_*,tcp_v6_rcv", PROBE_ip6_rcv_core, 0);
	assert_tasks("", "ip6_*,tcp_v6_rcv", PROBE_ip_rcv_core, TASK_COUNT);
	assert_tasks("", "ip6_*,tcp_v6_rcv", PROBE_tcp_v6_rcv, 0);
	assert_tasks("", "udp*_queue_rcv_one_skb", PROBE___udp_enqueue_schedule_skb, 0);
	assert_tasks("*", "tx-*,tun-read,egress", PROBE_net_dev_queue, 0);
}

static void test_what_cannot_be(void **state)
{
	__u32 tasks[NR_PROBES];

	(void)state;
	assert_false(exporter_choose("nonesuch", "", tasks));
	assert_false(exporter_choose("", "nonesuch", tasks));
	assert_false(exporter_choose("udp-socket-read", "", tasks));
	assert_false(exporter_choose("udp-*", "udp_rcv,udpv6_rcv", tasks));
	assert_false(exporter_choose("ip-rcv,tx-queue", "", tasks));
}

/* One line for each program that is left out. */
static void test_programs(void **state)
{
	__u32 tasks[NR_PROBES];
	char *text;

	(void)state;
	assert_true(exporter_choose("", "udp-start", tasks));
	text = PRINTED(exporter_print_programs, tasks);
	assert_non_null(strstr(text, "\nstatic int udp_rcv(unsigned long long *) "));
	assert_non_null(strstr(text, "\nstatic int udpv6_rcv(unsigned long long *) "));
	assert_null(strstr(text, "\nstatic int tcp_v4_rcv("));
	assert_null(strstr(text, "\nstatic int __sock_queue_rcv_skb__entry("));
	free(text);
	assert_true(exporter_choose("", "raw-socket-enqueued", tasks));
	text = PRINTED(exporter_print_programs, tasks);
	assert_non_null(strstr(text, "\nstatic int __sock_queue_rcv_skb__entry("));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_what_cannot_be),
		cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
