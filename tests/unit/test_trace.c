// SPDX-License-Identifier: GPL-2.0
/* Traced packets: whose each step is, and when a packet has gone. */
#include "unit.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "lib/packet/trace.h"

#define MS 1000000ULL

static struct trace *trace;

static int setup(void **state)
{
	(void)state;
	trace = trace_new();
	return trace ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	trace_free(trace);
	return 0;
}

/* A packet with this id in its IP header, at this skb. */
static struct slow_packet step(uint64_t skb, unsigned int id, enum probe probe, unsigned int ms)
{
	struct slow_packet packet = {
		.skb = skb,
		.probe = probe,
		.now_ns = ms * MS,
		.ifindex = 1,
		.netns = 1,
		.ethertype = htons(0x0800),
		.nr_bytes = 20,
		.bytes = { 0x45, 0, 0, 84, 0, id },
	};

	return packet;
}

static void add(uint64_t skb, unsigned int id, enum probe probe, unsigned int ms)
{
	struct slow_packet packet = step(skb, id, probe, ms);

	assert_int_equal(trace_add(trace, &packet), 0);
}

/* The next packet has these steps. */
static void assert_next(unsigned int ms, size_t nr, const enum probe *expected)
{
	struct traced_packet *packet = trace_next(trace, ms * MS);

	assert_non_null(packet);
	assert_int_equal(packet->nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(packet->steps[i].probe, expected[i]);
	free(packet);
}

#define ASSERT_NEXT(ms, ...)                                                        \
	assert_next(ms, sizeof((enum probe[]){ __VA_ARGS__ }) / sizeof(enum probe), \
		    (enum probe[]){ __VA_ARGS__ })

static void test_packets_are_told_apart_and_told_in_order(void **state)
{
	(void)state;
	add(1, 1, PROBE_netif_receive_skb, 10);
	add(2, 2, PROBE_netif_receive_skb, 11);
	add(2, 2, PROBE_ip_rcv_core, 13);
	add(1, 1, PROBE_ip_rcv_core, 12);
	add(2, 2, PROBE_skb_consume_udp, 14);
	assert_null(trace_next(trace, 20 * MS));
	add(1, 1, PROBE_skb_consume_udp, 30);
	ASSERT_NEXT(31, PROBE_netif_receive_skb, PROBE_ip_rcv_core, PROBE_skb_consume_udp);
	ASSERT_NEXT(31, PROBE_netif_receive_skb, PROBE_ip_rcv_core, PROBE_skb_consume_udp);
	assert_null(trace_next(trace, 1000 * MS));
}

static void test_steps_are_in_order_of_time(void **state)
{
	(void)state;
	add(1, 1, PROBE_udp_queue_rcv_one_skb, 10);
	add(1, 1, PROBE_skb_consume_udp, 12);
	add(1, 1, PROBE_udp_rcv, 9);
	ASSERT_NEXT(13, PROBE_udp_queue_rcv_one_skb, PROBE_skb_consume_udp);
	add(1, 2, PROBE_udp_queue_rcv_one_skb, 10);
	add(1, 2, PROBE_kfree_skb, 9);
	add(3, 3, PROBE_net_dev_queue, 9);
	/* Of two that were at the same time at two places, the first to tell is the first. */
	ASSERT_NEXT(500, PROBE_udp_rcv);
	ASSERT_NEXT(500, PROBE_kfree_skb, PROBE_udp_queue_rcv_one_skb);
	ASSERT_NEXT(500, PROBE_net_dev_queue);
}

static void test_a_packet_that_is_idle_has_gone(void **state)
{
	(void)state;
	add(1, 1, PROBE_net_dev_queue, 10);
	assert_null(trace_next(trace, 10 * MS + TRACE_IDLE_NS - 1));
	ASSERT_NEXT(210, PROBE_net_dev_queue);
}

/* An skb's address is soon used again. */
static void test_none_comes_by_one_place_twice(void **state)
{
	(void)state;
	add(1, 1, PROBE_net_dev_queue, 10);
	add(1, 1, PROBE_net_dev_start_xmit, 11);
	add(1, 1, PROBE_net_dev_queue, 12);
	ASSERT_NEXT(13, PROBE_net_dev_queue, PROBE_net_dev_start_xmit);
	ASSERT_NEXT(500, PROBE_net_dev_queue);
}

static void test_a_bridge_has_devices_of_its_own(void **state)
{
	struct slow_packet packet = step(1, 1, PROBE_net_dev_queue, 12);

	(void)state;
	add(1, 1, PROBE_net_dev_queue, 10);
	packet.ifindex = 2;
	assert_int_equal(trace_add(trace, &packet), 0);
	ASSERT_NEXT(500, PROBE_net_dev_queue, PROBE_net_dev_queue);
	packet.ifindex = 1;
	add(1, 1, PROBE_net_dev_queue, 10);
	packet.netns = 2;
	assert_int_equal(trace_add(trace, &packet), 0);
	ASSERT_NEXT(500, PROBE_net_dev_queue, PROBE_net_dev_queue);
}

static void test_what_was_delivered_does_not_leave_again(void **state)
{
	(void)state;
	add(1, 1, PROBE_ip_rcv_core, 10);
	add(1, 1, PROBE_icmp_rcv, 11);
	add(1, 1, PROBE_net_dev_queue, 12);
	ASSERT_NEXT(13, PROBE_ip_rcv_core, PROBE_icmp_rcv);
	/* A router's does. */
	add(2, 2, PROBE_ip_forward, 14);
	add(2, 2, PROBE_net_dev_start_xmit, 15);
	ASSERT_NEXT(500, PROBE_net_dev_queue);
	ASSERT_NEXT(500, PROBE_ip_forward, PROBE_net_dev_start_xmit);
	add(3, 3, PROBE_icmp_rcv, 16);
	add(3, 3, PROBE_ip_forward, 17);
	ASSERT_NEXT(500, PROBE_icmp_rcv);
	ASSERT_NEXT(500, PROBE_ip_forward);
}

static void test_another_header_is_another_packets(void **state)
{
	(void)state;
	add(1, 1, PROBE_net_dev_queue, 10);
	add(1, 2, PROBE_netif_receive_skb, 11);
	ASSERT_NEXT(12, PROBE_net_dev_queue);
	ASSERT_NEXT(500, PROBE_netif_receive_skb);
}

/* IPv6 has no id: of two that look alike, each may end at IP without a word. */
static void test_what_ip_has_leaves_only_if_it_is_forwarded(void **state)
{
	(void)state;
	add(1, 1, PROBE_netif_receive_skb, 10);
	add(1, 1, PROBE_ip6_rcv_core, 11);
	add(1, 1, PROBE_net_dev_queue, 12);
	ASSERT_NEXT(13, PROBE_netif_receive_skb, PROBE_ip6_rcv_core);
	add(2, 1, PROBE_ip6_rcv_core, 13);
	add(2, 1, PROBE_net_dev_start_xmit, 14);
	add(3, 1, PROBE_ip6_rcv_core, 15);
	add(3, 1, PROBE_enqueue_to_backlog, 16);
	add(4, 1, PROBE_ip6_rcv_core, 17);
	add(4, 1, PROBE_netif_receive_skb, 18);
	add(5, 1, PROBE_ip6_rcv_core, 19);
	add(5, 1, PROBE_ip6_forward, 20);
	add(5, 1, PROBE_net_dev_queue, 21);
	add(6, 1, PROBE_ip6_rcv_core, 22);
	add(6, 1, PROBE_udpv6_rcv, 23);
	ASSERT_NEXT(500, PROBE_net_dev_queue);
	ASSERT_NEXT(500, PROBE_ip6_rcv_core);
	ASSERT_NEXT(500, PROBE_net_dev_start_xmit);
	ASSERT_NEXT(500, PROBE_ip6_rcv_core);
	ASSERT_NEXT(500, PROBE_enqueue_to_backlog);
	ASSERT_NEXT(500, PROBE_ip6_rcv_core);
	ASSERT_NEXT(500, PROBE_netif_receive_skb);
	ASSERT_NEXT(500, PROBE_ip6_rcv_core, PROBE_ip6_forward, PROBE_net_dev_queue);
	ASSERT_NEXT(500, PROBE_ip6_rcv_core, PROBE_udpv6_rcv);
}

/* A fast reader may be done with a packet before the program at return sees it. */
static void test_without_bytes_a_packet_is_known_by_the_hook_before(void **state)
{
	struct slow_packet queued = {
		.skb = 1,
		.probe = PROBE___udp_enqueue_schedule_skb,
		.before = LAST_HOOK(10 * MS, STAGE_FROM(HOOK_udp_queue_rcv, 0)),
		.now_ns = 11 * MS,
		.netns = 1,
	};
	struct slow_packet read = step(1, 1, PROBE_skb_free_datagram, 12);

	(void)state;
	add(1, 1, PROBE_udp_queue_rcv_one_skb, 10);
	assert_int_equal(trace_add(trace, &queued), 0);
	add(1, 1, PROBE_skb_consume_udp, 12);
	ASSERT_NEXT(13, PROBE_udp_queue_rcv_one_skb, PROBE___udp_enqueue_schedule_skb,
		    PROBE_skb_consume_udp);
	/* Its bytes are compared with those before. */
	add(1, 1, PROBE_udp_queue_rcv_one_skb, 10);
	assert_int_equal(trace_add(trace, &queued), 0);
	add(1, 2, PROBE_skb_consume_udp, 12);
	ASSERT_NEXT(13, PROBE_udp_queue_rcv_one_skb, PROBE___udp_enqueue_schedule_skb);
	ASSERT_NEXT(13, PROBE_skb_consume_udp);
	/* The address is the next packet's already. */
	add(1, 2, PROBE_netif_receive_skb, 9);
	assert_int_equal(trace_add(trace, &queued), 0);
	ASSERT_NEXT(13, PROBE_netif_receive_skb);
	ASSERT_NEXT(500, PROBE___udp_enqueue_schedule_skb);
	/* A clone, which nobody saw before. */
	queued.probe = PROBE___sock_queue_rcv_skb;
	assert_int_equal(trace_add(trace, &queued), 0);
	read.before = LAST_HOOK(11 * MS, STAGE_FROM(HOOK_raw_socket_enqueued, 0));
	assert_int_equal(trace_add(trace, &read), 0);
	ASSERT_NEXT(13, PROBE___sock_queue_rcv_skb, PROBE_skb_free_datagram);
	assert_int_equal(trace_add(trace, &queued), 0);
	read.before = LAST_HOOK(10 * MS, STAGE_FROM(HOOK_raw_socket_enqueued, 0));
	assert_int_equal(trace_add(trace, &read), 0);
	ASSERT_NEXT(13, PROBE___sock_queue_rcv_skb);
	ASSERT_NEXT(13, PROBE_skb_free_datagram);
}

/* What is sent comes in as it is; behind that, it may be translated. */
static void test_no_packet_is_translated_between_devices(void **state)
{
	static const enum probe out[] = { PROBE_net_dev_queue, PROBE_net_dev_start_xmit,
					  PROBE_enqueue_to_backlog };
	struct slow_packet translated = step(1, 1, PROBE_netif_receive_skb, 20);

	(void)state;
	translated.bytes[12] = 1;
	for (size_t i = 0; i < 3; i++) {
		add(1, 1, out[i], 10);
		assert_int_equal(trace_add(trace, &translated), 0);
		ASSERT_NEXT(20, out[i]);
		ASSERT_NEXT(500, PROBE_netif_receive_skb);
	}
	translated.probe = PROBE_tcp_v4_rcv;
	add(1, 1, PROBE_ip_rcv_core, 10);
	assert_int_equal(trace_add(trace, &translated), 0);
	ASSERT_NEXT(500, PROBE_ip_rcv_core, PROBE_tcp_v4_rcv);
}

/* What TCP has queued may be merged, so there is no skb when it is read. */
static void test_a_segment_is_known_by_when_it_was_queued(void **state)
{
	struct slow_packet read = { .probe = PROBE_tcp_cleanup_rbuf, .now_ns = 30 * MS };

	(void)state;
	add(1, 1, PROBE_tcp_queue_rcv, 10);
	add(2, 2, PROBE_tcp_queue_rcv, 11);
	read.before = LAST_HOOK(11 * MS, STAGE_FROM(HOOK_tcp_socket_enqueued, 0));
	assert_int_equal(trace_add(trace, &read), 0);
	assert_null(trace_next(trace, 31 * MS));
	ASSERT_NEXT(500, PROBE_tcp_queue_rcv);
	ASSERT_NEXT(500, PROBE_tcp_queue_rcv, PROBE_tcp_cleanup_rbuf);
	/* One that was reported already is alone. */
	assert_int_equal(trace_add(trace, &read), 0);
	ASSERT_NEXT(31, PROBE_tcp_cleanup_rbuf);
}

static void test_no_more_are_kept_than_there_is_room_for(void **state)
{
	(void)state;
	for (unsigned int skb = 1; skb <= 2000; skb++)
		add(skb, 1, PROBE_net_dev_queue, 10);
	for (unsigned int i = 0; i < 2000 - 1024; i++)
		ASSERT_NEXT(10, PROBE_net_dev_queue);
	assert_null(trace_next(trace, 10 * MS));
	/* A way that has no end. */
	for (unsigned int i = 0; i < 2 * MAX_TRACE_STEPS; i++) {
		struct slow_packet packet = step(9999, 1, PROBE_net_dev_queue, 20 + i);

		packet.ifindex = i;
		assert_int_equal(trace_add(trace, &packet), 0);
	}
}

/* They may have been at hooks that were not watched yet. */
static void test_what_was_on_its_way_before_is_left_out(void **state)
{
	struct slow_packet queued = step(4, 4, PROBE_udp_queue_rcv_one_skb, 101);
	struct slow_packet read = step(5, 5, PROBE_skb_consume_udp, 102);

	(void)state;
	trace_begin(trace, 100 * MS);
	add(1, 1, PROBE_net_dev_queue, 99);
	add(1, 1, PROBE_netif_receive_skb, 101);
	add(2, 2, PROBE_net_dev_queue, 100);
	add(3, 3, PROBE_skb_consume_udp, 99);
	/* It was stamped before, as was one that waits since for its reader. */
	queued.latency_ns = 2 * MS;
	assert_int_equal(trace_add(trace, &queued), 0);
	read.latency_ns = 50 * MS;
	assert_int_equal(trace_add(trace, &read), 0);
	ASSERT_NEXT(500, PROBE_net_dev_queue);
	ASSERT_NEXT(500, PROBE_skb_consume_udp);
	assert_null(trace_next(trace, 500 * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_packets_are_told_apart_and_told_in_order,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_steps_are_in_order_of_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_packet_that_is_idle_has_gone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_none_comes_by_one_place_twice, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_bridge_has_devices_of_its_own, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_was_delivered_does_not_leave_again, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_another_header_is_another_packets, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_ip_has_leaves_only_if_it_is_forwarded,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_without_bytes_a_packet_is_known_by_the_hook_before, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_packet_is_translated_between_devices, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_segment_is_known_by_when_it_was_queued,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_was_on_its_way_before_is_left_out, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_no_more_are_kept_than_there_is_room_for, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
