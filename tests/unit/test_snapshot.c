// SPDX-License-Identifier: GPL-2.0
/* What is done with readings; that they are read right is tested in test_reporter.c. */
#include "unit.h"

#include <errno.h>

#include "lib/counts/snapshot.h"
#include "lib/tables/units.h"

/*
 * One sample in each bucket, and 10, 11, 12 ... discarded for each cause, at every hook; 100, 101,
 * 102 ... runs of 7 ns each for each program.
 */
static struct snapshot make_snapshot(void)
{
	struct snapshot snapshot;

	snapshot_init(&snapshot, 0);
	snapshot.taken_ns = 1;

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		for (unsigned int i = 0; i < NR_BUCKETS(0); i++)
			snapshot.hooks[hook].latency.buckets[i] = (struct bucket){ 1, 1ULL << i };
		for (int cause = 0; cause < NR_DISCARDS; cause++)
			snapshot.hooks[hook].discarded[cause] = 10 + cause;
	}
	for (unsigned int i = 0; i < MAX_PROGRAMS; i++)
		snapshot.programs[i] = (struct program_counts){ 100 + i, 7 * (100 + i) };
	for (int what = 0; what < NR_SLOW_COUNTS; what++)
		snapshot.slow[what] = 1000 + what;
	for (unsigned int drop = 0; drop < NR_STAGE_DROPS; drop++)
		snapshot.stage_drops[drop] = 2000 + drop;
	return snapshot;
}

static uint64_t all_counts(const struct hook_counts *hook)
{
	uint64_t count = histogram_count(&hook->latency);

	for (int cause = 0; cause < NR_DISCARDS; cause++)
		count += hook->discarded[cause];
	return count;
}

static void test_add_and_subtract_undo_each_other(void **state)
{
	const struct snapshot one = make_snapshot();
	struct snapshot sum = one;

	(void)state;
	snapshot_add(&sum, &one);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		assert_int_equal(all_counts(&sum.hooks[hook]), 2 * all_counts(&one.hooks[hook]));
	for (unsigned int i = 0; i < MAX_PROGRAMS; i++) {
		assert_int_equal(sum.programs[i].runs, 2 * (100 + i));
		assert_int_equal(sum.programs[i].run_ns, 2 * 7 * (100 + i));
	}
	for (int what = 0; what < NR_SLOW_COUNTS; what++)
		assert_int_equal(sum.slow[what], 2 * one.slow[what]);
	for (unsigned int drop = 0; drop < NR_STAGE_DROPS; drop++)
		assert_int_equal(sum.stage_drops[drop], 2 * one.stage_drops[drop]);
	snapshot_subtract(&sum, &one);
	assert_memory_equal(&sum, &one, sizeof(one));
}

/* What the groups of snapshots are here: none is a stage. */
static struct group known_groups[4];

static void discard_from(struct snapshot *snapshot, uint64_t from_ns, bool stamps)
{
	const struct clock_invalidated invalidated = { from_ns, stamps };

	snapshot_discard_invalidated(snapshot, &invalidated, known_groups);
}

static void test_a_copy_is_the_same(void **state)
{
	const struct snapshot one = make_snapshot();
	struct snapshot copy;

	(void)state;
	snapshot_init(&copy, 0);
	assert_int_equal(snapshot_copy(&copy, &one), 0);
	assert_memory_equal(&copy, &one, sizeof(one));
}

/* As many as there can be, which nobody looks at. */
static void test_groups_beyond_all_memory_are_an_error(void **state)
{
	struct snapshot one = make_snapshot(), other = make_snapshot();

	(void)state;
	other.groups = (struct group_counts){ .nr = SIZE_MAX, .nr_buckets = NR_BUCKETS(0) };
	assert_int_equal(snapshot_add(&one, &other), -ENOMEM);
	assert_int_equal(snapshot_copy(&one, &other), -ENOMEM);
	assert_int_equal(one.groups.nr, 0);
}

