// SPDX-License-Identifier: GPL-2.0
/* Slow packets are printed, folded and kept, from a ring buffer that is made up. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/loop.h"
#include "lib/kernel/slow_ring.h"
#include "lib/serve/slow_packets.h"
#include "lib/tables/units.h"
#include "printed.h"
#include "said.h"

#define MS 1000000ULL

/* The ring buffer, of which all from the next packet on wait to be read. */
static struct {
	struct slow_packet packets[3 * MAX_SLOW_AT_ONCE];
	unsigned int next, nr;
	slow_handler handler;
	void *context;
	int err;	  /* of the next reading */
	bool is_refused;  /* for want of memory */
	bool is_followed; /* by others that come as fast as they are read */
} ring;

/* These stand in for lib/kernel/slow_ring.c. */
struct slow_ring *slow_ring_new(int map, slow_handler handler, void *context)
{
	assert_int_equal(map, 42);
	ring.handler = handler;
	ring.context = context;
	errno = ENOMEM;
	return ring.is_refused ? NULL : (struct slow_ring *)&ring;
}

void slow_ring_free(struct slow_ring *slow_ring)
{
	(void)slow_ring;
}

int slow_ring_fd(const struct slow_ring *slow_ring)
{
	assert_ptr_equal(slow_ring, &ring);
	return 43;
}

int slow_ring_read(struct slow_ring *slow_ring)
{
	int nr = 0;

	assert_ptr_equal(slow_ring, &ring);
	if (ring.err)
		return ring.err;
	while (ring.next < ring.nr && nr < MAX_SLOW_AT_ONCE) {
		nr++;
		if (!ring.handler(ring.context, &ring.packets[ring.next++]))
			break;
	}
	if (ring.is_followed && ring.next == ring.nr)
		ring.next = 0;
	return nr;
}

/* Prints the skb of a traced packet; of others, how late they are, in ms. */
static void print_number(FILE *out, const struct packet_report *report)
{
	const struct slow_packet *packet = report->packet;

	fprintf(out, "%d ", (int)(packet->skb ? packet->skb : report->latency_ns / MS));
}

static const struct printer printer = { .packet = print_number };
static struct plan plan;
static struct slow_packets_config config;
static struct slow_packets *packets;

static int begin(void **state)
{
	(void)state;
	memset(&ring, 0, sizeof(ring));
	plan = (struct plan){ .slow = true };
	config = (struct slow_packets_config){ .printer = &printer, .plan = &plan };
	return printed_begin() ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	printed_end();
	slow_packets_free(packets);
	packets = NULL;
	return 0;
}

static void start(void)
{
	packets = slow_packets_new(&config, 42);
	assert_non_null(packets);
}

/* A packet that a reader got so many ms after it came, and at which time. */
static struct slow_packet *put_at(uint64_t read_ms, uint64_t latency_ms)
{
	ring.packets[ring.nr] = (struct slow_packet){
		.time_ns = NS_PER_S + read_ms * MS,
		.latency_ns = latency_ms * MS,
		.probe = PROBE_skb_consume_udp,
		.is_stamped = true,
		.tid = 7,
	};
	return &ring.packets[ring.nr++];
}

static void put(uint64_t latency_ms)
{
	put_at(1000 * ring.nr, latency_ms);
}

static void test_packets_are_printed_as_they_come(void **state)
{
	(void)state;
	start();
	assert_int_equal(slow_packets_fd(packets), 43);
	assert_int_equal(slow_packets_period_ns(packets), 0);
	assert_int_equal(slow_packets_read(packets), 0);
	put(1);
	put(2);
	assert_int_equal(slow_packets_read(packets), 0);
	assert_string_equal(printed_text(), "1 2 ");
	put(3);
	assert_int_equal(slow_packets_end(packets), 0);
	assert_string_equal(printed_text(), "3 ");
}

