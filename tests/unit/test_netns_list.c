// SPDX-License-Identifier: GPL-2.0
/* Lists of network namespaces, of which there is at least our own. Others are tested in tests/vm.
 */
#include "unit.h"

#include <errno.h>

#include "lib/filters/netns_list.h"
#include "said.h"

static void test_all_is_an_element(void **state)
{
	(void)state;
	assert_true(netns_list_has_all("all"));
	assert_true(netns_list_has_all("self,all"));
	assert_true(netns_list_has_all("all,nonsense"));
	assert_true(netns_list_has_all("0,-1"));
	assert_false(netns_list_has_all(NULL));
	assert_false(netns_list_has_all(""));
	assert_false(netns_list_has_all("self"));
	assert_false(netns_list_has_all("all of them,overall"));
}

/* Those that were found: how many, and how often it was our own. */
struct found {
	int nr, nr_own;
	uint64_t own;
	int err; /* to be returned for each */
};

static int count(const struct netns *netns, void *context)
{
	struct found *found = context;

	found->nr++;
	found->nr_own += netns->id == found->own;
	return found->err;
}

static struct found find(const char *list, int err, int expected, const char *expected_said)
{
	struct found found = { .err = err };
	struct netns own;
	int result;

	assert_int_equal(netns_find("self", &own), 0);
	found.own = own.id;
	said_begin();
	result = netns_list_for_each(list, count, &found);
	assert_string_equal(said_end(), expected_said);
	assert_int_equal(result, expected);
	return found;
}

#define NO_NONSENSE "netstacklat: there is no network namespace 'nonsense'\n"

static void test_each_element_is_found(void **state)
{
	struct found found = find("self,self,0", 0, 0, "");

	(void)state;
	assert_int_equal(found.nr, 3);
	assert_int_equal(found.nr_own, 3);
}

static void test_all_are_found_once_each(void **state)
{
	struct found found = find("all", 0, 0, "");

	(void)state;
	assert_true(found.nr >= 1);
	assert_int_equal(found.nr_own, 1);
	assert_int_equal(find("self,all", 0, 0, "").nr, found.nr + 1);
}

static void test_what_is_not_there_is_named_wherever_it_is(void **state)
{
	(void)state;
	assert_int_equal(find("nonsense", 0, -ENOENT, NO_NONSENSE).nr, 0);
	assert_int_equal(find("self,nonsense", 0, -ENOENT, NO_NONSENSE).nr, 1);
	assert_int_equal(find("nonsense,self", 0, -ENOENT, NO_NONSENSE).nr, 0);
	assert_true(find("all,nonsense", 0, -ENOENT, NO_NONSENSE).nr_own == 1);
}

static void test_an_error_ends_the_search(void **state)
{
	(void)state;
	assert_int_equal(find("self,self,nonsense", -ENOMEM, -ENOMEM, "").nr, 1);
	assert_int_equal(find("all,self", -ENOMEM, -ENOMEM, "").nr, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_an_element),
		cmocka_unit_test(test_each_element_is_found),
		cmocka_unit_test(test_all_are_found_once_each),
		cmocka_unit_test(test_what_is_not_there_is_named_wherever_it_is),
		cmocka_unit_test(test_an_error_ends_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
