// SPDX-License-Identifier: GPL-2.0
/* Where there are more network namespaces and processes than can be looked at. */
#include "unit.h"

#include <errno.h>

#include "lib/host/look.h"
#include "lib/host/netns_names.h"
#include "real_netns.h"

/* The linker makes these the clocks, and counts searches. */
static uint64_t now_ns, thread_ns, look_takes_ns, search_takes_ns;
static int nr_searches;

uint64_t __wrap_clock_monotonic_ns(void)
{
	return now_ns;
}

uint64_t __wrap_clock_thread_ns(void)
{
	return thread_ns += look_takes_ns;
}

int __real_netns_for_each(bool (*found)(const struct netns *netns, void *context), void *context);

int __wrap_netns_for_each(bool (*found)(const struct netns *netns, void *context), void *context)
{
	nr_searches++;
	now_ns += search_takes_ns;
	return __real_netns_for_each(found, context);
}

static bool count(const struct netns *netns, void *context)
{
	(void)netns;
	++*(int *)context;
	return true;
}

static void test_a_look_at_all_has_an_end(void **state)
{
	int nr = 0;

	(void)state;
	look_takes_ns = 0;
	assert_int_equal(netns_for_each(count, &nr), 0);
	assert_true(nr >= 1);
	look_takes_ns = MAX_LOOK_NS;
	assert_int_equal(netns_for_each(count, &nr), -E2BIG);
}

/* Each report asks for one that is gone. */
static void test_searches_take_a_tenth_of_the_time(void **state)
{
	enum { NR_REPORTS = 200 };
	struct netns_names *names = netns_names_new();
	const uint64_t began_ns = 1000 * NS_PER_S;
	struct netns_answer answer;
	uint64_t took_ns, all_ns;

	(void)state;
	look_takes_ns = 0;
	search_takes_ns = 400 * NS_PER_MS;
	now_ns = began_ns;
	nr_searches = 0;
	for (int i = 0; i < NR_REPORTS; i++) {
		netns_names_refresh(names);
		netns_names_find(names, 1, 0, &answer);
		assert_false(answer.found);
		netns_names_release(names);
		now_ns += NS_PER_S;
	}
	took_ns = nr_searches * search_takes_ns;
	all_ns = now_ns - began_ns;
	assert_true(took_ns >= all_ns / 10);
	/* Another second may be saved up. */
	assert_true(took_ns <= all_ns / 10 + NS_PER_S + search_takes_ns);
	netns_names_free(names);
}

static uint64_t id_of(const struct real_netns *netns)
{
	uint64_t id;
	int fd = netns_open_socket(netns->path, &id);

	assert_true(fd >= 0);
	close(fd);
	return id;
}

static bool is_found(struct netns_names *names, uint64_t netns)
{
	struct netns_answer answer;

	netns_names_refresh(names);
	netns_names_find(names, netns, 0, &answer);
	netns_names_release(names);
	return answer.found;
}

/* Or its path leads to another one. */
static void test_one_that_is_gone_is_not_found_any_more(void **state)
{
	struct real_netns netns = make_netns();
	struct netns_names *names = netns_names_new();
	uint64_t first = id_of(&netns), second;

	(void)state;
	look_takes_ns = search_takes_ns = 0;
	assert_true(is_found(names, first));
	assert_true(is_found(names, first));
	replace_netns(&netns);
	second = id_of(&netns);
	assert_false(is_found(names, first));
	assert_true(is_found(names, second));
	end_netns(&netns);
	assert_false(is_found(names, second));
	netns_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_look_at_all_has_an_end),
		cmocka_unit_test(test_searches_take_a_tenth_of_the_time),
		cmocka_unit_test(test_one_that_is_gone_is_not_found_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