static void test_no_more_than_were_asked_for(void **state)
{
	(void)state;
	config.count = 2;
	start();
	put(1);
	assert_int_equal(slow_packets_read(packets), 0);
	put(2);
	put(3);
	assert_int_equal(slow_packets_read(packets), LOOP_END);
	assert_int_equal(slow_packets_end(packets), 0);
	assert_string_equal(printed_text(), "1 2 ");
	assert_int_equal(ring.next, 2);
}

static void test_what_waited_for_one_thing_is_folded(void **state)
{
	(void)state;
	config.fold_ns = 20 * MS;
	start();
	put_at(1000, 50);
	put_at(1001, 49);
	put_at(1002, 45);
	assert_int_equal(slow_packets_read(packets), 0);
	assert_string_equal(printed_text(), "50 ");
	put_at(2000, 30);
	put_at(2001, 25);
	assert_int_equal(slow_packets_read(packets), 0);
	assert_string_equal(printed_text(),
			    "                and 2 more in the same stall, up to 49ms late\n30 ");
	assert_int_equal(slow_packets_flush(packets), 0);
	assert_string_equal(printed_text(),
			    "                and 1 more in the same stall, up to 25ms late\n");
	put_at(2002, 24);
	assert_int_equal(slow_packets_end(packets), 0);
	assert_string_equal(printed_text(),
			    "                and 1 more in the same stall, up to 24ms late\n");
}

/* Unless all are wanted one by one. */
static void test_without_folding_all_are_printed(void **state)
{
	(void)state;
	start();
	put_at(1000, 50);
	put_at(1001, 49);
	assert_int_equal(slow_packets_end(packets), 0);
	assert_string_equal(printed_text(), "50 49 ");
}

static void test_all_that_is_left_is_printed_at_the_end(void **state)
{
	const unsigned int nr = 2 * MAX_SLOW_AT_ONCE + 44;
	char expected[2 * nr + 1];

	(void)state;
	for (unsigned int i = 0; i < nr; i++) {
		put(5);
		memcpy(expected + 2 * i, "5 ", 3);
	}
	start();
	assert_int_equal(slow_packets_end(packets), 0);
	assert_string_equal(printed_text(), expected);
}

/* More come all the time: those that fit into the buffer are read, and those of a last reading. */
static void test_the_end_is_not_put_off(void **state)
{
	const unsigned int fit = SLOW_RING_SIZE / sizeof(struct slow_packet);
	const unsigned int readings = (fit + MAX_SLOW_AT_ONCE - 1) / MAX_SLOW_AT_ONCE + 1;

	(void)state;
	for (unsigned int i = 0; i < MAX_SLOW_AT_ONCE; i++)
		put(5);
	ring.is_followed = true;
	start();
	assert_int_equal(slow_packets_end(packets), 0);
	assert_int_equal(strlen(printed_text()), readings * MAX_SLOW_AT_ONCE * strlen("5 "));
}

static void test_what_cannot_be_read_ends_the_run(void **state)
{
	(void)state;
	start();
	ring.err = -EIO;
	said_begin();
	assert_int_equal(slow_packets_read(packets), -EIO);
	assert_string_equal(said_end(),
			    "netstacklat: cannot read the slow packets: Input/output error\n");
	said_begin();
	assert_int_equal(slow_packets_end(packets), -EIO);
	said_end();
}

static void test_no_ring_buffer(void **state)
{
	(void)state;
	ring.is_refused = true;
	said_begin();
	assert_null(slow_packets_new(&config, 42));
	assert_int_equal(errno, ENOMEM);
	assert_string_equal(said_end(),
			    "netstacklat: cannot read the slow packets: Cannot allocate memory\n");
}

/* A traced packet, which has one skb, is there now. */
static void step(enum probe probe, uint64_t skb, uint64_t now_ns)
{
	*put_at(0, 0) = (struct slow_packet){
		.probe = probe,
		.skb = skb,
		.now_ns = now_ns,
		.ifindex = 1,
		.netns = 1,
		.ethertype = htons(ETH_P_IP),
		.nr_bytes = 20,
		.bytes = { 0x45, 0, 0, 84, 0, skb },
	};
}

