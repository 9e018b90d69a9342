// SPDX-License-Identifier: GPL-2.0
/* Which stages there are, where they are counted, and how they are shown. */
#include "unit.h"

#include "lib/counts/snapshot.h"
#include "lib/counts/stages.h"
#include "lib/report/lists.h"
#include "lib/report/stage_names.h"
#include "report_printing.h"

static void test_which_stages_are_possible(void **state)
{
	(void)state;
	assert_true(stage_is_possible(HOOK_netif_receive, HOOK_ip_rcv));
	assert_true(stage_is_possible(HOOK_ip_rcv, HOOK_tcp_start));
	assert_true(stage_is_possible(HOOK_netif_receive, HOOK_udp_socket_read));
	assert_true(stage_is_possible(HOOK_ip_rcv, HOOK_ip_forward));
	assert_true(stage_is_possible(HOOK_icmp_start, HOOK_raw_socket_enqueued));
	/* Not backwards, not to itself, not from protocol to protocol, and not from where they end.
	 */
	assert_false(stage_is_possible(HOOK_tcp_start, HOOK_ip_rcv));
	assert_false(stage_is_possible(HOOK_ip_rcv, HOOK_ip_rcv));
	assert_false(stage_is_possible(HOOK_tcp_start, HOOK_udp_queue_rcv));
	assert_false(stage_is_possible(HOOK_ip_forward, HOOK_tcp_start));
	for (enum hook to = 0; to < NR_HOOKS; to++)
		assert_false(stage_is_possible(HOOK_tcp_socket_read, to));
}

static void test_what_a_stage_begins_with_has_a_number(void **state)
{
	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		for (int is_ipv6 = 0; is_ipv6 <= 1; is_ipv6++) {
			__u8 from = STAGE_FROM(hook, is_ipv6);

			assert_true(from > 1 && from < NR_STAGE_FROMS);
			assert_int_equal(stage_from_hook(from), hook);
			assert_int_equal(stage_ip_version(from), is_ipv6 ? 6 : 4);
		}
}

static bool followed[NR_HOOKS], counted[NR_HOOKS];
static bool wakeups;
static stage_blocks blocks;

static unsigned int number(const char *all, const char *left_out)
{
	memset(followed, 0, sizeof(followed));
	hooks_select(all, true, followed);
	memcpy(counted, followed, sizeof(counted));
	hooks_select(left_out, false, counted);
	return stages_number(followed, counted, wakeups, blocks);
}

/* Each block is of one probe, for two programs may interrupt each other. */
static void test_the_last_hook_is_the_last_that_is_followed(void **state)
{
	bool followed[NR_HOOKS] = { 0 };

	(void)state;
	assert_int_equal(stage_last_hook(followed, HOOK_udp_socket_read), NR_HOOKS);
	/* No packet of UDP comes by this one. */
	followed[HOOK_tcp_start] = followed[HOOK_udp_socket_read] = true;
	assert_int_equal(stage_last_hook(followed, HOOK_udp_socket_read), NR_HOOKS);
	followed[HOOK_netif_receive] = true;
	assert_int_equal(stage_last_hook(followed, HOOK_udp_socket_read), HOOK_netif_receive);
	followed[HOOK_udp_start] = true;
	assert_int_equal(stage_last_hook(followed, HOOK_udp_socket_read), HOOK_udp_start);
}

static void test_blocks_are_numbered_without_gaps(void **state)
{
	unsigned int nr = number("*", ""), nr_seen = 0;
	bool seen[NR_PROBES * NR_STAGE_FROMS] = { false };

	(void)state;
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		for (unsigned int from = 0; from < NR_STAGE_FROMS; from++) {
			unsigned int block = blocks[probe][from];

			if (!block)
				continue;
			assert_true(block >= 1 && block <= nr);
			assert_false(seen[block]);
			seen[block] = true;
			nr_seen++;
		}
	assert_int_equal(nr_seen, nr);
	assert_true(nr > 100);
}

