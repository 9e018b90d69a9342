// SPDX-License-Identifier: GPL-2.0
/* The lines of --summary: which hook is marked, and that all fits and is aligned. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report_printing.h"

static struct hook_counts counts[NR_HOOKS];
static struct report_setup setup;

static int forget_counts(void **state)
{
	(void)state;
	memset(counts, 0, sizeof(counts));
	setup = make_setup();
	setup.summary = true;
	return 0;
}

/* So many packets of one latency, which is less than 2^31 ns. */
static void add(enum hook hook, uint64_t count, uint64_t ns)
{
	struct histogram *latency = &counts[hook].latency;
	unsigned int bucket = 0;

	while (ns > histogram_le_ns(latency, bucket))
		bucket++;
	latency->buckets[bucket].count += count;
	latency->buckets[bucket].sum_ns += count * ns;
}

static char *print_summary(void)
{
	struct report report = make_report(&setup, counts);

	return print_report(&printer_text, &report);
}

#define HEAD                                     \
	"2026-02-01 12:00:05  interval 1.00 s\n" \
	"hook                  count   mean    p50    p90    p99    max unmeasured\n"

static void assert_summary(const char *expected)
{
	char *text = print_summary();

	assert_string_equal(text, expected);
	free(text);
}

/* Expects this one mark, at this hook, or none at all. */
static void assert_mark(enum hook hook, const char *mark)
{
	char *text = print_summary(), *found = strstr(text, "<-");

	if (mark) {
		char *line = found;

		assert_non_null(found);
		while (line > text && line[-1] != '\n')
			line--;
		assert_memory_equal(line, hooks[hook].name, strlen(hooks[hook].name));
		assert_memory_equal(found, mark, strlen(mark));
		assert_int_equal(found[strlen(mark)], '\n');
		found = strstr(found + 1, "<-");
	}
	assert_null(found);
	free(text);
}

static void test_a_line_has_all_figures_of_a_hook(void **state)
{
	(void)state;
	add(HOOK_tcp_start, 98, 1000);
	add(HOOK_tcp_start, 2, 3000);
	add(HOOK_tcp_socket_read, 1, 60 * 1000 * 1000);
	counts[HOOK_tcp_socket_read].latency.buckets[NR_BUCKETS(0) - 1] =
		(struct bucket){ 1, 40 * NS_PER_S };
	counts[HOOK_tcp_socket_read].discarded[DISCARD_FILTERED] = 7;
	counts[HOOK_tcp_socket_read].discarded[DISCARD_FUTURE] = 5;
	counts[HOOK_udp_start].discarded[DISCARD_NO_STAMP] = 1;
	assert_summary(HEAD
		       "tcp-start               100 1.04us 1.02us 1.02us  4.1us  4.1us 0\n"
		       "udp-start                 0      -      -      -      -      - 1\n"
		       "tcp-socket-read           2    20s 67.1ms >17.2s >17.2s >17.2s 5 <- +20s\n"
		       "\n");
}

static void test_no_packets(void **state)
{
	(void)state;
	assert_summary("2026-02-01 12:00:05  interval 1.00 s\nno packets\n\n");
}

static void test_the_overhead_stays(void **state)
{
	static const struct program_counts programs[MAX_PROGRAMS];
	struct report report = make_report(&setup, counts);
	char *text;

	(void)state;
	add(HOOK_tcp_start, 1, 1000);
	setup.plan.overhead = true;
	report.programs = programs;
	text = print_report(&printer_text, &report);
	assert_non_null(strstr(text, "\n\noverhead in %"));
	free(text);
}

static void test_the_largest_jump_of_all_paths_is_marked(void **state)
{
	(void)state;
	add(HOOK_ip_rcv, 100, 2000);
	add(HOOK_tcp_start, 50, 3000);
	add(HOOK_tcp_socket_read, 50, 53000);
	add(HOOK_udp_start, 50, 3000);
	add(HOOK_udp_queue_rcv, 50, 4000);
	assert_mark(HOOK_tcp_socket_read, "<- +50us");
	add(HOOK_udp_socket_enqueued, 50, 64000);
	assert_mark(HOOK_udp_socket_enqueued, "<- +60us");
	add(HOOK_icmp_start, 1, 2100);
	add(HOOK_raw_socket_read, 1, 1002100);
	assert_mark(HOOK_raw_socket_read, "<- +1ms");
}

