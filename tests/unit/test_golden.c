// SPDX-License-Identifier: GPL-2.0
/*
 * Every printer against a file with what it should print. After a change that is meant:
 * GOLDEN_UPDATE=1 .output/tests/unit/test_golden, and look at the difference.
 */
#include "unit.h"

#include "golden.h"
#include "lib/counts/stages.h"
#include "lib/report/lists.h"
#include "report_printing.h"

#define GOLDEN "tests/unit/golden/"

static struct hook_counts counts[NR_HOOKS];
static struct report_setup setup;

static void add_samples(enum hook hook, uint64_t ns, uint64_t count)
{
	struct histogram *latency = &counts[hook].latency;
	unsigned int bucket = 0;

	while (bucket < histogram_overflow(latency) && ns > histogram_le_ns(latency, bucket))
		bucket++;
	latency->buckets[bucket].count += count;
	latency->buckets[bucket].sum_ns += count * ns;
}

/* Traffic at three hooks, among them two humps and an overflow; two functions are missing. */
static void make_counts(void)
{
	setup = make_setup();
	setup.served_resolution = 2;
	setup.left_out.why[PROBE_icmpv6_rcv] = "this kernel has no such function, or inlined it";
	setup.left_out.why[PROBE_tcp_recv_timestamp] = "this kernel's verifier refuses the program";
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		counts[hook].latency.resolution = 2;

	for (int i = 0; i < 12; i++) {
		add_samples(HOOK_tcp_start, 700 + 150 * i, 1ULL << (i < 6 ? 2 * i : 22 - 2 * i));
		add_samples(HOOK_udp_start, 1100 + 400 * i, 3 * (12 - i) * (12 - i));
		add_samples(HOOK_udp_socket_read, 40000 + 9000 * i, 20 + i);
		add_samples(HOOK_udp_socket_read, 47000000 + 9000000ULL * i, 300 - 20 * i);
	}
	add_samples(HOOK_udp_socket_read, 100, 1);
	add_samples(HOOK_udp_socket_read, 60 * NS_PER_S, 2);
	counts[HOOK_udp_start].discarded[DISCARD_NO_STAMP] = 5;
	counts[HOOK_udp_socket_read].discarded[DISCARD_FILTERED] = 2;
	counts[HOOK_udp_socket_read].discarded[DISCARD_FUTURE] = 1;
	counts[HOOK_udp_socket_read].discarded[DISCARD_RECURSION_MISS] = 4;
}

/* Groups by these, as far as they are known at a hook: not the port and the reader at tcp-start. */
#define GROUP_BY (1U << KEY_PORT | 1U << KEY_COMM | 1U << KEY_IP_VERSION)

static const struct group groups[] = {
	{ HOOK_tcp_start, .key = { .ip_version = 6 } },
	{ HOOK_tcp_start, .key = { .ip_version = 4 } },
	{ HOOK_udp_socket_read, .key = { .port = 53, .ip_version = 4, .comm = "a \"b\\c\" d" } },
	{ HOOK_udp_socket_read, .key = { .port = 53, .ip_version = 6, .comm = "named" } },
	{ HOOK_udp_socket_read, .key = { .port = 5353, .ip_version = 6, .comm = "named" } },
};
#define NR_GROUPS (sizeof(groups) / sizeof(*groups))

static struct bucket latency_of_group[NR_GROUPS][NR_BUCKETS(0)];
static struct report_group busiest_groups[NR_GROUPS];
static struct hook_counts grouped_counts[NR_HOOKS];

/* A hook is the sum of its groups. */
static void add_group_samples(size_t group, unsigned int bucket, uint64_t count)
{
	const struct bucket samples = { count, count * (3ULL << bucket) / 4 };
	struct bucket *hook = &grouped_counts[groups[group].hook].latency.buckets[bucket];

	latency_of_group[group][bucket] = samples;
	hook->count += samples.count;
	hook->sum_ns += samples.sum_ns;
	busiest_groups[group].count += count;
}

