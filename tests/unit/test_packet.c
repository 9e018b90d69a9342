// SPDX-License-Identifier: GPL-2.0
/* Slow packets: their journeys, and how they are printed. */
#include "unit.h"

#include <sys/syscall.h>

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/packet/asleep_in.h"
#include "lib/packet/packet.h"
#include "lib/tables/reader_wait.h"
#include "lib/tables/units.h"

#define MS 1000000ULL
#define WORD(hook, ns) LAST_HOOK((uint64_t)(ns), STAGE_FROM(hook, 0))

/* A datagram that was stamped at 1000 ms, and read at 1050. */
static struct slow_packet make_packet(void)
{
	static const char bytes[] = "\x45\x00\x00\x80\x00\x01\x00\x00\x40\x11\x00\x00"
				    "\xc0\x00\x02\x01\xc0\x00\x02\x02\x4e\x29\x0f\xa0";
	struct slow_packet packet = {
		.time_ns = 1769947205 * NS_PER_S + 7123456,
		.latency_ns = 50 * MS,
		.probe = PROBE_skb_consume_udp,
		.is_stamped = true,
		.cpu = 3,
		.queue_length = -1,
		.pid = 4711,
		.tid = 4712,
		.comm = "a \"b\"\x1b",
		.nr_bytes = sizeof(bytes) - 1,
		.ethertype = htons(0x0800),
		.now_ns = 1050 * MS,
		.passed = { {
			WORD(HOOK_netif_receive, 1001 * MS),
			WORD(HOOK_ip_rcv, 1002 * MS),
			WORD(HOOK_udp_start, 1004 * MS),
			WORD(HOOK_udp_queue_rcv, 1007 * MS),
		} },
		.before = WORD(HOOK_udp_socket_enqueued, 1010 * MS),
	};

	memcpy(packet.bytes, bytes, sizeof(bytes) - 1);
	return packet;
}

struct expected_step {
	enum hook hook;
	uint64_t ns;
};

static void assert_steps(const struct slow_packet *packet, size_t nr,
			 const struct expected_step *expected)
{
	struct packet_report report;
	uint64_t sum = 0;

	packet_report_make(&report, packet, NULL, true);
	assert_int_equal(report.nr_steps, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(report.steps[i].hook, expected[i].hook);
		assert_int_equal(report.steps[i].ns, expected[i].ns);
		sum += report.steps[i].ns;
	}
	assert_int_equal(sum, packet->latency_ns);
}

#define ASSERT_STEPS(packet, ...)                                      \
	assert_steps(packet,                                           \
		     sizeof((struct expected_step[]){ __VA_ARGS__ }) / \
			     sizeof(struct expected_step),             \
		     (struct expected_step[]){ __VA_ARGS__ })

static void test_a_journey_adds_up(void **state)
{
	struct slow_packet packet = make_packet();

	(void)state;
	ASSERT_STEPS(&packet, { HOOK_netif_receive, 1 * MS }, { HOOK_ip_rcv, 1 * MS },
		     { HOOK_udp_start, 2 * MS }, { HOOK_udp_queue_rcv, 3 * MS },
		     { HOOK_udp_socket_enqueued, 3 * MS }, { HOOK_udp_socket_read, 40 * MS });
}

/* Where the packet is now is among the hooks that it passed, unless it was read there. */
static void test_a_journey_ends_here(void **state)
{
	struct slow_packet packet = make_packet();

	(void)state;
	packet.probe = PROBE_udp_rcv;
	packet.now_ns = 1004 * MS;
	packet.latency_ns = 4 * MS;
	packet.passed.at[3] = 0;
	packet.before = packet.passed.at[1];
	ASSERT_STEPS(&packet, { HOOK_netif_receive, 1 * MS }, { HOOK_ip_rcv, 1 * MS },
		     { HOOK_udp_start, 2 * MS });
	/* At the first hook, there is nothing but the stamp. */
	packet.before = 0;
	packet.probe = PROBE_netif_receive_skb;
	packet.now_ns = 1001 * MS;
	packet.latency_ns = 1 * MS;
	ASSERT_STEPS(&packet, { HOOK_netif_receive, 1 * MS });
}

static void test_a_journey_of_which_only_the_hook_before_is_known(void **state)
{
	struct slow_packet packet = make_packet();

	(void)state;
	packet.passed.at[0] = 0;
	ASSERT_STEPS(&packet, { HOOK_udp_socket_enqueued, 10 * MS },
		     { HOOK_udp_socket_read, 40 * MS });
	packet.before = 0;
	ASSERT_STEPS(&packet, { HOOK_udp_socket_read, 50 * MS });
}