static void test_icmp_is_on_the_path_of_raw_sockets(void **state)
{
	(void)state;
	add(HOOK_ip_rcv, 5, 1000);
	add(HOOK_icmp_start, 5, 9000);
	add(HOOK_raw_socket_enqueued, 5, 10000);
	assert_mark(HOOK_icmp_start, "<- +8us");
}

static void test_of_equal_jumps_the_first_is_marked(void **state)
{
	(void)state;
	add(HOOK_tcp_start, 5, 1000);
	add(HOOK_tcp_do_rcv, 5, 2000);
	add(HOOK_udp_queue_rcv, 5, 1000);
	add(HOOK_udp_socket_read, 5, 2000);
	assert_mark(HOOK_tcp_start, "<- +1us");
}

/* In the table, hooks of several paths stand between each other. */
static void test_other_paths_do_not_interfere(void **state)
{
	(void)state;
	add(HOOK_tcp_start, 50, 30000);
	add(HOOK_udp_start, 50, 1000);
	add(HOOK_tcp_do_rcv, 50, 31000);
	add(HOOK_udp_queue_rcv, 50, 29000);
	assert_mark(HOOK_tcp_start, "<- +30us");
}

static void test_forwarded_packets_are_no_measure_for_others(void **state)
{
	(void)state;
	add(HOOK_ip_rcv, 50, 1000);
	add(HOOK_ip_forward, 50, 20000);
	assert_mark(HOOK_ip_forward, "<- +19us");
	add(HOOK_tcp_start, 50, 21000);
	assert_mark(HOOK_tcp_start, "<- +20us");
}

/* What packets waited for before ip-rcv is a jump, too. */
static void test_the_first_hook_is_compared_with_the_stamp(void **state)
{
	(void)state;
	add(HOOK_ip_rcv, 50, 20000);
	add(HOOK_tcp_start, 50, 20500);
	add(HOOK_tcp_socket_read, 50, 39000);
	assert_mark(HOOK_ip_rcv, "<- +20us");
}

static void test_a_single_hook_has_no_mark(void **state)
{
	(void)state;
	add(HOOK_tcp_socket_read, 50, 5000000);
	add(HOOK_udp_socket_read, 50, 5000);
	assert_mark(NR_HOOKS, NULL);
	add(HOOK_udp_start, 50, 1000);
	assert_mark(HOOK_udp_socket_read, "<- +4us");
}

/* No time at all, as clocks of emulated machines may have it. */
static void test_no_jump_has_no_mark(void **state)
{
	(void)state;
	add(HOOK_udp_start, 50, 0);
	add(HOOK_udp_socket_read, 50, 0);
	assert_mark(NR_HOOKS, NULL);
}

/* A few segments on TCP's slow path say nothing of all the others. */
static void test_what_only_some_packets_pass_is_left_out(void **state)
{
	(void)state;
	add(HOOK_tcp_do_rcv, 1000, 4000);
	add(HOOK_tcp_data_queue, 2, 10000000);
	add(HOOK_tcp_socket_enqueued, 1000, 5000);
	add(HOOK_tcp_socket_read, 1000, 45000);
	assert_mark(HOOK_tcp_socket_read, "<- +40us");
}

/* Checks that the right-aligned columns end where those of the header do. */
static void assert_aligned(const char *line, const char *header)
{
	static const char *const columns[] = { "count", "mean", "p50", "p90", "p99", "max" };

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		size_t end = strstr(header, columns[i]) + strlen(columns[i]) - header;

		assert_int_not_equal(line[end - 1], ' ');
		assert_int_equal(line[end], ' ');
	}
}

/* Of each hook, with so many packets and as many not measured. */
static void assert_fits(uint64_t count)
{
	char *text, *header, *line;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		add(hook, count, 1048000 * (1ULL + hook));
		counts[hook].discarded[DISCARD_NO_STAMP] = count;
	}
	text = print_summary();
	header = strstr(text, "hook");
	line = strchr(header, '\n') + 1;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		assert_memory_equal(line, hooks[hook].name, strlen(hooks[hook].name));
		assert_true(strcspn(line, "\n") <= 80);
		assert_aligned(line, header);
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(line, "\n");
	free(text);
}