/* The busiest first, as reports have them by default. */
static void make_groups(void)
{
	for (size_t i = 0; i < NR_GROUPS; i++) {
		busiest_groups[i] = (struct report_group){ &groups[i], latency_of_group[i], 0, 0 };
		for (unsigned int j = 0; j <= 4; j++)
			add_group_samples(i, 11 + i + j, 1000 >> (i + 2 * j));
	}
	grouped_counts[HOOK_udp_start].discarded[DISCARD_NO_STAMP] = 2;
	grouped_counts[HOOK_udp_socket_read].discarded[DISCARD_FILTERED] = 3;
	grouped_counts[HOOK_udp_socket_read].discarded[DISCARD_NO_ROOM] = 40;
}

static int make_reports(void **state)
{
	(void)state;
	make_counts();
	make_groups();
	return 0;
}

static void assert_golden(const struct report *report, const char *path,
			  const struct printer *printer)
{
	char *text = print_report(printer, report);

	if (printer == &printer_prometheus)
		assert_golden_as_prometheus(text, path);
	else
		assert_golden_text(text, path);
	free(text);
}

static void test_text(void **state)
{
	struct report report = make_report(&setup, counts);

	(void)state;
	assert_golden(&report, GOLDEN "text.txt", &printer_text);
}

static void test_json(void **state)
{
	struct report report = make_report(&setup, counts);

	(void)state;
	report.clock_change = (struct clock_change){ 1769947203, 0, 37 * NS_PER_S };
	assert_golden(&report, GOLDEN "json.jsonl", &printer_json);
}

/* Of the four buckets of an octave, the bound of the last is that of the octave. */
static void test_fewer_buckets_may_be_served_than_counted(void **state)
{
	struct report_setup octaves = setup;
	struct report report = make_report(&octaves, counts);
	char *text;

	(void)state;
	octaves.served_resolution = 0;
	text = print_report(&printer_prometheus, &report);
	assert_non_null(strstr(text, "bucket{hook=\"tcp-start\",le=\"5.12e-07\"} 0\n"
				     "netstacklat_latency_seconds_bucket{hook=\"tcp-start\","
				     "le=\"1.024e-06\"} 21\n"
				     "netstacklat_latency_seconds_bucket{hook=\"tcp-start\","
				     "le=\"2.048e-06\"} "));
	free(text);
}

static void test_what_it_takes_itself_is_served(void **state)
{
	struct report report = make_report(&setup, counts);
	char *text;

	(void)state;
	report.self = (struct self_usage){ .cpu_ns = 1500 * NS_PER_MS, .resident_bytes = 4096000 };
	report.started_ns = 1769947200 * NS_PER_S;
	text = print_report(&printer_openmetrics, &report);
	assert_non_null(strstr(text, "# TYPE process_cpu_seconds counter\n"));
	assert_non_null(strstr(text, "\nprocess_cpu_seconds_total 1.5\n"));
	assert_non_null(strstr(text, "\nprocess_resident_memory_bytes 4096000\n"));
	assert_non_null(strstr(text, "# TYPE process_start_time_seconds gauge\n"));
	assert_non_null(strstr(text, "\nprocess_start_time_seconds 1769947200.0\n"));
	free(text);
}

static void test_openmetrics(void **state)
{
	struct report report = make_report(&setup, counts);

	(void)state;
	report.kind = REPORT_CUMULATIVE;
	assert_golden(&report, GOLDEN "openmetrics.prom", &printer_openmetrics);
}

static void test_prometheus(void **state)
{
	struct report report = make_report(&setup, counts);

	(void)state;
	report.kind = REPORT_CUMULATIVE;
	assert_golden(&report, GOLDEN "openmetrics.prom", &printer_prometheus);
}

/* Four hooks do not fit side by side: a line for each with traffic. */
static void test_heatmap_in_blocks(void **state)
{
	struct report report = make_report(&setup, counts);

	(void)state;
	assert_golden(&report, GOLDEN "heatmap-blocks.txt", &printer_heatmap);
}

static void test_heatmap_side_by_side(void **state)
{
	struct report_setup two = setup;
	struct report report = make_report(&two, counts);

	(void)state;
	memset(two.plan.hooks, false, sizeof(two.plan.hooks));
	two.plan.hooks[HOOK_udp_start] = two.plan.hooks[HOOK_udp_socket_read] = true;
	report.terminal.unicode = true;
	assert_golden(&report, GOLDEN "heatmap-two-hooks.txt", &printer_heatmap);
	/* With the room for it, finer; with colours; and without a legend, as it is not the first.
	 */
	report.terminal.columns = 200;
	report.terminal.colour = true;
	report.number = 20;
	assert_golden(&report, GOLDEN "heatmap-wide-colour.txt", &printer_heatmap);
}

