// SPDX-License-Identifier: GPL-2.0
/* Who may do what, for which options: nothing is to be there that nobody asked for. */
#include "unit.h"

#include <string.h>

#include "lib/cli/needs.h"
#include "lib/confine/privileges.h"
#include "lib/confine/syscall_filter.h"
#include "lib/serve/helpers.h"
#include "parsed_options.h"

#define RIGHT(name) (1U << RIGHT_TO_##name)
#define HELPER(name) (1U << HELPER_##name)

static const struct {
	const char *arguments[MAX_ARGUMENTS];
	struct needs more; /* than a run takes without options */
} cases[] = {
	{ { "-r", "2" }, { 0 } },
	{ { "-n", "self" }, { 0 } },
	{ { "-n", "0" }, { 0 } },
	{ { "-n", "self,all" }, { .rights = RIGHT(FILTER_NETNS) } },
	{ { "-n", "1" }, { .rights = RIGHT(FILTER_NETNS) } },
	{ { "-i", "eth0" }, { 0 } },
	{ { "-c", "/system.slice" }, { .system_calls = SYSCALLS_CGROUPS } },
	{ { "-g", "pid" }, { 0 } },
	{ { "-g", "cgroup" }, { 0, SYSCALLS_HELPERS, HELPER(CONTAINERS) } },
	{ { "-g", "netns" }, { RIGHT(FIND_NAMES), SYSCALLS_HELPERS, HELPER(NAMES) } },
	{ { "-g", "interface" }, { RIGHT(FIND_NAMES), SYSCALLS_HELPERS, HELPER(NAMES) } },
	{ { "--slow=1ms" },
	  { RIGHT(FIND_NAMES), SYSCALLS_HELPERS, HELPER(NAMES) | HELPER(CONTAINERS) } },
	{ { "--slow=1ms", "-e", "drop" },
	  { RIGHT(FIND_NAMES) | RIGHT(FIND_SYMBOLS), SYSCALLS_HELPERS,
	    HELPER(NAMES) | HELPER(CONTAINERS) } },
	{ { "-g", "reason", "-e", "drop" }, { .rights = RIGHT(FIND_SYMBOLS) } },
	{ { "--overhead" }, { .rights = RIGHT(TIME_PROGRAMS) } },
	{ { "-o", "prometheus", "--output-file=/tmp/report" },
	  { RIGHT(WRITE_FILE), SYSCALLS_HELPERS, HELPER(WRITER) } },
	{ { "--slow=1ms", "--pcap=/tmp/pcap" },
	  { RIGHT(FIND_NAMES), SYSCALLS_HELPERS | SYSCALLS_PCAP,
	    HELPER(NAMES) | HELPER(CONTAINERS) } },
	{ { "--live" }, { .system_calls = SYSCALLS_TERMINAL } },
	{ { "--listen=127.0.0.1:1" }, { .system_calls = SYSCALLS_HTTP } },
	{ { "--listen=unix:/tmp/socket" },
	  { RIGHT(REMOVE_SOCKET), SYSCALLS_HTTP | SYSCALLS_HELPERS, HELPER(REMOVER) } },
	{ { "--diagnose" },
	  { RIGHT(FIND_NAMES) | RIGHT(FIND_FACTS) | RIGHT(FIND_SYMBOLS), SYSCALLS_HELPERS,
	    HELPER(NAMES) | HELPER(FACTS) | HELPER(CONTAINERS) } },
	{ { "--diagnose", "--stack" },
	  { RIGHT(FIND_NAMES) | RIGHT(FIND_FACTS) | RIGHT(FIND_SYMBOLS) | RIGHT(NAME_STACKS),
	    SYSCALLS_HELPERS, HELPER(NAMES) | HELPER(FACTS) | HELPER(CONTAINERS) } },
};

static struct needs needs_for(const char *const *arguments)
{
	const struct options options = parse(arguments);

	return needs_of(&options, &options.plan);
}

static void test_only_what_is_asked_for_is_needed(void **state)
{
	static const char *const none[] = { NULL };
	const struct needs least = needs_for(none);

	(void)state;
	assert_int_equal(least.rights, RIGHT(COUNT));
	assert_int_equal(least.system_calls, SYSCALLS_MEASURE | SYSCALLS_FILES);
	assert_int_equal(least.helpers, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct needs needs = needs_for(cases[i].arguments);

		assert_int_equal(needs.rights, least.rights | cases[i].more.rights);
		assert_int_equal(needs.system_calls,
				 least.system_calls | cases[i].more.system_calls);
		assert_int_equal(needs.helpers, cases[i].more.helpers);
	}
}

/* With stages, what is dropped between hooks is told with the reason. */
static void test_drops_take_the_names_of_their_reasons(void **state)
{
	struct options options = { 0 };

	(void)state;
	options.plan.drops = true;
	assert_true(needs_of(&options, &options.plan).rights & RIGHT(FIND_SYMBOLS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_is_asked_for_is_needed),
		cmocka_unit_test(test_drops_take_the_names_of_their_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