static void test_every_hook_fits_and_is_aligned(void **state)
{
	for (uint64_t count = 1; count <= 1000000000; count *= 10) {
		forget_counts(state);
		assert_fits(count);
	}
}

/* What is cut is how large the jump is, and only where there is no room for it. */
static void test_a_mark_fits(void **state)
{
	(void)state;
	add(HOOK_udp_start, 1234567, 2000);
	add(HOOK_udp_socket_read, 1234567, 52300);
	counts[HOOK_udp_socket_read].discarded[DISCARD_NO_STAMP] = 123456;
	assert_mark(HOOK_udp_socket_read, "<- +50.3us");
	counts[HOOK_udp_socket_read].discarded[DISCARD_NO_STAMP] = 1234567;
	assert_mark(HOOK_udp_socket_read, "<-");
}

static struct group groups[] = {
	{ HOOK_udp_start, .key.port = 0 },
	{ HOOK_udp_socket_read, .key.port = 53 },
	{ HOOK_udp_socket_read, .key.port = 5353 },
	{ HOOK_udp_socket_read, .key.port = 80 },
};
#define NR_GROUPS (sizeof(groups) / sizeof(*groups))

/* The hook's figures and mark, then the groups of it; nothing more where no group has a name. */
static void test_groups_follow_their_hook(void **state)
{
	static struct bucket buckets[NR_GROUPS][NR_BUCKETS(0)];
	struct report_group seen[NR_GROUPS];
	struct report report = make_report(&setup, counts);
	char *text;

	(void)state;
	for (size_t i = 0; i < NR_GROUPS; i++) {
		uint64_t count = 10 - i;

		buckets[i][10 + i] = (struct bucket){ count, count * (1000ULL << i) };
		seen[i] = (struct report_group){ &groups[i], buckets[i], count, count };
		add(groups[i].hook, count, 1000ULL << i);
	}
	counts[HOOK_udp_socket_read].discarded[DISCARD_NO_ROOM] = 3;
	setup.plan.group_by = 1U << KEY_PORT;
	setup.top = 1;
	report.groups = seen;
	report.nr_groups = NR_GROUPS;
	report.names = label_names_new();
	text = print_report(&printer_text, &report);
	assert_string_equal(
		text, HEAD
		"udp-start                10    1us 1.02us 1.02us 1.02us 1.02us 0\n"
		"udp-socket-read          24 4.42us  4.1us 8.19us 8.19us 8.19us 3 <- +3.42us\n"
		"udp-socket-read           9    2us 2.05us 2.05us 2.05us 2.05us - {port=\"53\"}\n"
		"udp-socket-read          15 5.87us  4.1us 8.19us 8.19us 8.19us - 2 more groups, see --top\n"
		"\n");
	label_names_free(report.names);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_line_has_all_figures_of_a_hook, forget_counts),
		cmocka_unit_test_setup(test_no_packets, forget_counts),
		cmocka_unit_test_setup(test_the_overhead_stays, forget_counts),
		cmocka_unit_test_setup(test_the_largest_jump_of_all_paths_is_marked, forget_counts),
		cmocka_unit_test_setup(test_icmp_is_on_the_path_of_raw_sockets, forget_counts),
		cmocka_unit_test_setup(test_of_equal_jumps_the_first_is_marked, forget_counts),
		cmocka_unit_test_setup(test_other_paths_do_not_interfere, forget_counts),
		cmocka_unit_test_setup(test_forwarded_packets_are_no_measure_for_others,
				       forget_counts),
		cmocka_unit_test_setup(test_the_first_hook_is_compared_with_the_stamp,
				       forget_counts),
		cmocka_unit_test_setup(test_a_single_hook_has_no_mark, forget_counts),
		cmocka_unit_test_setup(test_no_jump_has_no_mark, forget_counts),
		cmocka_unit_test_setup(test_what_only_some_packets_pass_is_left_out, forget_counts),
		cmocka_unit_test_setup(test_every_hook_fits_and_is_aligned, forget_counts),
		cmocka_unit_test_setup(test_a_mark_fits, forget_counts),
		cmocka_unit_test_setup(test_groups_follow_their_hook, forget_counts),
	};

	/* Reports show local time. */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