static void test_no_step_discards_nothing(void **state)
{
	const struct snapshot before = make_snapshot();
	struct snapshot after = before;

	(void)state;
	discard_from(&after, UINT64_MAX, false);
	assert_memory_equal(&after, &before, sizeof(before));
}

static void test_a_step_discards_what_it_may_explain(void **state)
{
	const struct snapshot before = make_snapshot();
	struct snapshot after = before;

	(void)state;
	discard_from(&after, 1 * NS_PER_S, true);
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		const struct hook_counts *counts = &after.hooks[hook];

		if (hooks[hook].has & HAS_SPAN) {
			assert_memory_equal(counts, &before.hooks[hook], sizeof(*counts));
			continue;
		}
		/* 1 s is in bucket 30, (537 ms, 1.07 s]. */
		assert_int_equal(histogram_last(&counts->latency), 29);
		assert_int_equal(counts->discarded[DISCARD_FUTURE], 0);
		assert_int_equal(counts->discarded[DISCARD_NOT_RX], 0);
		assert_int_equal(counts->discarded[DISCARD_NO_STAMP], 10 + DISCARD_NO_STAMP);
		assert_int_equal(all_counts(counts), all_counts(&before.hooks[hook]));
	}
}

static void test_stamps_may_be_right_where_latencies_are_not(void **state)
{
	struct snapshot after = make_snapshot();

	(void)state;
	discard_from(&after, 1 * NS_PER_S, false);
	assert_int_equal(histogram_last(&after.hooks[0].latency), 29);
	assert_int_equal(after.hooks[0].discarded[DISCARD_FUTURE], 10 + DISCARD_FUTURE);
	assert_int_equal(after.hooks[0].discarded[DISCARD_NOT_RX], 10 + DISCARD_NOT_RX);
}

static void test_a_step_beyond_all_bounds_leaves_the_others(void **state)
{
	struct snapshot after = make_snapshot();

	(void)state;
	discard_from(&after, 3600 * NS_PER_S, true);
	assert_int_equal(histogram_last(&after.hooks[0].latency), NR_OCTAVES);
}

static uint64_t packets_of(unsigned int at_ip_rcv, unsigned int tcp, unsigned int udp)
{
	struct hook_counts counts[NR_HOOKS] = { 0 };

	counts[HOOK_ip_rcv].latency.buckets[3].count = at_ip_rcv;
	counts[HOOK_tcp_start].discarded[DISCARD_NO_STAMP] = 1;
	counts[HOOK_tcp_start].latency.buckets[3].count = tcp;
	/* Of the same packets, and of such as nobody asked for. */
	counts[HOOK_tcp_do_rcv].latency.buckets[5].count = tcp;
	counts[HOOK_udp_socket_read].latency.buckets[7].count = udp;
	counts[HOOK_udp_socket_read].discarded[DISCARD_FILTERED] = 1000;
	/* No packets. */
	counts[HOOK_napi_poll].latency.buckets[3].count = 1000;
	return hook_counts_packets(counts);
}

static void test_packets_are_counted_once(void **state)
{
	(void)state;
	assert_int_equal(packets_of(0, 0, 0), 1);
	assert_int_equal(packets_of(0, 5, 7), 13);
	assert_int_equal(packets_of(13, 5, 7), 13);
	assert_int_equal(packets_of(20, 5, 7), 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_subtract_undo_each_other),
		cmocka_unit_test(test_a_copy_is_the_same),
		cmocka_unit_test(test_groups_beyond_all_memory_are_an_error),
		cmocka_unit_test(test_no_step_discards_nothing),
		cmocka_unit_test(test_a_step_discards_what_it_may_explain),
		cmocka_unit_test(test_stamps_may_be_right_where_latencies_are_not),
		cmocka_unit_test(test_a_step_beyond_all_bounds_leaves_the_others),
		cmocka_unit_test(test_packets_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