static void test_stages_end_where_packets_are_counted(void **state)
{
	(void)state;
	/* To either of two probes from two hooks, of two IP versions. */
	assert_int_equal(number("udp-*", "udp-start"), 2 * 2 + 2 * 2 + 3 * 2);
	assert_false(stages_end_at(blocks, HOOK_udp_start));
	assert_true(stages_end_at(blocks, HOOK_udp_queue_rcv));
	assert_int_not_equal(blocks[PROBE_udp_queue_rcv_one_skb][STAGE_FROM(HOOK_udp_start, 0)], 0);
	assert_int_equal(number("udp-start", ""), 0);
}

/* Three parts of two IP versions, where packets are read that were followed before. */
static void test_wakeups_are_parts_of_what_is_read(void **state)
{
	unsigned int nr = number("udp-*", "");

	(void)state;
	wakeups = true;
	assert_int_equal(number("udp-*", ""), nr + 6);
	assert_int_not_equal(blocks[PROBE_skb_consume_udp][STAGE_FROM(PART_READY, 1)], 0);
	assert_int_equal(blocks[PROBE_udp_rcv][STAGE_FROM(PART_READY, 1)], 0);
	assert_int_equal(number("udp-socket-read", ""), 0);
	wakeups = false;
}

static void test_stages_of_a_hooks_probes_are_one(void **state)
{
	struct group *stages;
	size_t nr;

	(void)state;
	assert_int_equal(number("udp_rcv", ""), 0);
	hooks_select("udp-queue-rcv", true, followed);
	hooks_select("udp-queue-rcv", true, counted);
	assert_int_equal(stages_number(followed, counted, wakeups, blocks), 4);
	stages = stages_list(blocks, &nr);
	assert_int_equal(nr, 2);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(stages[i].hook, HOOK_udp_queue_rcv);
		assert_int_equal(stages[i].from, STAGE_FROM(HOOK_udp_start, i));
		assert_int_equal(
			stages_find(stages, nr, HOOK_udp_queue_rcv, STAGE_FROM(HOOK_udp_start, i)),
			i);
	}
	assert_int_equal(stages_find(stages, nr, HOOK_udp_queue_rcv, STAGE_FROM(HOOK_ip_rcv, 0)),
			 nr);
	assert_int_equal(stages_find(stages, nr, HOOK_udp_start, STAGE_FROM(HOOK_udp_start, 0)),
			 nr);
	free(stages);
}

/* A snapshot of some stages, without groups. */
static const struct group some_stages[] = {
	{ HOOK_udp_socket_read, .from = STAGE_FROM(HOOK_udp_socket_enqueued, 0) },
	{ HOOK_udp_socket_enqueued, .from = STAGE_FROM(HOOK_udp_queue_rcv, 0) },
	{ HOOK_ip_rcv, .from = STAGE_FROM(HOOK_netif_receive, 1) },
	{ HOOK_ip_rcv, .from = STAGE_FROM(HOOK_netif_receive, 0) },
	{ HOOK_udp_socket_read, .from = STAGE_FROM(HOOK_udp_queue_rcv, 0) },
	{ HOOK_tcp_start, .from = STAGE_FROM(HOOK_ip_rcv, 0) },
};
#define NR_SOME_STAGES (sizeof(some_stages) / sizeof(*some_stages))

static struct snapshot make_snapshot(void)
{
	/* Bucket, count and mean; the last was not seen. */
	static const struct {
		unsigned int bucket, count, mean_ns;
	} counts[NR_SOME_STAGES] = {
		{ 26, 500, 50000000 }, { 13, 503, 6000 }, { 11, 13, 1900 },
		{ 11, 516, 1800 },     { 14, 3, 10000 },  { 0, 0, 0 },
	};
	struct snapshot snapshot;

	snapshot_init(&snapshot, 0);
	assert_int_equal(group_counts_resize(&snapshot.groups, NR_SOME_STAGES, NR_BUCKETS(0)), 0);
	for (size_t i = 0; i < NR_SOME_STAGES; i++)
		group_buckets(&snapshot.groups, i)[counts[i].bucket] =
			(struct bucket){ counts[i].count,
					 (uint64_t)counts[i].count * counts[i].mean_ns };
	snapshot.hooks[HOOK_netif_receive].latency.buckets[10] = (struct bucket){ 530, 530 * 700 };
	snapshot.hooks[HOOK_udp_socket_read].unpaired = 7;
	snapshot.hooks[HOOK_netif_receive].discarded[DISCARD_NO_ROOM] = 5;
	snapshot.hooks[HOOK_udp_socket_read].discarded[DISCARD_NO_ROOM] = 11;
	return snapshot;
}