/* Another packet came to the place of this one while the program at return looked. */
static void test_a_journey_that_is_another_packets(void **state)
{
	struct slow_packet packet = make_packet();

	(void)state;
	packet.passed.at[0] = WORD(HOOK_netif_receive, 1020 * MS);
	ASSERT_STEPS(&packet, { HOOK_udp_socket_enqueued, 10 * MS },
		     { HOOK_udp_socket_read, 40 * MS });
	packet.passed.at[1] = WORD(HOOK_ip_rcv, 1030 * MS);
	ASSERT_STEPS(&packet, { HOOK_udp_socket_enqueued, 10 * MS },
		     { HOOK_udp_socket_read, 40 * MS });
}

static void test_the_journey_of_a_segment(void **state)
{
	struct slow_packet packet = {
		.probe = PROBE_tcp_cleanup_rbuf,
		.now_ns = 1045 * MS,
		.latency_ns = 45 * MS,
		.before = WORD(HOOK_tcp_socket_enqueued, 1005 * MS),
		.passed = { {
			WORD(HOOK_netif_receive, 1001 * MS),
			WORD(HOOK_ip_rcv, 1002 * MS),
			WORD(HOOK_tcp_start, 1003 * MS),
			WORD(HOOK_tcp_do_rcv, 1004 * MS),
			WORD(HOOK_tcp_socket_enqueued, 1005 * MS),
		} },
	};

	(void)state;
	ASSERT_STEPS(&packet, { HOOK_netif_receive, 1 * MS }, { HOOK_ip_rcv, 1 * MS },
		     { HOOK_tcp_start, 1 * MS }, { HOOK_tcp_do_rcv, 1 * MS },
		     { HOOK_tcp_socket_enqueued, 1 * MS }, { HOOK_tcp_socket_read, 40 * MS });
}

/* Not all hooks that it passed were watched yet. */
static void test_an_early_packet_has_no_journey(void **state)
{
	struct slow_packet packet = make_packet();
	struct packet_report report;

	(void)state;
	packet.now_ns = packet.before = 0;
	packet.passed = (struct passed){ 0 };
	packet_report_make(&report, &packet, NULL, true);
	assert_int_equal(report.latency_ns, 50 * MS);
	assert_int_equal(report.nr_steps, 0);
}

static void test_the_longest_step(void **state)
{
	struct slow_packet packet = make_packet();
	struct packet_report report;

	(void)state;
	packet_report_make(&report, &packet, NULL, true);
	assert_ptr_equal(packet_longest_step(&report), &report.steps[5]);
	packet_report_make(&report, &packet, NULL, false);
	assert_int_equal(report.nr_steps, 0);
	assert_null(packet_longest_step(&report));
	/* The first hook of all is no way. */
	report.nr_steps = 1;
	assert_null(packet_longest_step(&report));
}

/* Queued at 1010 ms, and read at 1050: the reader was asleep, and ready, for as long. */
static void assert_reader(unsigned int asleep, unsigned int ready, enum reader_state expected,
			  unsigned int running)
{
	struct slow_packet packet = make_packet();
	struct packet_report report;

	packet.has_reader = true;
	packet.asleep_ns = asleep * MS;
	packet.ready_ns = ready * MS;
	packet_report_make(&report, &packet, NULL, true);
	assert_int_equal(report.reader.state, expected);
	assert_int_equal(report.reader.asleep_ns, asleep * MS);
	assert_int_equal(report.reader.ready_ns, ready * MS);
	assert_int_equal(report.reader.running_ns, running * MS);
}

static void test_what_the_reader_did(void **state)
{
	struct slow_packet packet = make_packet();
	struct packet_report report;

	(void)state;
	assert_reader(0, 39, READER_READY, 1);
	assert_reader(38, 1, READER_ASLEEP, 1);
	assert_reader(1, 1, READER_RUNNING, 38);
	assert_reader(0, 0, READER_RUNNING, 40);
	assert_reader(20, 20, READER_ASLEEP, 0);
	packet_report_make(&report, &packet, NULL, true);
	assert_int_equal(report.reader.state, READER_UNKNOWN);
}

