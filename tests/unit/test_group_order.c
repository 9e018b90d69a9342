// SPDX-License-Identifier: GPL-2.0
/* The order of groups in reports. */
#include "unit.h"

#include <stdlib.h>

#include "lib/report/report.h"
#include "lib/report/lists.h"

#define NR_GROUPS 6

static const struct group groups[NR_GROUPS] = {
	{ HOOK_udp_start, .key.port = 1 }, { HOOK_tcp_start, .key.port = 2 },
	{ HOOK_udp_start, .key.port = 3 }, { HOOK_udp_start, .key.port = 4 },
	{ HOOK_udp_start, .key.port = 5 }, { HOOK_udp_start, .key.port = 6 },
};

static struct bucket buckets[NR_GROUPS][NR_BUCKETS(0)];

/* Many that are early but for a few, few that are late, and some in between; the last was not seen.
 */
static int make_counts(void **state)
{
	(void)state;
	buckets[0][10] = (struct bucket){ 1000, 1000 * 1000 };
	buckets[0][28] = (struct bucket){ 5, 750 * 1000 * 1000 };
	buckets[1][20] = (struct bucket){ 1, 1000 * 1000 };
	buckets[2][30] = (struct bucket){ 2, 1200 * 1000 * 1000 };
	buckets[4][20] = (struct bucket){ 200, 200 * 1000 * 1000 };
	buckets[4][27] = (struct bucket){ 3, 300 * 1000 * 1000 };
	buckets[3][27] = (struct bucket){ 1, 120 * 1000 * 1000 };
	return 0;
}

/* Expects the ports in this order. */
static void assert_order(const char *name, const int ports[], size_t nr)
{
	const struct group_counts counts = { *buckets, NR_GROUPS, NR_BUCKETS(0) };
	const struct group_order *order = group_order_find(name);
	struct report_group *list;
	size_t nr_listed;

	assert_non_null(order);
	assert_int_equal(report_list_groups(groups, &counts, order, &list, &nr_listed), 0);
	assert_int_equal(nr_listed, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(list[i].group->key.port, ports[i]);
	free(list);
}

#define ASSERT_ORDER(name, ...) assert_order(name, (const int[]){ __VA_ARGS__ }, NR_GROUPS - 1)

static void test_most_come_first_hook_by_hook(void **state)
{
	(void)state;
	ASSERT_ORDER("count", 2, 1, 5, 3, 4);
	ASSERT_ORDER("sum", 2, 3, 1, 5, 4);
	/* The same p99: the busier one, wherever its row is. */
	ASSERT_ORDER("p99", 2, 3, 5, 4, 1);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < NR_GROUP_ORDERS; i++)
		assert_ptr_equal(group_order_find(group_orders[i].name), &group_orders[i]);
	assert_null(group_order_find("p9"));
	assert_null(group_order_find("p999"));
	assert_null(group_order_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most_come_first_hook_by_hook),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, make_counts, NULL);
}
