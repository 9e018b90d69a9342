// SPDX-License-Identifier: GPL-2.0
/* Cgroups that users named, which go and come back. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>

#include "lib/filters/cgroup_watch.h"
#include "fds.h"
#include "real_cgroups.h"

/* What was replaced, and how often. */
struct replaced {
	uint64_t gone, come;
	int nr, result;
};

static int replace(void *context, uint64_t gone, uint64_t come)
{
	struct replaced *replaced = context;

	replaced->gone = gone;
	replaced->come = come;
	replaced->nr++;
	return replaced->result;
}

/* A watch of cgroups, of which the first is there, and the second is not. */
static struct cgroup_watch *make_watch(const char *first, uint64_t id, const char *second)
{
	static char list[2 * sizeof(cgroup_folder)];
	uint64_t ids[2] = { id, 0 };
	struct filter_keys found = { ids, 2 };

	snprintf(list, sizeof(list), "%s/%s,%s/%s", cgroup_folder, first, cgroup_name, second);
	return cgroup_watch_new(list, &found);
}

static bool is_told(const struct cgroup_watch *watch)
{
	struct pollfd events = { .fd = cgroup_watch_fd(watch), .events = POLLIN };

	return poll(&events, 1, 0) == 1;
}

static void assert_replaces(struct cgroup_watch *watch, uint64_t gone, uint64_t come)
{
	struct replaced replaced = { 0 };

	assert_true(is_told(watch));
	assert_int_equal(cgroup_watch_look(watch, replace, &replaced), 0);
	assert_int_equal(replaced.nr, 1);
	assert_int_equal(replaced.gone, gone);
	assert_int_equal(replaced.come, come);
	assert_false(is_told(watch));
}

static void assert_replaces_nothing(struct cgroup_watch *watch)
{
	struct replaced replaced = { 0 };

	assert_int_equal(cgroup_watch_look(watch, replace, &replaced), 0);
	assert_int_equal(replaced.nr, 0);
	assert_false(is_told(watch));
}

static void test_a_cgroup_goes_and_comes_back(void **state)
{
	struct cgroup_watch *watch;
	uint64_t id, id_again;
	int fds = nr_fds();

	(void)state;
	skip_without_cgroups();
	id = make_cgroup("a");
	watch = make_watch("a", id, "nonsense");
	assert_replaces_nothing(watch);
	remove_cgroup("a");
	assert_replaces(watch, id, 0);
	id_again = make_cgroup("a");
	assert_replaces(watch, 0, id_again);
	remove_cgroup("a");
	cgroup_watch_free(watch);
	cgroup_watch_free(NULL);
	assert_int_equal(nr_fds(), fds);
}

/* Each step of the way is watched as soon as it is there. */
static void test_a_cgroup_comes_step_by_step(void **state)
{
	struct cgroup_watch *watch;
	uint64_t id;

	(void)state;
	skip_without_cgroups();
	watch = make_watch("a", make_cgroup("a"), "b/c/d");
	assert_replaces_nothing(watch);
	make_cgroup("b");
	assert_true(is_told(watch));
	assert_replaces_nothing(watch);
	make_cgroup("b/c");
	assert_true(is_told(watch));
	assert_replaces_nothing(watch);
	id = make_cgroup("b/c/d");
	assert_replaces(watch, 0, id);
	remove_cgroup("b/c/d");
	assert_replaces(watch, id, 0);
	cgroup_watch_free(watch);
	remove_cgroup("b/c");
	remove_cgroup("b");
	remove_cgroup("a");
}

static void test_an_error_ends_the_look(void **state)
{
	struct replaced replaced = { .result = -ENOSPC };
	struct cgroup_watch *watch;

	(void)state;
	skip_without_cgroups();
	/* Neither of them is what it was. */
	watch = make_watch("a", 1, "b");
	make_cgroup("b");
	assert_int_equal(cgroup_watch_look(watch, replace, &replaced), -ENOSPC);
	assert_int_equal(replaced.nr, 1);
	cgroup_watch_free(watch);
	remove_cgroup("b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cgroup_goes_and_comes_back),
		cmocka_unit_test(test_a_cgroup_comes_step_by_step),
		cmocka_unit_test(test_an_error_ends_the_look),
	};

	return cmocka_run_group_tests(tests, make_cgroups, remove_cgroups);
}