static void assert_golden_groups(enum report_kind kind, unsigned int top, const char *path,
				 const struct printer *printer)
{
	struct report_setup grouped = setup;
	struct report report = make_report(&grouped, grouped_counts);

	grouped.plan.group_by = GROUP_BY;
	grouped.top = top;
	report.kind = kind;
	report.groups = busiest_groups;
	report.nr_groups = NR_GROUPS;
	report.rows = (struct rows_used){ 17, 8192 };
	report.names = label_names_new();
	assert_non_null(report.names);
	assert_golden(&report, path, printer);
	label_names_free(report.names);
}

static void test_groups_in_text(void **state)
{
	(void)state;
	assert_golden_groups(REPORT_INTERVAL, 10, GOLDEN "text-groups.txt", &printer_text);
}

/* One more, and several more. */
static void test_the_busiest_groups_in_text(void **state)
{
	(void)state;
	assert_golden_groups(REPORT_INTERVAL, 1, GOLDEN "text-top.txt", &printer_text);
}

static void test_summary(void **state)
{
	struct report_setup short_setup = setup;
	struct report report = make_report(&short_setup, counts);

	(void)state;
	short_setup.summary = true;
	assert_golden(&report, GOLDEN "text-summary.txt", &printer_text);
}

static void test_summary_of_groups(void **state)
{
	struct report_setup whole_setup = setup;

	(void)state;
	setup.summary = true;
	assert_golden_groups(REPORT_INTERVAL, 10, GOLDEN "text-summary-groups.txt", &printer_text);
	assert_golden_groups(REPORT_INTERVAL, 1, GOLDEN "text-summary-top.txt", &printer_text);
	setup = whole_setup;
}

static void test_groups_in_json(void **state)
{
	(void)state;
	assert_golden_groups(REPORT_INTERVAL, 1, GOLDEN "json-groups.jsonl", &printer_json);
}

static void test_groups_in_openmetrics(void **state)
{
	(void)state;
	assert_golden_groups(REPORT_CUMULATIVE, 1, GOLDEN "openmetrics-groups.prom",
			     &printer_openmetrics);
}

static void test_groups_in_prometheus(void **state)
{
	(void)state;
	assert_golden_groups(REPORT_CUMULATIVE, 1, GOLDEN "openmetrics-groups.prom",
			     &printer_prometheus);
}

/* Three busy hours of UDP, of which one hook is not attached to all its functions. */
static void assert_golden_overhead(enum report_kind kind, const char *path,
				   const struct printer *printer)
{
	static struct hook_counts few_counts[NR_HOOKS];
	static const struct program_counts programs[MAX_PROGRAMS] = {
		[PROGRAM_OF(PROBE_udp_rcv)] = { 503, 503 * 212 + 1 },
		[PROGRAM_OF(PROBE___udp_enqueue_schedule_skb)] = { 12345678901, 2839506147230 },
		[ENTRY_PROGRAM_OF(PROBE___udp_enqueue_schedule_skb)] = { 12345678990,
									 1049381951123 },
		[PROGRAM_OF(PROBE_tcp_v4_rcv)] = { 1, 1 }, /* for the sake of another hook */
	};
	struct report_setup few = { .clock = CLOCK_TAI, .plan.overhead = true };
	struct report report = make_report(&few, few_counts);

	for (unsigned int program = 0; program < MAX_PROGRAMS; program++)
		few.programs[program] = programs[program].runs;
	few.programs[PROGRAM_OF(PROBE_skb_consume_udp)] = true;
	few.plan.hooks[HOOK_udp_start] = few.plan.hooks[HOOK_udp_socket_enqueued] = true;
	few.plan.hooks[HOOK_udp_socket_read] = true;
	few.left_out.why[PROBE_udpv6_rcv] = "this kernel has no such function, or inlined it";
	few_counts[HOOK_udp_start].latency.buckets[12] = (struct bucket){ 503, 503 * 3000 };
	report.kind = kind;
	report.duration_ns = 10800 * NS_PER_S;
	report.programs = programs;
	assert_golden(&report, path, printer);
}