static char *print(void (*printer)(FILE *, const struct packet_report *),
		   const struct slow_packet *packet, bool stages)
{
	struct label_names *names = label_names_new();
	struct packet_report report;
	char *text;

	assert_non_null(names);
	packet_report_make(&report, packet, names, stages);
	text = PRINTED(printer, &report);
	label_names_free(names);
	return text;
}

static void assert_printed(void (*printer)(FILE *, const struct packet_report *),
			   const struct slow_packet *packet, bool stages, const char *expected)
{
	char *text = print(printer, packet, stages);

	assert_string_equal(text, expected);
	free(text);
}

static void test_text(void **state)
{
	struct slow_packet packet = make_packet();

	(void)state;
	assert_printed(packet_print_text, &packet, false,
		       "12:00:05.007123 udp-socket-read       50ms UDP  "
		       "192.0.2.1.20009 > 192.0.2.2.4000: length 128 "
		       "{pid=\"4711\",tid=\"4712\",comm=\"a \\\"b\\\"\\\\x1b\",cpu=\"3\"}\n");
	packet.probe = PROBE___udp_enqueue_schedule_skb;
	packet.pid = packet.tid = 0;
	*packet.comm = '\0';
	packet.queue_length = 0;
	packet.latency_ns = 123456;
	assert_printed(packet_print_text, &packet, false,
		       "12:00:05.007123 udp-socket-enqueued  123us UDP  "
		       "192.0.2.1.20009 > 192.0.2.2.4000: length 128, queue 0 {cpu=\"3\"}\n");
	packet.ethertype = htons(0x0806);
	assert_printed(packet_print_text, &packet, false,
		       "12:00:05.007123 udp-socket-enqueued  123us ethertype/0x0806, queue 0 "
		       "{cpu=\"3\"}\n");
}

/* A socket that is not connected does not know who sent what it read. */
static void test_unknown_sender_in_text(void **state)
{
	struct slow_packet packet = make_packet();
	char *text;

	(void)state;
	packet.nr_bytes = 0;
	packet.family = AF_INET;
	packet.protocol = IPPROTO_UDP;
	packet.dport = htons(4000);
	text = print(packet_print_text, &packet, false);
	assert_non_null(strstr(text, " 50ms UDP  * > *.4000 {pid="));
	free(text);
}

static void test_journey_in_text(void **state)
{
	struct slow_packet packet = make_packet();
	char *text = print(packet_print_text, &packet, true);

	(void)state;
	assert_string_equal(strchr(text, '\n') + 1,
			    "           +1ms netif-receive\n"
			    "           +1ms ip-rcv\n"
			    "           +2ms udp-start\n"
			    "           +3ms udp-queue-rcv\n"
			    "           +3ms udp-socket-enqueued\n"
			    "          +40ms udp-socket-read  <- 80 %  a \"b\"\\x1b/4712\n");
	free(text);
}

/* Where the kernel has it in memory helps those who attack the kernel. Some steps have no skb. */
static void test_skbs_have_numbers_instead_of_addresses(void **state)
{
	static const uint64_t skbs[] = { 0xffff888012345600, 0xffff888012345600, 0,
					 0xffff888099999900 };
	struct traced_packet *traced = calloc(1, sizeof(*traced));
	struct packet_report report;
	struct label_names *names = label_names_new();
	char *text = NULL, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_true(traced && names && out);
	for (; traced->nr < sizeof(skbs) / sizeof(*skbs); traced->nr++) {
		traced->steps[traced->nr] = make_packet();
		traced->steps[traced->nr].skb = skbs[traced->nr];
	}
	log_init(true);
	packet_report_make_traced(&report, traced, names);
	packet_print_text(out, &report);
	log_init(false);
	fclose(out);
	assert_null(strstr(text, "ffff8880"));
	line = strstr(text, " skb 1  <- 100 %");
	assert_non_null(line);
	line = strstr(line + 1, " skb 1\n");
	assert_non_null(line);
	assert_non_null(strstr(line + 1, " skb 2"));
	free(text);
	label_names_free(names);
	free(traced);
}

static struct slow_packet make_starved(void)
{
	struct slow_packet packet = make_packet();

	packet.has_reader = true;
	packet.ready_ns = 39 * MS;
	packet.other = (struct slow_other){ 98 * MS, 77, 78, "hog" };
	return packet;
}

