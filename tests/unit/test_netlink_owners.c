// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include "lib/diagnose/netlink_owners.h"

static void test_sockets_are_told_apart_by_namespace_and_portid(void **state)
{
	const struct netlink_owner first = { 1, 7, 411, "sensor" }, second = { 2, 7, 412, "other" },
				   third = { 1, 8, 413, "third" };
	struct netlink_owners owners = { 0 };

	(void)state;
	assert_int_equal(netlink_owners_add(&owners, &first), 0);
	assert_int_equal(netlink_owners_add(&owners, &second), 0);
	assert_int_equal(netlink_owners_add(&owners, &third), 0);
	assert_int_equal(netlink_owners_find(&owners, 1, 7)->pid, 411);
	assert_int_equal(netlink_owners_find(&owners, 2, 7)->pid, 412);
	assert_int_equal(netlink_owners_find(&owners, 1, 8)->pid, 413);
	assert_null(netlink_owners_find(&owners, 2, 8));
	netlink_owners_free(&owners);
	assert_null(netlink_owners_find(&owners, 1, 7));
}

/* The process that has it now is the one. */
static void test_a_portid_may_be_used_again(void **state)
{
	const struct netlink_owner before = { 1, 7, 411, "sensor" }, now = { 1, 7, 500, "next" };
	struct netlink_owners owners = { 0 };

	(void)state;
	assert_int_equal(netlink_owners_add(&owners, &before), 0);
	assert_int_equal(netlink_owners_add(&owners, &now), 0);
	assert_int_equal(netlink_owners_find(&owners, 1, 7)->pid, 500);
	assert_int_equal(owners.nr, 1);
	netlink_owners_free(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets_are_told_apart_by_namespace_and_portid),
		cmocka_unit_test(test_a_portid_may_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