static void test_traced_packets_are_printed_once_they_have_gone(void **state)
{
	const uint64_t now_ns = clock_monotonic_ns();

	(void)state;
	plan.trace = true;
	start();
	slow_packets_begin(packets, now_ns - NS_PER_S);
	assert_int_equal(slow_packets_period_ns(packets), TRACE_IDLE_NS / 2);
	/* One was on its way before, one is read, one is idle, and one goes on. */
	step(PROBE_netif_receive_skb, 1, now_ns - 2 * NS_PER_S);
	step(PROBE_netif_receive_skb, 2, now_ns - NS_PER_S);
	step(PROBE_skb_consume_udp, 2, now_ns - NS_PER_S + 2);
	step(PROBE_netif_receive_skb, 3, now_ns - NS_PER_S + 3);
	step(PROBE_netif_receive_skb, 4, now_ns + 100 * NS_PER_S);
	assert_int_equal(slow_packets_read(packets), 0);
	assert_string_equal(printed_text(), "2 3 ");
	assert_int_equal(slow_packets_end(packets), 0);
	assert_string_equal(printed_text(), "4 ");
}

/* One that seems idle may have its next step in the buffer. */
static void test_traced_packets_wait_while_there_are_more_steps_to_read(void **state)
{
	const uint64_t now_ns = clock_monotonic_ns();

	(void)state;
	plan.trace = true;
	start();
	slow_packets_begin(packets, 1);
	for (unsigned int i = 1; i <= MAX_SLOW_AT_ONCE; i++)
		step(PROBE_netif_receive_skb, i, now_ns - NS_PER_S + i);
	assert_int_equal(slow_packets_read(packets), 0);
	assert_string_equal(printed_text(), "");
	step(PROBE_skb_consume_udp, 1, now_ns);
	assert_int_equal(slow_packets_read(packets), 0);
	assert_true(strlen(printed_text()) > 2 * MAX_SLOW_AT_ONCE);
}

static void test_packets_are_recorded_and_kept(void **state)
{
	const struct splits splits = { 0 };
	char path[] = "/tmp/netstacklat-slow.XXXXXX";
	int file = mkstemp(path);
	size_t nr;

	(void)state;
	assert_true(file >= 0);
	config.recording = recording_new(KEEPS_ALL, &splits, 0, NS_PER_S);
	config.pcap = pcap_file_open(path, false);
	assert_non_null(config.recording);
	assert_non_null(config.pcap);
	start();
	step(PROBE_skb_consume_udp, 1, NS_PER_S);
	step(PROBE_skb_consume_udp, 2, NS_PER_S);
	assert_int_equal(slow_packets_end(packets), 0);
	recording_packets(config.recording, &nr);
	assert_int_equal(nr, 2);
	assert_string_equal(printed_text(), "1 2 ");
	assert_true(lseek(file, 0, SEEK_END) > 2 * 20);
	pcap_file_close(config.pcap);
	recording_free(config.recording);
	unlink(path);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_packets_are_printed_as_they_come, begin, end),
		cmocka_unit_test_setup_teardown(test_no_more_than_were_asked_for, begin, end),
		cmocka_unit_test_setup_teardown(test_what_waited_for_one_thing_is_folded, begin,
						end),
		cmocka_unit_test_setup_teardown(test_without_folding_all_are_printed, begin, end),
		cmocka_unit_test_setup_teardown(test_all_that_is_left_is_printed_at_the_end, begin,
						end),
		cmocka_unit_test_setup_teardown(test_the_end_is_not_put_off, begin, end),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_read_ends_the_run, begin, end),
		cmocka_unit_test_setup_teardown(test_no_ring_buffer, begin, end),
		cmocka_unit_test_setup_teardown(test_traced_packets_are_printed_once_they_have_gone,
						begin, end),
		cmocka_unit_test_setup_teardown(
			test_traced_packets_wait_while_there_are_more_steps_to_read, begin, end),
		cmocka_unit_test_setup_teardown(test_packets_are_recorded_and_kept, begin, end),
	};

	return cmocka_run_group_tests_name("slow packets", tests, NULL, NULL);
}