static void test_why_in_text(void **state)
{
	struct slow_packet packet = make_starved();
	char *text = print(packet_print_text, &packet, true);

	(void)state;
	assert_non_null(strstr(text,
			       "\n                the reader was ready, but had no CPU: hog/78 ran "
			       "instead, for 98ms (asleep 0ns, ready 39ms, running 1ms)\n"));
	free(text);
	packet.other.tid = IS_SOFTIRQS;
	text = print(packet_print_text, &packet, true);
	assert_non_null(strstr(text, "had no CPU: softirqs ran instead, for 98ms (asleep"));
	free(text);
	text = print(packet_print_json, &packet, true);
	assert_non_null(strstr(text, "\"tid\":0,\"comm\":\"softirqs\""));
	free(text);
	packet.other.tid = 0;
	text = print(packet_print_text, &packet, true);
	assert_non_null(strstr(text, "had no CPU: the one that it got was idle (asleep"));
	free(text);
	packet.ready_ns = 0;
	packet.asleep_ns = 39 * MS;
	packet.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, ASLEEP_IN_NO_SYSCALL);
	text = print(packet_print_text, &packet, true);
	assert_non_null(strstr(text, "the reader was asleep in a page fault (asleep 39ms, ready "
				     "0ns, running 1ms)\n"));
	free(text);
	packet.asleep_in = ASLEEP_IN(ASLEEP_INTERRUPTIBLE, ASLEEP_IN_UNKNOWN);
	text = print(packet_print_text, &packet, true);
	assert_non_null(
		strstr(text, "the reader was asleep (asleep 39ms, ready 0ns, running 1ms)\n"));
	free(text);
}

/* How, and in what, in text and for programs. */
static void assert_asleep(__u32 asleep_in, const char *sentence, const char *members)
{
	struct slow_packet packet = make_starved();
	char *text;

	packet.ready_ns = 0;
	packet.asleep_ns = 39 * MS;
	packet.asleep_in = asleep_in;
	text = print(packet_print_text, &packet, true);
	assert_non_null(strstr(text, sentence));
	free(text);
	text = print(packet_print_json, &packet, true);
	assert_non_null(strstr(text, members));
	free(text);
}

static void test_in_what_it_was_asleep(void **state)
{
	(void)state;
	assert_asleep(ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_futex),
		      "the reader was asleep in futex (",
		      "\"asleep_how\":\"asleep\",\"asleep_in\":\"futex\"");
	assert_asleep(ASLEEP_IN(ASLEEP_FOR_IO, SYS_read),
		      "the reader was asleep, for a disk or the like, in read (",
		      "\"asleep_how\":\"io\",\"asleep_in\":\"read\"");
	assert_asleep(ASLEEP_IN(ASLEEP_UNINTERRUPTIBLE, -1),
		      "the reader was asleep in a page fault (",
		      "\"asleep_how\":\"uninterruptible\",\"asleep_in\":null");
	assert_asleep(ASLEEP_IN(ASLEEP_FOR_MEMORY, SYS_recvfrom),
		      "the reader was asleep, for memory, in recvfrom (",
		      "\"asleep_how\":\"memory\",\"asleep_in\":\"recvfrom\"");
	assert_asleep(ASLEEP_IN(ASLEEP_STOPPED, SYS_read), "the reader was stopped (",
		      "\"asleep_how\":\"stopped\"");
	assert_asleep(ASLEEP_IN(ASLEEP_FROZEN, -1), "the reader was frozen (",
		      "\"asleep_how\":\"frozen\"");
	assert_asleep(ASLEEP_IN(ASLEEP_SUSPENDED, -1), "the reader was frozen (",
		      "\"asleep_how\":\"frozen\"");
	assert_asleep(ASLEEP_IN(ASLEEP_INTERRUPTIBLE, 4000),
		      "the reader was asleep in system call 4000 (",
		      "\"asleep_in\":\"system call 4000\"");
}

static void test_why_in_json(void **state)
{
	struct slow_packet packet = make_starved();
	char *text = print(packet_print_json, &packet, true);

	(void)state;
	assert_non_null(strstr(text, ",\"reader\":{\"state\":\"ready\",\"asleep_ns\":0,"
				     "\"asleep_how\":null,\"asleep_in\":null,"
				     "\"ready_ns\":39000000,\"running_ns\":1000000,"
				     "\"instead\":{\"pid\":77,\"tid\":78,\"comm\":\"hog\","
				     "\"ran_ns\":98000000}}}\n"));
	free(text);
}