static struct report_setup make_stages_setup(void)
{
	struct report_setup setup = make_setup();

	setup.plan.stages = true;
	memset(setup.plan.hooks, false, sizeof(setup.plan.hooks));
	hooks_select("netif-receive", true, setup.plan.hooks);
	hooks_select("ip-rcv", true, setup.plan.hooks);
	hooks_select("udp-[qs]*", true, setup.plan.hooks);
	hooks_select("udp-start", false, setup.plan.hooks);
	memcpy(setup.plan.followed, setup.plan.hooks, sizeof(setup.plan.hooks));
	return setup;
}

/* Prints a report of all that was made up, as text, to be freed. */
static char *print_stages_with(const struct printer *printer, int columns)
{
	const struct report_setup setup = make_stages_setup();
	struct snapshot snapshot = make_snapshot();
	struct report report = make_report(&setup, snapshot.hooks);
	struct report_group *stages;
	char *text;

	assert_int_equal(report_list_stages(some_stages, &snapshot, &setup, &group_orders[0],
					    &stages, &report.nr_stages),
			 0);
	report.stages = stages;
	report.terminal.columns = columns;
	report.names = label_names_new();
	text = print_report(printer, &report);
	label_names_free(report.names);
	free(stages);
	snapshot_free(&snapshot);
	return text;
}

static void test_tables_in_text(void **state)
{
	char *text = print_stages_with(&printer_text, 80);

	(void)state;
	assert_string_equal(
		text,
		"2026-02-01 12:00:05  interval 1.00 s\n"
		"in                                       count   mean    p50    p99    max share\n"
		"any packet:\n"
		"  netif-receive       RPS, backlog         530  700ns 1.02us 1.02us 1.02us\n"
		"IPv4:\n"
		"  ip-rcv              taps, tc, bridge     516  1.8us 2.05us 2.05us 2.05us\n"
		"UDP over IPv4:\n"
		"  udp-socket-enqueued filter, wake-up      503    6us 8.19us 8.19us 8.19us\n"
		"  udp-socket-read     <- udp-queue-rcv       3   10us 16.4us 16.4us 16.4us\n"
		"> udp-socket-read     queue, reader        500   50ms 67.1ms 67.1ms 67.1ms #####\n"
		"IPv6:\n"
		"  ip-rcv              taps, tc, bridge      13  1.9us 2.05us 2.05us 2.05us\n"
		"\n"
		"unpaired, as the hook before is not known:\n"
		"  udp-socket-read                            7\n"
		"\n"
		"no room for more groups (see --max-groups):\n"
		"  netif-receive                              5\n"
		"  udp-socket-read                           11\n"
		"\n");
	free(text);
}

/* Prints these stages, each of three packets that took so long, with what follows the time. */
static void assert_stages(const struct group *groups, const uint64_t *ns, size_t nr,
			  const char *expected)
{
	const struct report_setup setup = make_stages_setup();
	const struct hook_counts hooks[NR_HOOKS] = { 0 };
	struct report report = make_report(&setup, hooks);
	struct bucket buckets[4][MAX_BUCKETS] = { 0 };
	struct report_group stages[4];
	char *text;

	for (size_t i = 0; i < nr; i++) {
		buckets[i][bucket_index(ns[i], 0)] = (struct bucket){ 3, 3 * ns[i] };
		stages[i] = (struct report_group){ &groups[i], buckets[i], 3, 0 };
	}
	report.stages = stages;
	report.nr_stages = nr;
	report.names = label_names_new();
	text = print_report(&printer_text, &report);
	assert_string_equal(strchr(text, '\n') + 1, expected);
	label_names_free(report.names);
	free(text);
}

