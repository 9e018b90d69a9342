// SPDX-License-Identifier: GPL-2.0
/* What a command line comes to mean. How mistakes are answered is tested in tests/cli. */
#include "unit.h"

#include <string.h>

#include "lib/tables/attributes.h"
#include "parsed_options.h"
#include "lib/cli/options.h"
#include "lib/print/printer.h"
#include "lib/tables/hooks.h"
#include "lib/report/group_order.h"

#define BIT(filter) (1U << FILTER_##filter)
#define KEY_BIT(key) (1U << KEY_##key)

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void test_defaults(void **state)
{
	struct options options = parse((const char *const[]){ NULL });

	(void)state;
	assert_int_equal(options.action, ACTION_RUN);
	assert_int_equal(options.reports.interval_ns, 5000000000);
	assert_int_equal(options.count, 0);
	assert_int_equal(filter_lists_active(&options.filters), 0);
	assert_int_equal(options.plan.resolution, DEFAULT_RESOLUTION);
	assert_int_equal(options.plan.group_by, 0);
	assert_int_equal(options.top, 10);
	assert_int_equal(options.plan.max_groups, 8192);
	assert_false(options.verbose);
}

static void test_a_diagnosis_chooses_what_to_measure(void **state)
{
	struct options options = PARSE("--diagnose", "-n", "self");

	(void)state;
	assert_true(options.plan.stages && options.plan.wakeups);
	assert_true(options.plan.hooks[HOOK_tcp_accept] && options.plan.hooks[HOOK_tx_start]);
	assert_false(options.plan.hooks[HOOK_hardware]);
	assert_true(options.plan.group_by & KEY_BIT(PORT));
	assert_int_equal(options.reports.interval_ns, 10000000000);
	assert_int_equal(options.count, 1);
	assert_int_equal(options.late.stack_ns, 1000000);
	assert_int_equal(options.late.task_ns, 10000000);
	assert_int_equal(options.late.application_ns, 100000000);
	options = PARSE("-j", "--late=250us", "--diagnose", "3", "7");
	assert_int_equal(options.reports.interval_ns, 3000000000);
	assert_int_equal(options.count, 7);
	assert_int_equal(options.late.stack_ns, 250000);
	options = PARSE("--diagnose", "--late=20ms", "--late-application=1s");
	assert_int_equal(options.late.task_ns, 20000000);
	assert_int_equal(options.late.application_ns, 1000000000);
	options = PARSE("--diagnose", "--late=200ms");
	assert_int_equal(options.late.application_ns, 200000000);
	assert_false(PARSE("--stages").diagnose);
}

/* Until a signal comes; and nobody reads what it prints, unless it is asked to. */
static void test_a_diagnosis_that_is_served_goes_on(void **state)
{
	struct options options = PARSE("--diagnose", "--listen=9719");

	(void)state;
	assert_int_equal(options.reports.interval_ns, 60000000000);
	assert_int_equal(options.count, 0);
	assert_ptr_equal(options.reports.printer, &printer_none);
	options = PARSE("--diagnose", "--listen=9719", "5", "3");
	assert_int_equal(options.reports.interval_ns, 5000000000);
	assert_int_equal(options.count, 3);
	assert_ptr_equal(options.reports.printer, &printer_text);
	options = PARSE("--diagnose", "--listen=9719", "--duration=10m");
	assert_int_equal(options.reports.interval_ns, 60000000000);
}

static void test_slow_packets(void **state)
{
	struct options options = PARSE("--slow=10ms");

	(void)state;
	assert_true(options.plan.slow);
	assert_int_equal(options.plan.slow_ns, 10000000);
	assert_int_equal(options.plan.slow_limit, 100);
	assert_int_equal(options.packet_count, 0);
	assert_false(PARSE("-v").plan.slow);
	options = PARSE("--slow-limit=7", "--count=3", "--slow", "0");
	assert_true(options.plan.slow);
	assert_int_equal(options.plan.slow_ns, 0);
	assert_int_equal(options.plan.slow_limit, 7);
	assert_int_equal(options.packet_count, 3);
}