static void test_json(void **state)
{
	struct slow_packet packet = make_packet();
	const char *const head = "{\"schema\":1,\"version\":\"" VERSION
				 "\",\"time\":\"2026-02-01T12:00:05.007123456Z\","
				 "\"kind\":\"packet\",\"hook\":\"udp-socket-read\",";
	char *text = print(packet_print_json, &packet, true);

	(void)state;
	assert_memory_equal(text, head, strlen(head));
	assert_string_equal(
		text + strlen(head),
		"\"latency_ns\":50000000,\"protocol\":\"UDP\",\"saddr\":\"192.0.2.1\","
		"\"daddr\":\"192.0.2.2\",\"sport\":20009,\"dport\":4000,\"length\":128,"
		"\"interface\":null,\"netns\":null,\"cgroup\":null,\"cpu\":3,"
		"\"queue_length\":null,\"pid\":4711,\"tid\":4712,\"comm\":\"a \\\"b\\\"\\\\x1b\","
		"\"reason\":null,"
		"\"journey\":[{\"hook\":\"netif-receive\",\"ns\":1000000},"
		"{\"hook\":\"ip-rcv\",\"ns\":1000000},{\"hook\":\"udp-start\",\"ns\":2000000},"
		"{\"hook\":\"udp-queue-rcv\",\"ns\":3000000},"
		"{\"hook\":\"udp-socket-enqueued\",\"ns\":3000000},"
		"{\"hook\":\"udp-socket-read\",\"ns\":40000000}]}\n");
	free(text);
}

/* Of a traced packet: there is a step for each place, with its device. */
static void test_traced(void **state)
{
	static struct traced_packet traced;
	struct label_names *names = label_names_new();
	struct packet_report report;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	traced.nr = 2;
	traced.steps[0] = make_packet();
	traced.steps[0].probe = PROBE_net_dev_queue;
	traced.steps[0].now_ns = 1000 * MS;
	traced.steps[0].pid = traced.steps[0].tid = 0;
	*traced.steps[0].comm = '\0';
	traced.steps[1] = make_packet();
	traced.steps[1].nr_bytes = 0;
	packet_report_make_traced(&report, &traced, names);
	packet_print_text(out, &report);
	fputc('\n', out);
	packet_print_json(out, &report);
	fclose(out);
	assert_non_null(strstr(text, "udp-socket-read       50ms UDP  "
				     "192.0.2.1.20009 > 192.0.2.2.4000: length 128 {"));
	assert_non_null(strstr(text, "\n           +0ns tx-queue            {cpu=\"3\"}\n"
				     "          +50ms udp-socket-read     {pid=\"4711\","));
	assert_non_null(strstr(text, "}  <- 100 %  a \"b\"\\x1b/4712\n\n"));
	assert_non_null(strstr(text, "\"latency_ns\":50000000,"));
	assert_non_null(strstr(text, "\"journey\":[{\"hook\":\"tx-queue\",\"ns\":0,"
				     "\"interface\":null,\"netns\":null,\"cpu\":3},"));
	free(text);
	/* Read so late that all else was told before. */
	traced.nr = 1;
	traced.steps[0] = traced.steps[1];
	packet_report_make_traced(&report, &traced, names);
	assert_int_equal(report.latency_ns, 40 * MS);
	assert_int_equal(report.steps[0].ns, 40 * MS);
	/* It was queued before anybody looked. */
	traced.steps[0].before = 0;
	packet_report_make_traced(&report, &traced, names);
	assert_int_equal(report.latency_ns, 50 * MS);
	assert_int_equal(report.steps[0].ns, 50 * MS);
	label_names_free(names);
}

static void test_who_waits_for_sockets(void **state)
{
	(void)state;
	assert_true(asleep_is_for_sockets(ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_epoll_pwait)));
	assert_true(asleep_is_for_sockets(ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_recvfrom)));
	assert_false(asleep_is_for_sockets(ASLEEP_IN(ASLEEP_INTERRUPTIBLE, SYS_futex)));
	assert_false(asleep_is_for_sockets(ASLEEP_IN(ASLEEP_INTERRUPTIBLE, ASLEEP_IN_NO_SYSCALL)));
}