/* Of all ways, one is marked. */
static void test_the_way_out_has_a_table_of_its_own(void **state)
{
	static const struct group groups[] = {
		{ HOOK_ip_rcv, .from = STAGE_FROM(HOOK_netif_receive, 0) },
		{ HOOK_tx_queue, .from = STAGE_FROM(HOOK_tx_ip, 0) },
		{ HOOK_tx_start, .from = STAGE_FROM(HOOK_tx_queue, 0) },
		{ HOOK_tx_queue, .from = STAGE_FROM(HOOK_ip_forward, 1) },
	};
	static const uint64_t ns[] = { 3000000, 1000, 40000000, 2000 };

	(void)state;
	assert_stages(
		groups, ns, 4,
		"in                                       count   mean    p50    p99    max share\n"
		"IPv4:\n"
		"  ip-rcv              taps, tc, bridge       3    3ms 4.19ms 4.19ms 4.19ms #####\n"
		"\n"
		"out                                      count   mean    p50    p99    max share\n"
		"IPv4:\n"
		"  tx-queue            netfilter, tc          3    1us 1.02us 1.02us 1.02us\n"
		"> tx-start            qdisc                  3   40ms 67.1ms 67.1ms 67.1ms #####\n"
		"IPv6:\n"
		"  tx-queue            netfilter, tc          3    2us 2.05us 2.05us 2.05us\n"
		"\n");
}

/* As a bucket's bound is shown, so it is judged: up to 524 us is short, and up to 1.05 ms is late.
 */
static void test_what_is_short_is_not_marked(void **state)
{
	static const struct group group = { HOOK_tx_start, .from = STAGE_FROM(HOOK_tx_queue, 0) };
	static const uint64_t short_ns = 1 << 19, late_ns = (1 << 19) + 1;

	(void)state;
	assert_stages(
		&group, &short_ns, 1,
		"out                                      count   mean    p50    p99    max share\n"
		"IPv4:\n"
		"  tx-start            qdisc                  3  524us  524us  524us  524us #####\n"
		"\n"
		"all short: the p99 of each is below 1 ms\n\n");
	assert_stages(
		&group, &late_ns, 1,
		"out                                      count   mean    p50    p99    max share\n"
		"IPv4:\n"
		"> tx-start            qdisc                  3  524us 1.05ms 1.05ms 1.05ms #####\n"
		"\n");
}

#define DROP(hook, version, reason, nr)                                          \
	{                                                                        \
		.from = hook, .ip_version = version, .name = reason, .count = nr \
	}

static const struct report_drop some_drops[] = {
	DROP(HOOK_netif_receive, 0, "UNHANDLED_PROTO", 4),
	DROP(HOOK_udp_queue_rcv, 4, "SOCKET_RCVBUFF", 356),
	DROP(HOOK_udp_socket_read, 4, "A", 7),
	DROP(HOOK_udp_socket_read, 4, "B", 6),
	DROP(HOOK_udp_socket_read, 4, "C", 5),
	DROP(HOOK_udp_socket_read, 4, "D", 4),
	DROP(HOOK_udp_socket_read, 4, "E", 3),
	DROP(HOOK_udp_socket_read, 6, "A", 2),
	DROP(NR_HOOKS, 0, "NO_ROOM", 1),
};

/* Two lines to one hook, and one of no IP version yet. */
static char *print_drops(unsigned int group_by)
{
	static const struct group groups[] = {
		{ HOOK_netif_receive, .from = FROM_STAMP },
		{ HOOK_udp_socket_read, .from = STAGE_FROM(HOOK_udp_start, 0) },
		{ HOOK_udp_socket_read, .from = STAGE_FROM(HOOK_udp_queue_rcv, 0) },
	};
	struct report_setup setup = make_stages_setup();
	const struct hook_counts hooks[NR_HOOKS] = { 0 };
	struct report report = make_report(&setup, hooks);
	const struct bucket buckets[MAX_BUCKETS] = { [10] = { 3, 3000 } };
	struct report_group stages[3];
	char *text;

	for (size_t i = 0; i < 3; i++)
		stages[i] = (struct report_group){ &groups[i], buckets, 3, 0 };
	setup.plan.group_by = group_by;
	report.stages = stages;
	report.nr_stages = 3;
	report.drops = some_drops;
	report.nr_drops = sizeof(some_drops) / sizeof(*some_drops);
	report.names = label_names_new();
	text = print_report(&printer_text, &report);
	label_names_free(report.names);
	return text;
}