/* By its name, and as it was called before. */
static void test_trace(void **state)
{
	const char *const names[] = { "--trace", "--slow=0", "--slow=0s" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct options options = PARSE(names[i]);

		assert_true(options.plan.slow);
		assert_true(options.plan.trace);
		assert_true(options.plan.stages);
		assert_int_equal(options.plan.slow_ns, 0);
		assert_int_equal(options.plan.slow_limit, 10000);
		assert_true(options.plan.hooks[HOOK_drop]);
	}
	assert_false(PARSE("--slow=10ms").plan.trace);
}

/* Text has reports between packets only for those who ask for an interval. */
static void test_slow_packets_instead_of_reports(void **state)
{
	(void)state;
	assert_true(PARSE("--slow=10ms").reports.quiet);
	assert_false(PARSE("--slow=10ms", "5").reports.quiet);
	assert_false(PARSE("-r", "5", "--slow=10ms").reports.quiet);
	assert_false(PARSE("--slow=10ms", "-j").reports.quiet);
	assert_true(PARSE("--slow=10ms", "-o", "none").reports.quiet);
	assert_true(PARSE("--slow=10ms", "-o", "none", "5").reports.quiet);
	assert_false(PARSE("-o", "none", "--listen=9719").reports.quiet);
	assert_false(PARSE("5").reports.quiet);
}

static void test_slow_packets_are_printed_as_reports_are(void **state)
{
	struct options options = PARSE("--slow=10ms");

	(void)state;
	assert_ptr_equal(packet_printer(&options), &printer_text);
	options = PARSE("--slow=10ms", "-j");
	assert_ptr_equal(packet_printer(&options), &printer_json);
	options = PARSE("--slow=10ms", "-o", "none");
	assert_ptr_equal(packet_printer(&options), &printer_text);
	options = PARSE("--slow=10ms", "-o", "prometheus", "--output-file=x");
	assert_ptr_equal(packet_printer(&options), &printer_text);
}

static void test_interval(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-r", "1").reports.interval_ns, 1000000000);
	assert_int_equal(PARSE("-r0.05").reports.interval_ns, 50000000);
	assert_int_equal(PARSE("-r", ".001").reports.interval_ns, 1000000);
	assert_int_equal(PARSE("--report-interval=86400").reports.interval_ns, 86400000000000);
	assert_int_equal(PARSE("2.5").reports.interval_ns, 2500000000);
}

static void test_interval_and_count(void **state)
{
	struct options options = PARSE("0.5", "-v", "20");

	(void)state;
	assert_int_equal(options.reports.interval_ns, 500000000);
	assert_int_equal(options.count, 20);
	assert_true(options.verbose);
}

static int nr_hooks(struct options options)
{
	int nr = 0;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		nr += options.plan.hooks[hook];
	return nr;
}

static void test_hooks(void **state)
{
	int nr_default = 0;
	struct options options = PARSE("-e", "tcp-start,udp_rcv", "-e", "icmp-*");

	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		nr_default += hooks[hook].is_default == HOOK_ON;
	assert_int_equal(nr_hooks(parse((const char *const[]){ NULL })), nr_default);
	assert_int_equal(nr_hooks(options), 3);
	assert_true(options.plan.hooks[HOOK_tcp_start]);
	assert_true(options.plan.hooks[HOOK_udp_start]);
	assert_true(options.plan.hooks[HOOK_icmp_start]);
	assert_int_equal(nr_hooks(PARSE("-d", "ip-rcv,raw-*")), nr_default - 3);
	assert_int_equal(nr_hooks(PARSE("-e", "tcp-*", "-d", "tcp-start")), 4);
}

/* netif-receive and ip-deliver are on then, in whatever order options come, but not against users'
 * will. */
