// SPDX-License-Identifier: GPL-2.0
/* What is still queued, as groups of a report. */
#include "unit.h"

#include <stdlib.h>

#include "lib/counts/histogram.h"
#include "lib/counts/queued.h"
#include "lib/counts/stages.h"
#include "lib/report/lists.h"

static struct queued_groups groups;

static int end(void **state)
{
	(void)state;
	queued_groups_free(&groups);
	return 0;
}

static void test_each_queue_is_a_group(void **state)
{
	const struct queued list[] = {
		{ .socket = 1, .hook = NR_HOOKS, .key.port = 53 },
		{ .socket = 1, .hook = HOOK_udp_socket_read, .key.port = 53, .age_ns = 1000 },
		{ .socket = 1, .hook = HOOK_udp_socket_read, .key.port = 53, .age_ns = 500 },
		{ .socket = 2, .hook = HOOK_tcp_socket_read, .age_ns = 3, .nr_merged = 2 },
		{ .socket = 3, .hook = NR_HOOKS, .key.port = 80 },
		{ .socket = 3, .hook = HOOK_tcp_accept, .key.port = 80, .age_ns = 4 },
	};
	struct report_group *reported;
	size_t nr;

	(void)state;
	assert_int_equal(queued_groups_make(&groups, list, 6, 0), 0);
	assert_int_equal(report_list_queued(&groups, &reported, &nr), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(reported[0].count, 2);
	assert_int_equal(reported[0].group->hook, HOOK_udp_socket_read);
	assert_int_equal(reported[0].group->key.port, 53);
	assert_int_equal(reported[0].buckets[bucket_index(1000, 0)].sum_ns, 1000);
	assert_int_equal(stage_from_hook(reported[0].group->from), HOOK_udp_socket_enqueued);
	assert_int_equal(stage_from_hook(reported[1].group->from), HOOK_tcp_socket_enqueued);
	assert_int_equal(reported[1].count, 3);
	assert_int_equal(reported[1].buckets[bucket_index(3, 0)].sum_ns, 9);
	assert_int_equal(reported[2].group->from, FROM_STAMP);
	assert_int_equal(reported[2].count, 1);
	free(reported);
}

/* They would be answers of an application otherwise, see tally.c and services.c. */
static void test_requests_without_an_answer_count_from_the_read(void **state)
{
	const struct queued list[] = { { .socket = 1, .hook = HOOK_tcp_send, .age_ns = 5 } };
	struct report_group *reported;
	size_t nr;

	(void)state;
	assert_int_equal(queued_groups_make(&groups, list, 1, 0), 0);
	assert_int_equal(report_list_queued(&groups, &reported, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(stage_from_hook(reported[0].group->from), HOOK_tcp_socket_read);
	free(reported);
}

static void test_queues_may_be_empty(void **state)
{
	struct report_group *reported;
	size_t nr;

	(void)state;
	assert_int_equal(queued_groups_make(&groups, NULL, 0, 2), 0);
	assert_int_equal(report_list_queued(&groups, &reported, &nr), 0);
	assert_int_equal(nr, 0);
	free(reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_each_queue_is_a_group, end),
		cmocka_unit_test_teardown(test_requests_without_an_answer_count_from_the_read, end),
		cmocka_unit_test_teardown(test_queues_may_be_empty, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
