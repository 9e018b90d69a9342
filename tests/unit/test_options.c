// SPDX-License-Identifier: GPL-2.0
/* What a command line comes to mean. How mistakes are answered is tested in tests/cli. */
#include "unit.h"

#include "../../lib/options.h"

#define MAX_ARGUMENTS 8

/* Parses the arguments, a list that ends with NULL; argp may reorder its own copy. */
static struct options parse(const char *const *arguments)
{
	char *argv[MAX_ARGUMENTS + 2] = { "netstacklat" };
	struct options options;
	int argc = 1;

	for (; *arguments; arguments++)
		argv[argc++] = (char *)*arguments;
	assert_true(options_parse(&options, argc, argv));
	return options;
}

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void test_defaults(void **state)
{
	struct options options = parse((const char *const[]){ NULL });

	(void)state;
	assert_int_equal(options.action, ACTION_RUN);
	assert_int_equal(options.reports.interval_ns, 5000000000);
	assert_int_equal(options.count, 0);
	assert_false(options.verbose);
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
		nr += options.programs.hooks[hook];
	return nr;
}

static void test_hooks(void **state)
{
	struct options options = PARSE("-e", "tcp-start,udp_rcv", "-e", "icmp-*");

	(void)state;
	assert_int_equal(nr_hooks(parse((const char *const[]){ NULL })), NR_HOOKS);
	assert_int_equal(nr_hooks(options), 3);
	assert_true(options.programs.hooks[HOOK_tcp_start]);
	assert_true(options.programs.hooks[HOOK_udp_start]);
	assert_true(options.programs.hooks[HOOK_icmp_start]);
	assert_int_equal(nr_hooks(PARSE("-d", "ip-rcv,raw-*")), NR_HOOKS - 3);
	assert_int_equal(nr_hooks(PARSE("-e", "tcp-*", "-d", "tcp-start")), 4);
}

static void test_hol_delay(void **state)
{
	(void)state;
	assert_false(PARSE("-v").programs.include_hol_delay);
	assert_true(PARSE("-y").programs.include_hol_delay);
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
		cmocka_unit_test(test_defaults),	   cmocka_unit_test(test_interval),
		cmocka_unit_test(test_interval_and_count), cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_hol_delay),	   cmocka_unit_test(test_actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