static void test_hooks_of_stages(void **state)
{
	const int nr_default = nr_hooks(parse((const char *const[]){ NULL }));

	(void)state;
	assert_false(PARSE("-d", "ip-rcv").plan.stages);
	assert_true(PARSE("--stages").plan.stages);
	assert_false(PARSE("--stages").plan.wakeups);
	assert_true(PARSE("--wakeups").plan.wakeups);
	assert_true(PARSE("--wakeups").plan.stages);
	assert_int_equal(nr_hooks(PARSE("--stages")), nr_default + 2);
	assert_true(PARSE("--stages").plan.hooks[HOOK_netif_receive]);
	assert_true(PARSE("--stages").plan.hooks[HOOK_ip_deliver]);
	assert_int_equal(nr_hooks(PARSE("-d", "ip-rcv", "--stages")), nr_default + 1);
	assert_int_equal(nr_hooks(PARSE("-d", "netif-receive", "--stages")), nr_default + 1);
	assert_int_equal(nr_hooks(PARSE("--stages", "-d", "netif-*,ip-deliver")), nr_default);
	assert_int_equal(nr_hooks(PARSE("--stages", "-e", "udp-*")), 4);
}

/* The last one, too, and with a filter that leaves others out. */
static void test_each_hook_can_be_alone(void **state)
{
	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		/* Filters go with packets. */
		const char *other = hooks[hook].has & HAS_SPAN ? "-j" : "-4";
		struct options options;

		/* It has stages alone, which begin at another. */
		if (hooks[hook].has & HAS_SENT)
			continue;
		options = PARSE("-e", hooks[hook].name, other);

		assert_int_equal(nr_hooks(options), 1);
		assert_true(options.plan.hooks[hook]);
	}
}

static void test_resolution(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-v").plan.resolution, 3);
	assert_int_equal(PARSE("-j").plan.resolution, 3);
	assert_int_equal(PARSE("--listen=9719", "5").plan.resolution, 3);
	assert_int_equal(PARSE("--listen=9719", "5", "-g", "cpu").plan.resolution, 0);
	assert_int_equal(PARSE("--listen=9719", "-k", "1").plan.resolution, 1);
	/* Programs that need no other have that one. */
	assert_int_equal(PARSE("-o", "openmetrics").plan.resolution, 3);
	assert_int_equal(PARSE("-o", "openmetrics", "-g", "cpu").plan.resolution, 0);
	assert_int_equal(PARSE("-o", "openmetrics", "-P", "80").plan.resolution, 0);
	assert_int_equal(PARSE("-o", "openmetrics", "-k", "0").plan.resolution, 0);
	assert_int_equal(PARSE("-o", "heatmap").plan.resolution, 2);
	/* Users choose, whatever comes first. */
	assert_int_equal(PARSE("-o", "heatmap", "-k", "0").plan.resolution, 0);
	assert_int_equal(PARSE("-k", "1", "-o", "heatmap").plan.resolution, 1);
	assert_int_equal(PARSE("-k", "0").plan.resolution, 0);
	assert_int_equal(PARSE("-k", "2").plan.resolution, 2);
	assert_int_equal(PARSE("-k3").plan.resolution, 3);
	assert_int_equal(PARSE("--resolution=4").plan.resolution, MAX_RESOLUTION);
}

static void test_serving(void **state)
{
	char text[LISTEN_TEXT_SIZE];
	struct options options = PARSE("--listen=9719", "-g", "port", "--forget=1h");

	(void)state;
	assert_ptr_equal(options.reports.printer, &printer_none);
	assert_string_equal(listen_text(&options.listen.list[0], text), "127.0.0.1:9719");
	assert_int_equal(options.forget_ns, 3600000000000);
	assert_int_equal(options.reports.forget_ns, 3600000000000);
	options = PARSE("--forget=2d", "-g", "port", "-o", "prometheus");
	assert_int_equal(options.listen.nr, 0);
	assert_int_equal(options.reports.forget_ns, 2 * 86400000000000);
}