static void test_drops_are_below_where_packets_were_last(void **state)
{
	char *text = print_drops(0);

	(void)state;
	assert_string_equal(
		strchr(text, '\n') + 1,
		"in                                       count   mean    p50    p99    max share\n"
		"any packet:\n"
		"  netif-receive       RPS, backlog           3    1us 1.02us 1.02us 1.02us ##\n"
		"                                             4 dropped: UNHANDLED_PROTO\n"
		"UDP over IPv4:\n"
		"  udp-socket-read     <- udp-start           3    1us 1.02us 1.02us 1.02us ##\n"
		"  udp-socket-read     <- udp-queue-rcv       3    1us 1.02us 1.02us 1.02us ##\n"
		"                                             7 dropped: A\n"
		"                                             6 dropped: B\n"
		"                                             5 dropped: C\n"
		"                                             7 dropped: 2 more reasons\n"
		"\n"
		"all short: the p99 of each is below 1 ms\n\n"
		"dropped, by the hook where they were last:\n"
		"  udp-queue-rcv, IPv4                      356 dropped: SOCKET_RCVBUFF\n"
		"  udp-socket-read, IPv6                      2 dropped: A\n"
		"  none known                                 1 dropped: NO_ROOM\n"
		"\n");
	free(text);
}

/* All are of any group. */
static void test_drops_are_below_no_group(void **state)
{
	char *text = print_drops(1U << KEY_PORT), *drops = strstr(text, "\ndropped, by");

	(void)state;
	assert_non_null(drops);
	assert_non_null(
		strstr(drops, "\n  netif-receive                              4 dropped: "));
	*drops = '\0';
	assert_null(strstr(text, "dropped"));
	free(text);
}

/* A report may have nothing else. */
static void test_packets_that_are_all_dropped_are_not_none(void **state)
{
	const struct report_setup setup = make_stages_setup();
	const struct hook_counts hooks[NR_HOOKS] = { 0 };
	struct report report = make_report(&setup, hooks);
	char *text;

	(void)state;
	report.drops = some_drops;
	report.nr_drops = 1;
	text = print_report(&printer_text, &report);
	assert_string_equal(text, "2026-02-01 12:00:05  interval 1.00 s\n"
				  "dropped, by the hook where they were last:\n"
				  "  netif-receive                              4 dropped: "
				  "UNHANDLED_PROTO\n\n");
	free(text);
}

/* They were all filtered, say. */
static void test_packets_without_a_stage_are_none(void **state)
{
	const struct report_setup setup = make_stages_setup();
	const struct hook_counts hooks[NR_HOOKS] = {
		[HOOK_ip_rcv].discarded[DISCARD_FILTERED] = 7,
	};
	struct report report = make_report(&setup, hooks);
	char *text;

	(void)state;
	text = print_report(&printer_text, &report);
	assert_string_equal(text, "2026-02-01 12:00:05  interval 1.00 s\nno packets\n\n");
	free(text);
}

/* Prints a stage that begins so and ends with a read, with the parts of it or not. */
static char *print_stage_with(bool with_wakeups, unsigned int from)
{
	const struct group group = { HOOK_udp_socket_read, .from = STAGE_FROM(from, 0) };
	struct report_setup setup = make_stages_setup();
	const struct bucket buckets[MAX_BUCKETS] = { [13] = { 3, 3 * 6000 } };
	const struct report_group stage = { .group = &group, .buckets = buckets, .count = 3 };
	const struct hook_counts hooks[NR_HOOKS] = { 0 };
	struct report report = make_report(&setup, hooks);
	char *text;

	setup.plan.wakeups = with_wakeups;
	report.stages = &stage;
	report.nr_stages = 1;
	report.names = label_names_new();
	text = print_report(&printer_text, &report);
	label_names_free(report.names);
	return text;
}

static void assert_stage(bool with_wakeups, unsigned int from, const char *expected)
{
	char *text = print_stage_with(with_wakeups, from);

	print_message("%s", text);
	assert_non_null(strstr(text, expected));
	free(text);
}

