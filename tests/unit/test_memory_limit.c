// SPDX-License-Identifier: GPL-2.0
/* Limits on memory that are reached, as files in the place of cgroups of both versions tell. */
#include "unit.h"

#include "fake_root.h"
#include "lib/host/memory_limit.h"

/* NULL: none is reached. */
static void assert_limit(const char *path, const char *of, const char *file, const char *bytes)
{
	struct memory_limit *limit = memory_limit_find(root, path);
	struct stat status;

	if (!of) {
		assert_null(limit);
		return;
	}
	assert_non_null(limit);
	assert_string_equal(limit->root, root);
	assert_string_equal(limit->path, of);
	assert_string_equal(limit->file, file);
	assert_string_equal(limit->bytes, bytes);
	assert_int_equal(stat(in_root(of), &status), 0);
	assert_int_equal(limit->id, status.st_ino);
	free(limit);
}

static void test_version_2(void **state)
{
	(void)state;
	write_file("/cart/memory.high", "max\n");
	write_file("/cart/memory.max", "8000\n");
	write_file("/cart/memory.current", "6999\n");
	assert_limit("/cart", NULL, NULL, NULL);
	write_file("/cart/memory.current", "7000\n");
	assert_limit("/cart", "/cart", "memory.max", "8000");
	write_file("/cart/memory.high", "7500\n");
	assert_limit("/cart", "/cart", "memory.high", "7500");
}

/* Where there is no limit, that is the largest number there is. */
static void test_version_1(void **state)
{
	(void)state;
	write_file("/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("/memory.usage_in_bytes", "9000000000\n");
	write_file("/cart/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("/cart/memory.usage_in_bytes", "9000\n");
	assert_limit("/cart", NULL, NULL, NULL);
	write_file("/cart/memory.limit_in_bytes", "9000\n");
	assert_limit("/cart", "/cart", "memory.limit_in_bytes", "9000");
}

static void test_the_lowest_of_those_above(void **state)
{
	(void)state;
	write_file("/pods/memory.max", "100\n");
	write_file("/pods/memory.current", "100\n");
	write_file("/pods/a/memory.max", "90\n");
	write_file("/pods/a/memory.current", "1\n");
	assert_limit("/pods/a/b", "/pods", "memory.max", "100");
	write_file("/pods/a/memory.current", "90\n");
	assert_limit("/pods/a/b", "/pods/a", "memory.max", "90");
	assert_limit("/other", NULL, NULL, NULL);
	assert_limit("/", NULL, NULL, NULL);
	assert_limit("nonsense", NULL, NULL, NULL);
	assert_limit("", NULL, NULL, NULL);
}

/* The hierarchy of one of the two versions has the controller. */
static void test_where_memory_is_limited(void **state)
{
	const char *controller;
	char found[PATH_MAX];

	(void)state;
	controller = memory_limit_root(found);
	assert_string_equal(controller, cgroup_v1_mount_point("memory", found) ? "memory" : "");
	assert_string_equal(memory_limit_root(found), controller);
	if (!*controller)
		assert_string_equal(found, cgroup_mount_point());
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		TEST(test_version_2),
		TEST(test_version_1),
		TEST(test_the_lowest_of_those_above),
		TEST(test_where_memory_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