static void test_who_only_serves_prints_nothing(void **state)
{
	(void)state;
	assert_ptr_equal(PARSE("--listen=9719").reports.printer, &printer_none);
	assert_ptr_equal(PARSE("--listen=9719", "-o", "none").reports.printer, &printer_none);
	assert_ptr_equal(PARSE("-e", "udp-*", "--listen=9719", "-k", "2").reports.printer,
			 &printer_none);
	/* Unless that is asked for. */
	assert_ptr_equal(PARSE("--listen=9719", "-o", "text").reports.printer, &printer_text);
	assert_ptr_equal(PARSE("-j", "--listen=9719").reports.printer, &printer_json);
	assert_ptr_equal(PARSE("--listen=9719", "10").reports.printer, &printer_text);
	assert_ptr_equal(PARSE("-r", "10", "--listen=9719").reports.printer, &printer_text);
	assert_ptr_equal(PARSE("--listen=9719", "--slow=1ms").reports.printer, &printer_text);
	assert_ptr_equal(
		PARSE("--listen=9719", "--output-file=/x", "-o", "prometheus").reports.printer,
		&printer_prometheus);
}

static void test_output(void **state)
{
	(void)state;
	assert_ptr_equal(PARSE("-v").reports.printer, &printer_text);
	assert_ptr_equal(PARSE("-j").reports.printer, &printer_json);
	/* Its form depends on whether this test has a terminal. */
	assert_string_equal(PARSE("--output=heatmap").reports.printer->name, "heatmap");
	/* The last one counts. */
	assert_ptr_equal(PARSE("-j", "-o", "text").reports.printer, &printer_text);
	assert_null(PARSE("-v").output_file);
	assert_string_equal(PARSE("-o", "openmetrics", "--output-file=/x").output_file, "/x");
	assert_false(PARSE("-j").reports.cumulative);
	assert_true(PARSE("-j", "--cumulative").reports.cumulative);
	/* Counters never start again. */
	assert_true(PARSE("-o", "openmetrics").reports.cumulative);
	assert_false(PARSE("-v").full);
	assert_true(PARSE("--full").full);
	assert_false(PARSE("-v").summary);
	assert_true(PARSE("-s").summary);
	assert_true(PARSE("--summary").summary);
}

static void test_hol_delay(void **state)
{
	(void)state;
	assert_false(PARSE("-v").plan.include_hol_delay);
	assert_true(PARSE("-y").plan.include_hol_delay);
	assert_true(PARSE("--include-hol-delay").plan.include_hol_delay);
	assert_string_equal(PARSE("--netns", "-1").filters.lists[FILTER_NETNS], "-1");
	assert_string_equal(PARSE("-m", "/mnt").cgroup_mount, "/mnt");
}

static void test_overhead(void **state)
{
	(void)state;
	assert_false(PARSE("-v").plan.overhead);
	assert_true(PARSE("--overhead").plan.overhead);
	assert_true(PARSE("--overhead", "-j").plan.overhead);
	assert_true(PARSE("--overhead", "-o", "openmetrics").plan.overhead);
}

static void test_live(void **state)
{
	(void)state;
	assert_false(PARSE("-v").live);
	assert_true(PARSE("--live").live);
	assert_ptr_equal(PARSE("--live").reports.printer, &printer_text);
	assert_ptr_equal(PARSE("--live", "--listen=9719").reports.printer, &printer_text);
	assert_int_equal(PARSE("--live").reports.interval_ns, 1000000000ULL);
	assert_int_equal(PARSE("--live", "7").reports.interval_ns, 7000000000ULL);
	assert_int_equal(PARSE("--live").plan.resolution, 3);
	assert_int_equal(PARSE("--live", "-k", "0").plan.resolution, 0);
	assert_false(PARSE("--live", "--slow=1ms").reports.quiet);
}

static void assert_list(struct options options, enum filter filter, const char *expected)
{
	assert_string_equal(options.filters.lists[filter], expected);
	for (enum filter other = 0; other < NR_FILTERS; other++)
		if (other != filter)
			assert_null(options.filters.lists[other]);
}