static void test_parts_of_a_read(void **state)
{
	struct report_setup setup = { .plan.wakeups = true };
	struct report report = { .setup = &setup };
	const __u8 ready = STAGE_FROM(PART_READY, 0);

	(void)state;
	assert_string_equal(stage_names_of(&report, ready, HOOK_udp_socket_read).from,
			    "udp-socket-woken");
	assert_stage(true, PART_ASLEEP, "\n  udp-socket-woken    asleep                 3    6us ");
	assert_stage(true, PART_READY, "\n  udp-socket-running  ready, no CPU          3    6us ");
	assert_stage(true, PART_RUNNING,
		     "\n  udp-socket-read     on the CPU             3    6us ");
	assert_stage(true, HOOK_udp_socket_enqueued,
		     "\n  udp-socket-read     unknown reader         3    6us ");
	assert_stage(false, HOOK_udp_socket_enqueued,
		     "\n  udp-socket-read     queue, reader          3    6us ");
}

/* Bars take the room that there is. */
static void test_wide_terminals_have_longer_bars(void **state)
{
	char *text = print_stages_with(&printer_text, 100);

	(void)state;
	assert_non_null(strstr(text, " #########################\n"));
	assert_null(strstr(text, " ##########################\n"));
	free(text);
}

/* At this hook only, 1000 took 3 ms. */
static void count_at(struct snapshot *snapshot, struct report_setup *setup, enum hook hook)
{
	const struct bucket samples = { 1000, 1000 * 3000000ULL };

	setup->plan.hooks[hook] = true;
	snapshot->hooks[hook].latency.buckets[22] = samples;
}

static void test_what_is_of_sockets_stands_between_in_and_out(void **state)
{
	struct report_setup setup = { .plan.stages = true, .top = 10 };
	struct snapshot snapshot;
	struct report report;
	struct report_group *stages;
	char *text;

	(void)state;
	snapshot_init(&snapshot, 0);
	count_at(&snapshot, &setup, HOOK_netif_receive);
	count_at(&snapshot, &setup, HOOK_tcp_rtt);
	count_at(&snapshot, &setup, HOOK_tcp_accept);
	count_at(&snapshot, &setup, HOOK_tcp_transmit);
	count_at(&snapshot, &setup, HOOK_tcp_send);
	count_at(&snapshot, &setup, HOOK_udp_send);
	count_at(&snapshot, &setup, HOOK_drop);
	report = make_report(&setup, snapshot.hooks);
	assert_int_equal(report_list_stages(NULL, &snapshot, &setup, &group_orders[0], &stages,
					    &report.nr_stages),
			 0);
	report.stages = stages;
	report.terminal.columns = 80;
	report.names = label_names_new();
	text = print_report(&printer_text, &report);
	assert_string_equal(
		text,
		"2026-02-01 12:00:05  interval 1.00 s\n"
		"in                                       count   mean    p50    p99    max share\n"
		"any packet:\n"
		"> netif-receive       RPS, backlog        1000    3ms 4.19ms 4.19ms 4.19ms #####\n"
		"\n"
		"application                              count   mean    p50    p99    max share\n"
		"TCP:\n"
		"  tcp-accept          accept queue        1000    3ms 4.19ms 4.19ms 4.19ms ##\n"
		"  tcp-send            application         1000    3ms 4.19ms 4.19ms 4.19ms ##\n"
		"UDP:\n"
		"  udp-send            application         1000    3ms 4.19ms 4.19ms 4.19ms ##\n"
		"\n"
		"out                                      count   mean    p50    p99    max share\n"
		"TCP:\n"
		"  tcp-transmit        window, pacing      1000    3ms 4.19ms 4.19ms 4.19ms #####\n"
		"\n"
		"network                                  count   mean    p50    p99    max share\n"
		"TCP:\n"
		"  tcp-rtt             network             1000    3ms 4.19ms 4.19ms 4.19ms #####\n"
		"\n");
	free(text);
	label_names_free(report.names);
	free(stages);
	snapshot_free(&snapshot);
}

static void test_stages_are_no_groups(void **state)
{
	const struct report_setup setup = { .plan.stages = true };
	struct snapshot snapshot = make_snapshot();
	struct report_group *list;
	size_t nr;

	(void)state;
	assert_int_equal(
		report_list_groups(some_stages, &snapshot.groups, &group_orders[0], &list, &nr), 0);
	assert_int_equal(nr, 0);
	free(list);
	/* Where netif-receive is not shown, nothing is told from the stamp. */
	assert_int_equal(
		report_list_stages(some_stages, &snapshot, &setup, &group_orders[0], &list, &nr),
		0);
	assert_int_equal(nr, 5);
	free(list);
	snapshot_free(&snapshot);
}