static void test_overhead_in_text(void **state)
{
	(void)state;
	assert_golden_overhead(REPORT_INTERVAL, GOLDEN "text-overhead.txt", &printer_text);
}

static void test_overhead_in_json(void **state)
{
	(void)state;
	assert_golden_overhead(REPORT_INTERVAL, GOLDEN "json-overhead.jsonl", &printer_json);
}

static void test_overhead_in_prometheus(void **state)
{
	(void)state;
	assert_golden_overhead(REPORT_CUMULATIVE, GOLDEN "openmetrics-overhead.prom",
			       &printer_prometheus);
}

static void test_overhead_in_openmetrics(void **state)
{
	(void)state;
	assert_golden_overhead(REPORT_CUMULATIVE, GOLDEN "openmetrics-overhead.prom",
			       &printer_openmetrics);
}

/* Slow packets, of which some were not reported. */
static void assert_golden_slow(enum report_kind kind, const char *path,
			       const struct printer *printer)
{
	static struct hook_counts few_counts[NR_HOOKS];
	static const uint64_t slow[NR_SLOW_COUNTS] = { 100, 345, 6 };
	struct report_setup few = { .clock = CLOCK_TAI, .plan.slow = true };
	struct report report = make_report(&few, few_counts);

	few.plan.hooks[HOOK_udp_start] = true;
	few_counts[HOOK_udp_start].latency.buckets[24] = (struct bucket){ 451, 451 * 12000000ULL };
	report.kind = kind;
	report.slow = slow;
	assert_golden(&report, path, printer);
}

static void test_slow_packets(void **state)
{
	(void)state;
	assert_golden_slow(REPORT_INTERVAL, GOLDEN "text-slow.txt", &printer_text);
	assert_golden_slow(REPORT_INTERVAL, GOLDEN "json-slow.jsonl", &printer_json);
	assert_golden_slow(REPORT_CUMULATIVE, GOLDEN "openmetrics-slow.prom", &printer_prometheus);
	assert_golden_slow(REPORT_CUMULATIVE, GOLDEN "openmetrics-slow.prom", &printer_openmetrics);
}

/* Packets to two ports, some of which miss udp-queue-rcv or were not seen before it. */
#define NOWHERE NR_HOOKS
static const struct {
	enum hook from, to;
	__u8 ip_version;
	__u16 port;
	unsigned int bucket, count;
} stage_samples[] = {
	{ NOWHERE, HOOK_netif_receive, 4, 0, 10, 300 },
	{ NOWHERE, HOOK_netif_receive, 6, 0, 11, 90 },
	{ HOOK_netif_receive, HOOK_ip_rcv, 4, 0, 9, 300 },
	{ HOOK_netif_receive, HOOK_ip_rcv, 6, 0, 9, 90 },
	{ HOOK_ip_rcv, HOOK_udp_start, 4, 0, 12, 300 },
	{ HOOK_ip_rcv, HOOK_udp_start, 6, 0, 13, 90 },
	{ HOOK_udp_start, HOOK_udp_queue_rcv, 4, 53, 11, 200 },
	{ HOOK_udp_start, HOOK_udp_queue_rcv, 4, 5353, 11, 100 },
	{ HOOK_udp_start, HOOK_udp_queue_rcv, 6, 53, 12, 60 },
	{ NOWHERE, HOOK_udp_queue_rcv, 6, 53, 14, 7 },
	{ HOOK_udp_queue_rcv, HOOK_udp_socket_read, 4, 53, 17, 200 },
	{ HOOK_udp_queue_rcv, HOOK_udp_socket_read, 4, 5353, 17, 99 },
	{ HOOK_udp_queue_rcv, HOOK_udp_socket_read, 4, 5353, 35, 1 },
	{ HOOK_udp_queue_rcv, HOOK_udp_socket_read, 6, 53, 18, 67 },
	{ HOOK_udp_start, HOOK_udp_socket_read, 6, 53, 18, 30 },
};
#define NR_STAGE_SAMPLES (sizeof(stage_samples) / sizeof(*stage_samples))