static void test_filters_are_lists(void **state)
{
	(void)state;
	assert_list(PARSE("-i", "eth0,2"), FILTER_INTERFACE, "eth0,2");
	assert_list(PARSE("--interfaces=lo"), FILTER_INTERFACE, "lo");
	assert_list(PARSE("-n", "self,/run/netns/blue"), FILTER_NETNS, "self,/run/netns/blue");
	assert_list(PARSE("--network-namespace=all"), FILTER_NETNS, "all");
	assert_list(PARSE("-c", "/a,12"), FILTER_CGROUP, "/a,12");
	assert_list(PARSE("--cgroups=/a"), FILTER_CGROUP, "/a");
	assert_list(PARSE("-p", "1,2147483647"), FILTER_PID, "1,2147483647");
	assert_list(PARSE("--pids=1"), FILTER_PID, "1");
	assert_list(PARSE("--comm=123456789012345,a b"), FILTER_COMM, "123456789012345,a b");
	assert_list(PARSE("-P", "1,65535"), FILTER_PORT, "1,65535");
	assert_list(PARSE("--ports=80"), FILTER_PORT, "80");
	assert_list(PARSE("--remote=192.0.2.0/24"), FILTER_REMOTE, "192.0.2.0/24");
}

static unsigned int active_of(struct options options)
{
	return filter_lists_active(&options.filters);
}

static void test_filters_combine(void **state)
{
	(void)state;
	assert_int_equal(active_of(PARSE("-i", "lo", "-P", "80", "-4")),
			 BIT(INTERFACE) | BIT(PORT) | BIT(IP_VERSION));
	assert_int_equal(
		active_of(PARSE("-n", "self", "-c", "/", "-p", "1", "--comm=a", "-q", "1")),
		BIT(NETNS) | BIT(CGROUP) | BIT(PID) | BIT(COMM) | BIT(QUEUE_LENGTH));
	/* Some hook knows it, be it just one. */
	assert_int_equal(active_of(PARSE("-e", "ip-rcv,udp-queue-rcv", "-c", "/")), BIT(CGROUP));
}

static void test_ip_versions(void **state)
{
	struct options both = PARSE("-4", "-6");

	(void)state;
	assert_true(PARSE("-4").filters.ipv4);
	assert_false(PARSE("-4").filters.ipv6);
	assert_true(PARSE("-6").filters.ipv6);
	assert_int_equal(active_of(PARSE("-6")), BIT(IP_VERSION));
	assert_true(both.filters.ipv4 && both.filters.ipv6);
	assert_int_equal(active_of(both), 0);
	assert_int_equal(active_of(PARSE("-4", "-4")), BIT(IP_VERSION));
}

static void test_min_queue_length(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-4").filters.min_queue_length, 0);
	assert_int_equal(PARSE("-q", "1").filters.min_queue_length, 1);
	assert_int_equal(PARSE("--min-queuelength=4294967295").filters.min_queue_length,
			 UINT32_MAX);
}

static void test_groups(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-I").plan.group_by, KEY_BIT(INTERFACE));
	assert_int_equal(PARSE("--groupby-interface").plan.group_by, KEY_BIT(INTERFACE));
	assert_int_equal(PARSE("-C").plan.group_by, KEY_BIT(CGROUP));
	assert_int_equal(PARSE("--groupby-cgroup").plan.group_by, KEY_BIT(CGROUP));
	assert_int_equal(PARSE("-g", "interface,netns,cgroup,port").plan.group_by,
			 KEY_BIT(INTERFACE) | KEY_BIT(NETNS) | KEY_BIT(CGROUP) | KEY_BIT(PORT));
	assert_int_equal(PARSE("--group-by=pid,comm,cpu,ip-version").plan.group_by,
			 KEY_BIT(PID) | KEY_BIT(COMM) | KEY_BIT(CPU) | KEY_BIT(IP_VERSION));
	/* They add up, in any order and number. */
	assert_int_equal(PARSE("-g", "port,port", "-g", "cpu", "-C", "-C").plan.group_by,
			 KEY_BIT(PORT) | KEY_BIT(CPU) | KEY_BIT(CGROUP));
	assert_int_equal(active_of(PARSE("-g", "port")), 0);
}