/* Their clock is never set. */
static void test_a_step_of_the_clock_spoils_no_stage(void **state)
{
	const struct clock_invalidated all = { 0, true };
	struct snapshot snapshot = make_snapshot();

	(void)state;
	snapshot_discard_invalidated(&snapshot, &all, some_stages);
	assert_int_equal(group_buckets(&snapshot.groups, 0)[26].count, 500);
	assert_int_equal(snapshot.hooks[HOOK_netif_receive].latency.buckets[10].count, 0);
	assert_int_equal(snapshot.hooks[HOOK_udp_socket_read].unpaired, 7);
	snapshot_free(&snapshot);
}

static void test_unpaired_packets_are_counted_in_intervals(void **state)
{
	struct snapshot one = make_snapshot(), sum;

	(void)state;
	snapshot_init(&sum, 0);
	assert_int_equal(snapshot_copy(&sum, &one), 0);
	assert_int_equal(snapshot_add(&sum, &one), 0);
	assert_int_equal(sum.hooks[HOOK_udp_socket_read].unpaired, 14);
	snapshot_subtract(&sum, &one);
	assert_int_equal(sum.hooks[HOOK_udp_socket_read].unpaired, 7);
	snapshot_free(&sum);
	snapshot_free(&one);
}

static void test_the_way_of_most_packets_skips_no_hook(void **state)
{
	const bool followed[NR_HOOKS] = {
		[HOOK_ip_rcv] = true, [HOOK_tcp_start] = true,	  [HOOK_tcp_do_rcv] = true,
		[HOOK_tx_ip] = true,  [HOOK_tx_neighbour] = true, [HOOK_tx_queue] = true,
	};

	(void)state;
	assert_false(stage_skips(followed, STAGE_FROM(HOOK_ip_rcv, 0), HOOK_tcp_start));
	assert_true(stage_skips(followed, STAGE_FROM(HOOK_ip_rcv, 1), HOOK_tcp_do_rcv));
	/* Few come by tx-neighbour. */
	assert_false(stage_skips(followed, STAGE_FROM(HOOK_tx_ip, 0), HOOK_tx_queue));
	assert_false(stage_skips(followed, STAGE_FROM(HOOK_tx_ip, 0), HOOK_tx_neighbour));
	assert_true(stage_skips(followed, STAGE_FROM(HOOK_tx_neighbour, 0), HOOK_tx_queue));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_way_of_most_packets_skips_no_hook),
		cmocka_unit_test(test_which_stages_are_possible),
		cmocka_unit_test(test_what_a_stage_begins_with_has_a_number),
		cmocka_unit_test(test_the_last_hook_is_the_last_that_is_followed),
		cmocka_unit_test(test_blocks_are_numbered_without_gaps),
		cmocka_unit_test(test_stages_end_where_packets_are_counted),
		cmocka_unit_test(test_wakeups_are_parts_of_what_is_read),
		cmocka_unit_test(test_stages_of_a_hooks_probes_are_one),
		cmocka_unit_test(test_tables_in_text),
		cmocka_unit_test(test_the_way_out_has_a_table_of_its_own),
		cmocka_unit_test(test_what_is_short_is_not_marked),
		cmocka_unit_test(test_drops_are_below_where_packets_were_last),
		cmocka_unit_test(test_drops_are_below_no_group),
		cmocka_unit_test(test_packets_that_are_all_dropped_are_not_none),
		cmocka_unit_test(test_packets_without_a_stage_are_none),
		cmocka_unit_test(test_parts_of_a_read),
		cmocka_unit_test(test_wide_terminals_have_longer_bars),
		cmocka_unit_test(test_what_is_of_sockets_stands_between_in_and_out),
		cmocka_unit_test(test_stages_are_no_groups),
		cmocka_unit_test(test_a_step_of_the_clock_spoils_no_stage),
		cmocka_unit_test(test_unpaired_packets_are_counted_in_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
