// SPDX-License-Identifier: GPL-2.0
/* --check prints what it finds, in the order in which it looks. The kernel is made up. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli/check.h"
#include "lib/confine/privileges.h"
#include "lib/kernel/btf_reasons.h"
#include "lib/kernel/loader.h"
#include "lib/kernel/preflight.h"
#include "printed.h"

static struct plan checked;
static struct left_out lacking;
static const char *unmet;
static int load_err;
static bool counts_are_read, tells_symbols;
static unsigned int nr_loaders, nr_counters;

static bool is_met_first(const char *btf_path)
{
	assert_string_equal(btf_path, "types");
	return !unmet || strcmp(unmet, "first");
}

static bool is_met_second(const char *btf_path)
{
	(void)btf_path;
	return !unmet || strcmp(unmet, "second");
}

static bool is_met_third(const char *btf_path)
{
	(void)btf_path;
	return !unmet || strcmp(unmet, "third");
}

const struct requirement requirements[NR_REQUIREMENTS] = {
	{ "first", is_met_first, "here it is", "get the first" },
	{ "second", is_met_second, "here it is, too", "get the second" },
	{ "third", is_met_third, "and here", "get the third" },
};

struct loader *loader_start(const struct plan *plan, struct left_out *left_out)
{
	assert_ptr_equal(plan, &checked);
	*left_out = lacking;
	errno = -load_err;
	nr_loaders += !load_err;
	return load_err ? NULL : (void *)1;
}

clockid_t loader_clock(const struct loader *loader)
{
	assert_non_null(loader);
	return CLOCK_TAI;
}

struct map_fds loader_maps(const struct loader *loader)
{
	assert_non_null(loader);
	return (struct map_fds){ .resolution = 0 };
}

void loader_free(struct loader *loader)
{
	nr_loaders -= loader != NULL;
}

struct counters *counters_new(const struct map_fds *maps)
{
	assert_int_equal(maps->resolution, 0);
	nr_counters++;
	return (void *)2;
}

/* One packet is sent, and was not stamped. */
int counters_read(struct counters *counters, struct snapshot *snapshot)
{
	assert_non_null(counters);
	snapshot->hooks[HOOK_udp_start].discarded[DISCARD_NO_STAMP] = 1;
	return counts_are_read ? 0 : -EIO;
}

void counters_free(struct counters *counters)
{
	nr_counters -= counters != NULL;
}

struct reason_names *kernel_reason_names(const char *btf_path)
{
	assert_string_equal(btf_path, "types");
	return reason_names_new(tells_symbols ? "/proc/self/maps" : NULL);
}

static int begin(void **state)
{
	(void)state;
	checked = (struct plan){ .hooks[HOOK_udp_start] = true, .btf_path = "types" };
	lacking = (struct left_out){ 0 };
	unmet = NULL;
	load_err = 0;
	counts_are_read = true;
	tells_symbols = false;
	return !printed_begin();
}

static int end(void **state)
{
	(void)state;
	printed_end();
	return nr_loaders || nr_counters;
}

#define BIT(right) (1U << RIGHT_TO_##right)

static void assert_check(int err, unsigned int rights_needed, const char *const *lines,
			 const char *missing)
{
	const char *text, *at;

	assert_int_equal(check(&checked, rights_needed), err);
	text = at = printed_text();
	for (; *lines; lines++) {
		at = strstr(at, *lines);
		if (!at)
			fail_msg("'%s' is not there, or out of order, in:\n%s", *lines, text);
	}
	if (missing && strstr(text, missing))
		fail_msg("'%s' is in:\n%s", missing, text);
}

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_all_is_there(void **state)
{
	(void)state;
	assert_check(0, BIT(COUNT),
		     LINES("ok    kernel                Linux ",
			   "\nok    first                 here it is\n",
			   "\nok    second                here it is, too\n", "\nok    third ",
			   "\nok    to count ", "TAI", "\nok    receive time stamps ", "off; ",
			   "\nok    udp-start             udp_rcv, udpv6_rcv\n"),
		     "tcp-start");
}

static void test_what_is_missing_ends_it(void **state)
{
	(void)state;
	unmet = "second";
	assert_check(-ENOTSUP, BIT(COUNT),
		     LINES("ok    first ", "\nNO    second                get the second\n"),
		     "third");
	unmet = "third";
	assert_check(-ENOTSUP, BIT(COUNT), LINES("ok    first ", "ok    second ", "\nNO    third "),
		     "udp-start");
}

static void test_hooks_that_cannot_be_attached_are_named(void **state)
{
	(void)state;
	load_err = -ENOTSUP;
	lacking.why[PROBE_udp_rcv] = lacking.why[PROBE_udpv6_rcv] = "refused";
	assert_check(-ENOTSUP, BIT(COUNT), LINES("\nNO    udp-start ", "refused"), "stamps");
	load_err = -ENOMEM;
	assert_check(-ENOMEM, BIT(COUNT),
		     LINES("\nNO    programs              cannot be loaded, see the message\n"),
		     "udp-start");
}

/* A kernel that has names for its reasons to drop packets needs no symbols. */
static void test_rights_are_those_that_are_needed(void **state)
{
	const char *symbols = rights[RIGHT_TO_FIND_SYMBOLS].name;

	(void)state;
	assert_check(0, BIT(COUNT) | BIT(FIND_SYMBOLS) | BIT(FILTER_NETNS),
		     LINES(rights[RIGHT_TO_COUNT].name, rights[RIGHT_TO_FILTER_NETNS].name),
		     symbols);
	tells_symbols = true;
	assert_check(0, BIT(FIND_SYMBOLS), LINES(symbols), rights[RIGHT_TO_FILTER_NETNS].name);
}

static void test_counts_that_cannot_be_read_are_none(void **state)
{
	(void)state;
	counts_are_read = false;
	assert_check(0, 0, LINES("no packet showed"), "off; ");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_all_is_there),
		TEST(test_what_is_missing_ends_it),
		TEST(test_hooks_that_cannot_be_attached_are_named),
		TEST(test_rights_are_those_that_are_needed),
		TEST(test_counts_that_cannot_be_read_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
