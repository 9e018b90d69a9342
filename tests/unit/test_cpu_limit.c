// SPDX-License-Identifier: GPL-2.0
/* Limits on CPU, as files in the place of cgroups of both versions tell. */
#include "unit.h"

#include "fake_root.h"
#include "lib/host/cpu_limit.h"
#include "lib/tables/units.h"

static struct cpu_limits *limits;

static int end(void **state)
{
	cpu_limits_free(limits);
	return remove_root(state);
}

static void find_limits(bool is_v1)
{
	limits = cpu_limits_new_below(root, is_v1);
	assert_non_null(limits);
}

static void assert_only_limit(const char *path, const char *max, uint64_t throttled_ns, bool is_v1)
{
	const struct cpu_limit *limit = cpu_limits_get(limits, 0);

	assert_string_equal(limit->path, path);
	assert_string_equal(limit->root, root);
	assert_string_equal(limit->max, max);
	assert_int_equal(limit->throttled_ns, throttled_ns);
	assert_int_equal(limit->is_v1, is_v1);
	assert_null(cpu_limits_get(limits, 1));
	assert_string_equal(cpu_limits_controller(limits), is_v1 ? "cpu" : "");
}

static void test_version_2(void **state)
{
	(void)state;
	write_file("/free/cpu.max", "max 100000\n");
	write_file("/free/cart/cpu.max", "20000 100000\n");
	write_file("/free/cart/cpu.stat", "usage_usec 9\nthrottled_usec 1000\n");
	write_file("/no-controller/cgroup.procs", "");
	find_limits(false);
	assert_only_limit("/free/cart", "20000 100000", NS_PER_MS, false);
}

static void test_version_1(void **state)
{
	(void)state;
	write_file("/cpu.cfs_quota_us", "-1\n");
	write_file("/free/cpu.cfs_quota_us", "-1\n");
	write_file("/free/cpu.cfs_period_us", "100000\n");
	write_file("/kubepods/cart/cpu.cfs_quota_us", "20000\n");
	write_file("/kubepods/cart/cpu.cfs_period_us", "100000\n");
	write_file("/kubepods/cart/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 77\n");
	find_limits(true);
	assert_only_limit("/kubepods/cart", "20000 100000", 77, true);
}

/* Since the limits were found, of a cgroup and what it is in. */
static void test_who_was_throttled_longest(void **state)
{
	(void)state;
	write_file("/a/cpu.max", "1 10\n");
	write_file("/a/cpu.stat", "throttled_usec 100\n");
	write_file("/a/b/cpu.max", "2 10\n");
	write_file("/a/b/cpu.stat", "throttled_usec 50\n");
	find_limits(false);
	assert_null(cpu_limits_since(limits, "/a/b"));
	write_file("/a/cpu.stat", "throttled_usec 103\n");
	write_file("/a/b/cpu.stat", "throttled_usec 52\n");
	assert_string_equal(cpu_limits_since(limits, "/a/b")->path, "/a");
	assert_int_equal(cpu_limits_since(limits, "/a/b")->throttled_ns, 3 * NS_PER_US);
	write_file("/a/b/cpu.stat", "throttled_usec 60\n");
	assert_string_equal(cpu_limits_since(limits, "/a/b/c")->path, "/a/b");
	assert_int_equal(cpu_limits_since(limits, "/a/b")->throttled_ns, 10 * NS_PER_US);
	assert_string_equal(cpu_limits_since(limits, "/a/bc")->path, "/a");
	assert_null(cpu_limits_since(limits, "/other"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_version_2),
		TEST(test_version_1),
		TEST(test_who_was_throttled_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