/* Everything that can be grouped by has a name for it, which is its label but for the dash. */
static void test_all_labels_are_group_keys(void **state)
{
	(void)state;
	for (enum key key = 0; key < NR_KEYS; key++) {
		char name[KEY_NAME_SIZE];

		strcpy(name, key_table[key].name);
		if (strchr(name, '_'))
			*strchr(name, '_') = '-';
		assert_int_equal(PARSE("-g", name).plan.group_by, 1U << key);
	}
}

static void test_numbers_of_groups(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--top=1").top, 1);
	assert_int_equal(PARSE("--top", "4294967295").top, UINT32_MAX);
	assert_int_equal(PARSE("--max-groups=1").plan.max_groups, 1);
	assert_int_equal(PARSE("--max-groups", "1000000").plan.max_groups, 1000000);
}

static void test_order_of_groups(void **state)
{
	(void)state;
	assert_string_equal(PARSE("-v").reports.order->name, "count");
	for (int i = 0; i < NR_GROUP_ORDERS; i++)
		assert_ptr_equal(PARSE("--sort", group_orders[i].name).reports.order,
				 &group_orders[i]);
	/* The last one counts. */
	assert_string_equal(PARSE("--sort=p99", "--sort=sum").reports.order->name, "sum");
}

static void test_a_duration(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-s").duration_ns, 0);
	assert_int_equal(PARSE("--duration=10s").duration_ns, 10000000000);
	assert_int_equal(PARSE("--duration=10s").reports.interval_ns, 5000000000);
	/* It is what is watched at once, unless there is an interval. */
	assert_int_equal(PARSE("--diagnose", "--duration=30s").reports.interval_ns, 30000000000);
	assert_int_equal(PARSE("--diagnose", "--duration=30s", "5").reports.interval_ns,
			 5000000000);
	assert_int_equal(PARSE("--diagnose", "--duration=30s", "5").count, 0);
}

static void test_as_people_type_it(void **state)
{
	(void)state;
	assert_ptr_equal(PARSE("--json").reports.printer, &printer_json);
	assert_int_equal(PARSE("-s").reports.colour, COLOUR_AUTO);
	assert_int_equal(PARSE("--color=always").reports.colour, COLOUR_ALWAYS);
	assert_int_equal(PARSE("--color=never").reports.colour, COLOUR_NEVER);
	assert_int_equal(PARSE("--color=never", "--color=auto").reports.colour, COLOUR_AUTO);
}

static void test_actions(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-l").action, ACTION_LIST);
	assert_int_equal(PARSE("--check").action, ACTION_CHECK);
	assert_int_equal(PARSE("-h").action, ACTION_HELP);
	assert_int_equal(PARSE("--help").action, ACTION_HELP);
	assert_int_equal(PARSE("--usage").action, ACTION_USAGE);
	assert_int_equal(PARSE("-V").action, ACTION_VERSION);
	assert_int_equal(PARSE("--version").action, ACTION_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_a_diagnosis_chooses_what_to_measure),
		cmocka_unit_test(test_a_diagnosis_that_is_served_goes_on),
		cmocka_unit_test(test_slow_packets),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_slow_packets_instead_of_reports),
		cmocka_unit_test(test_slow_packets_are_printed_as_reports_are),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_interval_and_count),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_hooks_of_stages),
		cmocka_unit_test(test_each_hook_can_be_alone),
		cmocka_unit_test(test_resolution),
		cmocka_unit_test(test_serving),
		cmocka_unit_test(test_who_only_serves_prints_nothing),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_hol_delay),
		cmocka_unit_test(test_overhead),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_filters_are_lists),
		cmocka_unit_test(test_filters_combine),
		cmocka_unit_test(test_ip_versions),
		cmocka_unit_test(test_min_queue_length),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_all_labels_are_group_keys),
		cmocka_unit_test(test_numbers_of_groups),
		cmocka_unit_test(test_order_of_groups),
		cmocka_unit_test(test_a_duration),
		cmocka_unit_test(test_as_people_type_it),
		cmocka_unit_test(test_actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