static struct group stage_groups[2 * NR_STAGE_SAMPLES];
static size_t nr_stage_groups;

/* A group, or a stage, that is new or was there. */
static void add_to_group(struct snapshot *snapshot, const struct group *group,
			 const struct bucket *samples, unsigned int bucket)
{
	size_t i = 0;

	while (i < nr_stage_groups && memcmp(&stage_groups[i], group, sizeof(*group)))
		i++;
	if (i == nr_stage_groups)
		stage_groups[nr_stage_groups++] = *group;
	buckets_add(&group_buckets(&snapshot->groups, i)[bucket], samples, 1);
}

/* Each hook has the samples of the stages that end there, whatever their latency was. */
static void add_stage_samples(struct snapshot *snapshot, size_t i, bool grouped)
{
	const unsigned int bucket = stage_samples[i].bucket, count = stage_samples[i].count;
	const struct bucket samples = { count, count * (3ULL << bucket) / 4 };
	enum hook from = stage_samples[i].from, to = stage_samples[i].to;
	struct group group = { .hook = to };

	buckets_add(&snapshot->hooks[to].latency.buckets[bucket], &samples, 1);
	if (from == NOWHERE)
		snapshot->hooks[to].unpaired += count;
	if (grouped) {
		group.key.port = stage_samples[i].port;
		group.key.ip_version = stage_samples[i].ip_version;
		add_to_group(snapshot, &group, &samples, bucket);
	}
	group.from = STAGE_FROM(from, stage_samples[i].ip_version == 6);
	if (from != NOWHERE)
		add_to_group(snapshot, &group, &samples, bucket);
}

static struct snapshot make_stages(bool grouped)
{
	struct snapshot snapshot;

	nr_stage_groups = 0;
	snapshot_init(&snapshot, 0);
	assert_int_equal(group_counts_resize(&snapshot.groups, 2 * NR_STAGE_SAMPLES, NR_BUCKETS(0)),
			 0);
	for (size_t i = 0; i < NR_STAGE_SAMPLES; i++)
		add_stage_samples(&snapshot, i, grouped);
	return snapshot;
}

/* At all hooks that have samples. */
static struct report_setup make_stages_setup(unsigned int group_by)
{
	struct report_setup staged = { .clock = CLOCK_TAI,
				       .plan = { .stages = true, .group_by = group_by },
				       .drops = true,
				       .top = 10 };

	for (size_t i = 0; i < NR_STAGE_SAMPLES; i++)
		staged.plan.hooks[stage_samples[i].to] = true;
	memcpy(staged.plan.followed, staged.plan.hooks, sizeof(staged.plan.hooks));
	return staged;
}

static const struct report_drop drops[] = {
	{ HOOK_netif_receive, 0, .name = "UNHANDLED_PROTO", .count = 2 },
	{ HOOK_udp_start, 6, .number = "number/131072", .count = 30 },
	{ HOOK_tx_ip, 4, .name = "NETFILTER_DROP", .count = 5 },
	{ NR_HOOKS, 0, .name = "NO_ROOM", .count = 1 },
};

static const struct group_order *order = &group_orders[0];

static void assert_golden_stages(const struct report_setup *staged, int columns, const char *path,
				 const struct printer *printer)
{
	struct snapshot snapshot = make_stages(staged->plan.group_by);
	struct report report = make_report(staged, snapshot.hooks);
	struct report_group *listed, *stages;

	/* There are no more groups than these, and none is without a count. */
	snapshot.groups.nr = nr_stage_groups;
	assert_int_equal(report_list_groups(stage_groups, &snapshot.groups, order, &listed,
					    &report.nr_groups),
			 0);
	assert_int_equal(report_list_stages(stage_groups, &snapshot, staged, order, &stages,
					    &report.nr_stages),
			 0);
	report.kind = REPORT_TOTAL;
	report.groups = listed;
	report.stages = stages;
	report.drops = drops;
	report.nr_drops = sizeof(drops) / sizeof(*drops);
	report.names = label_names_new();
	report.terminal.columns = columns;
	assert_golden(&report, path, printer);
	label_names_free(report.names);
	free(listed);
	free(stages);
	snapshot_free(&snapshot);
}