/* Without the padding of short packets; what comes behind its lengths is in test_pcapng.c. */
static void test_pcapng(void **state)
{
	struct slow_packet packet = make_packet();
	struct label_names *names = label_names_new();
	struct packet_report report;
	char *text = NULL;
	uint32_t *words;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	packet.bytes[3] = 22;
	packet_report_make(&report, &packet, names, false);
	assert_true(packet_print_pcapng(out, &report));
	fflush(out);
	words = (uint32_t *)text;
	assert_int_equal((uint64_t)words[3] << 32 | words[4], packet.time_ns);
	assert_int_equal(words[5], 22);
	assert_int_equal(words[6], 22);
	assert_memory_equal(&words[7], packet.bytes, 22);
	assert_string_equal(
		(char *)&words[14],
		"udp-socket-read 50ms {pid=\"4711\",tid=\"4712\",comm=\"a \\\"b\\\"\\\\x1b\",cpu=\"3\"}");
	/* A packet that is not IP has no length. */
	report.flow.length = 0;
	assert_false(packet_print_pcapng(out, &report));
	packet.nr_bytes = 0;
	packet_report_make(&report, &packet, names, false);
	assert_false(packet_print_pcapng(out, &report));
	fclose(out);
	free(text);
	label_names_free(names);
}

/* What TCP reads has none any more, but had them where it was before. */
static void test_pcapng_of_a_traced_packet(void **state)
{
	static struct traced_packet traced;
	struct label_names *names = label_names_new();
	struct packet_report report;
	char *text = NULL;
	uint32_t *words;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	traced.nr = 2;
	traced.steps[0] = make_packet();
	traced.steps[0].probe = PROBE_tcp_queue_rcv;
	traced.steps[0].time_ns -= 50 * MS;
	traced.steps[1] = make_packet();
	traced.steps[1].probe = PROBE_tcp_cleanup_rbuf;
	traced.steps[1].nr_bytes = 0;
	packet_report_make_traced(&report, &traced, names);
	assert_true(packet_print_pcapng(out, &report));
	fflush(out);
	words = (uint32_t *)text;
	assert_int_equal((uint64_t)words[3] << 32 | words[4], traced.steps[1].time_ns);
	assert_int_equal(words[5], traced.steps[0].nr_bytes);
	assert_int_equal(words[6], 128);
	assert_memory_equal(&words[7], traced.steps[0].bytes, traced.steps[0].nr_bytes);
	fclose(out);
	free(text);
	label_names_free(names);
}

/* Or it could be cut in the middle. */
static void test_a_pipe_takes_any_packet_as_a_whole(void **state)
{
	struct slow_packet packet = make_packet();
	struct label_names *names = label_names_new();
	struct packet_report report;
	char *text = NULL;
	uint32_t *words;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	packet.nr_bytes = SLOW_BYTES;
	packet.bytes[3] = SLOW_BYTES;
	packet.ifindex = INT32_MAX;
	packet.netns = UINT32_MAX;
	packet.cgroup = UINT64_MAX;
	packet_report_make(&report, &packet, names, false);
	report.nr_steps = MAX_PACKET_STEPS;
	for (unsigned int i = 0; i < MAX_PACKET_STEPS; i++)
		report.steps[i] = (struct packet_step){ HOOK_ip_rcv, i * MS, &packet };
	assert_true(packet_print_pcapng(out, &report));
	fclose(out);
	words = (uint32_t *)text;
	assert_int_equal(words[1], size);
	assert_true(size >= PIPE_BUF - 256 && size <= PIPE_BUF);
	/* The comment ends with a whole line, and a sign that there were more. */
	assert_non_null(memmem(text, size, "}\n...", 5));
	free(text);
	label_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_journey_adds_up),
		cmocka_unit_test(test_a_journey_ends_here),
		cmocka_unit_test(test_a_journey_of_which_only_the_hook_before_is_known),
		cmocka_unit_test(test_a_journey_that_is_another_packets),
		cmocka_unit_test(test_the_journey_of_a_segment),
		cmocka_unit_test(test_an_early_packet_has_no_journey),
		cmocka_unit_test(test_the_longest_step),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_unknown_sender_in_text),
		cmocka_unit_test(test_journey_in_text),
		cmocka_unit_test(test_skbs_have_numbers_instead_of_addresses),
		cmocka_unit_test(test_what_the_reader_did),
		cmocka_unit_test(test_why_in_text),
		cmocka_unit_test(test_why_in_json),
		cmocka_unit_test(test_in_what_it_was_asleep),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_traced),
		cmocka_unit_test(test_who_waits_for_sockets),
		cmocka_unit_test(test_pcapng),
		cmocka_unit_test(test_pcapng_of_a_traced_packet),
		cmocka_unit_test(test_a_pipe_takes_any_packet_as_a_whole),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