/* One of them is a label of stages as well. */
#define STAGE_GROUPS (1U << KEY_PORT | 1U << KEY_IP_VERSION)

static void assert_golden_stages_of_both(const char *path, const char *groups_path,
					 const struct printer *printer)
{
	const struct report_setup plain = make_stages_setup(0),
				  grouped = make_stages_setup(STAGE_GROUPS);

	assert_golden_stages(&plain, 80, path, printer);
	assert_golden_stages(&grouped, 80, groups_path, printer);
}

static void test_stages_in_text(void **state)
{
	const struct report_setup grouped = make_stages_setup(STAGE_GROUPS);
	struct report_setup full = grouped, top = grouped;

	(void)state;
	assert_golden_stages_of_both(GOLDEN "text-stages.txt", GOLDEN "text-stages-groups.txt",
				     &printer_text);
	full.full = true;
	assert_golden_stages(&full, 80, GOLDEN "text-stages-full.txt", &printer_text);
	top.top = 1;
	assert_golden_stages(&top, 80, GOLDEN "text-stages-top.txt", &printer_text);
	order = group_order_find("sum");
	assert_golden_stages(&grouped, 80, GOLDEN "text-stages-sum.txt", &printer_text);
	order = &group_orders[0];
}

static void test_stages_in_json(void **state)
{
	(void)state;
	assert_golden_stages_of_both(GOLDEN "json-stages.jsonl", GOLDEN "json-stages-groups.jsonl",
				     &printer_json);
}

static void test_stages_in_openmetrics(void **state)
{
	(void)state;
	assert_golden_stages_of_both(GOLDEN "openmetrics-stages.prom",
				     GOLDEN "openmetrics-stages-groups.prom", &printer_openmetrics);
}

static void test_stages_in_prometheus(void **state)
{
	(void)state;
	assert_golden_stages_of_both(GOLDEN "openmetrics-stages.prom",
				     GOLDEN "openmetrics-stages-groups.prom", &printer_prometheus);
}

static void test_stages_in_a_heatmap(void **state)
{
	struct report_setup staged = make_stages_setup(0);

	(void)state;
	assert_golden_stages(&staged, 80, GOLDEN "heatmap-stages.txt", &printer_heatmap);
	/* Three that are possible, of which two were seen. */
	memset(staged.plan.hooks, false, sizeof(staged.plan.hooks));
	staged.plan.hooks[HOOK_udp_start] = staged.plan.hooks[HOOK_udp_queue_rcv] = true;
	staged.plan.hooks[HOOK_udp_socket_read] = true;
	memcpy(staged.plan.followed, staged.plan.hooks, sizeof(staged.plan.hooks));
	assert_golden_stages(&staged, 120, GOLDEN "heatmap-stages-wide.txt", &printer_heatmap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_fewer_buckets_may_be_served_than_counted),
		cmocka_unit_test(test_openmetrics),
		cmocka_unit_test(test_what_it_takes_itself_is_served),
		cmocka_unit_test(test_prometheus),
		cmocka_unit_test(test_heatmap_in_blocks),
		cmocka_unit_test(test_heatmap_side_by_side),
		cmocka_unit_test(test_groups_in_text),
		cmocka_unit_test(test_the_busiest_groups_in_text),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_summary_of_groups),
		cmocka_unit_test(test_groups_in_json),
		cmocka_unit_test(test_groups_in_openmetrics),
		cmocka_unit_test(test_groups_in_prometheus),
		cmocka_unit_test(test_slow_packets),
		cmocka_unit_test(test_overhead_in_text),
		cmocka_unit_test(test_overhead_in_json),
		cmocka_unit_test(test_overhead_in_openmetrics),
		cmocka_unit_test(test_stages_in_text),
		cmocka_unit_test(test_stages_in_json),
		cmocka_unit_test(test_stages_in_openmetrics),
		cmocka_unit_test(test_stages_in_prometheus),
		cmocka_unit_test(test_stages_in_a_heatmap),
		cmocka_unit_test(test_overhead_in_prometheus),
	};

	/* Reports show local time. */
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, make_reports, NULL);
}
