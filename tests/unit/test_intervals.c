// SPDX-License-Identifier: GPL-2.0
/* From readings of counters, which only ever grow, to intervals and totals. */
#include "unit.h"

#include <errno.h>

#include "lib/counts/intervals.h"
#include "lib/tables/units.h"

/* The bucket of 1 us, and the first that a step of a second may explain. */
#define EARLY 10
#define LATE 30

static struct intervals intervals;

/* What a step of the clock spoils. */
static const struct clock_invalidated nothing = { .from_ns = UINT64_MAX };
static const struct clock_invalidated of_a_second = { NS_PER_S, true };

static int make_intervals(void **state)
{
	(void)state;
	intervals_init(&intervals, 0);
	return 0;
}

static int free_intervals(void **state)
{
	(void)state;
	intervals_free(&intervals);
	return 0;
}

/* The counters of one hook at some moment: so many early, late and from the future. */
static void read_counters(uint64_t taken_ns, uint64_t early, uint64_t late, uint64_t future)
{
	struct snapshot *reading = &intervals.reading;
	struct hook_counts *hook = &reading->hooks[HOOK_udp_start];

	reading->taken_ns = taken_ns;
	snapshot_clear_hooks(reading, 0);
	hook->latency.buckets[EARLY] = (struct bucket){ early, early * 1000 };
	hook->latency.buckets[LATE] = (struct bucket){ late, late * NS_PER_S };
	hook->discarded[DISCARD_FUTURE] = future;
}

/* The same of groups: the early ones of each. */
static void read_groups(uint64_t taken_ns, size_t nr, const uint64_t *early)
{
	read_counters(taken_ns, 0, 0, 0);
	assert_int_equal(group_counts_resize(&intervals.reading.groups, nr, NR_BUCKETS(0)), 0);
	for (size_t i = 0; i < nr; i++)
		group_buckets(&intervals.reading.groups, i)[EARLY].count = early[i];
}

static void assert_counts(const struct snapshot *counts, uint64_t early, uint64_t late,
			  uint64_t future, uint64_t clock_change)
{
	const struct hook_counts *hook = &counts->hooks[HOOK_udp_start];

	assert_int_equal(hook->latency.buckets[EARLY].count, early);
	assert_int_equal(hook->latency.buckets[EARLY].sum_ns, early * 1000);
	assert_int_equal(hook->latency.buckets[LATE].count, late);
	assert_int_equal(hook->latency.buckets[LATE].sum_ns, late * NS_PER_S);
	assert_int_equal(histogram_count(&hook->latency), early + late);
	assert_int_equal(hook->discarded[DISCARD_FUTURE], future);
	assert_int_equal(hook->discarded[DISCARD_CLOCK_CHANGE], clock_change);
	assert_int_equal(hook_counts_discarded(hook), future + clock_change);
}

static void assert_groups(const struct snapshot *counts, size_t nr, const uint64_t *early)
{
	assert_int_equal(counts->groups.nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(group_buckets(&counts->groups, i)[EARLY].count, early[i]);
}

static void test_there_is_nothing_before_the_start(void **state)
{
	(void)state;
	assert_int_equal(intervals_total_ns(&intervals), 0);
	assert_int_equal(intervals.duration_ns, 0);
	assert_counts(&intervals.total, 0, 0, 0, 0);
}

static void test_what_was_counted_before_the_start_is_in_no_interval(void **state)
{
	(void)state;
	read_counters(100, 1000, 100, 10);
	intervals_start(&intervals);
	assert_int_equal(intervals_total_ns(&intervals), 0);
	read_counters(200, 1003, 105, 17);
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	assert_counts(&intervals.interval, 3, 5, 7, 0);
	assert_counts(&intervals.total, 3, 5, 7, 0);
}

static void test_intervals_add_up_to_the_total(void **state)
{
	(void)state;
	read_counters(1000, 7, 7, 7);
	intervals_start(&intervals);
	read_counters(1300, 9, 7, 7);
	intervals_advance(&intervals, &nothing, NULL);
	assert_counts(&intervals.interval, 2, 0, 0, 0);
	assert_int_equal(intervals.duration_ns, 300);
	read_counters(1350, 9, 10, 8);
	intervals_advance(&intervals, &nothing, NULL);
	assert_counts(&intervals.interval, 0, 3, 1, 0);
	assert_counts(&intervals.total, 2, 3, 1, 0);
	assert_int_equal(intervals.duration_ns, 50);
	assert_int_equal(intervals_total_ns(&intervals), 350);
}

static void test_without_new_counts_an_interval_is_empty(void **state)
{
	(void)state;
	read_counters(0, 0, 0, 0);
	intervals_start(&intervals);
	for (int i = 1; i <= 3; i++) {
		read_counters(i, 5, 6, 7);
		intervals_advance(&intervals, &nothing, NULL);
	}
	assert_counts(&intervals.interval, 0, 0, 0, 0);
	assert_counts(&intervals.total, 5, 6, 7, 0);
}

/* What it may explain is discarded in that interval, and so in the total; not in others. */
static void test_a_step_spoils_one_interval(void **state)
{
	(void)state;
	read_counters(0, 0, 0, 0);
	intervals_start(&intervals);
	read_counters(1, 1, 2, 3);
	intervals_advance(&intervals, &nothing, NULL);
	read_counters(2, 11, 22, 33);
	intervals_advance(&intervals, &of_a_second, NULL);
	assert_counts(&intervals.interval, 10, 0, 0, 20 + 30);
	read_counters(3, 111, 222, 333);
	intervals_advance(&intervals, &nothing, NULL);
	assert_counts(&intervals.interval, 100, 200, 300, 0);
	assert_counts(&intervals.total, 111, 202, 303, 50);
}

static void test_groups_come_in_the_midst(void **state)
{
	(void)state;
	read_groups(0, 1, (const uint64_t[]){ 5 });
	intervals_start(&intervals);
	read_groups(1, 1, (const uint64_t[]){ 6 });
	intervals_advance(&intervals, &nothing, NULL);
	assert_groups(&intervals.interval, 1, (const uint64_t[]){ 1 });
	read_groups(2, 3, (const uint64_t[]){ 6, 20, 30 });
	intervals_advance(&intervals, &nothing, NULL);
	assert_groups(&intervals.interval, 3, (const uint64_t[]){ 0, 20, 30 });
	read_groups(3, 3, (const uint64_t[]){ 7, 22, 33 });
	intervals_advance(&intervals, &nothing, NULL);
	assert_groups(&intervals.interval, 3, (const uint64_t[]){ 1, 2, 3 });
	assert_groups(&intervals.total, 3, (const uint64_t[]){ 2, 22, 33 });
}

static void test_all_are_of_the_resolution(void **state)
{
	struct intervals fine;

	(void)state;
	intervals_init(&fine, MAX_RESOLUTION);
	assert_int_equal(fine.earlier.hooks[0].latency.resolution, MAX_RESOLUTION);
	assert_int_equal(fine.reading.hooks[NR_HOOKS - 1].latency.resolution, MAX_RESOLUTION);
	fine.reading.hooks[0].latency.buckets[MAX_BUCKETS - 1].count = 7;
	assert_int_equal(intervals_advance(&fine, &nothing, NULL), 0);
	assert_int_equal(fine.total.hooks[0].latency.buckets[MAX_BUCKETS - 1].count, 7);
	intervals_free(&fine);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_intervals, free_intervals)

/* Groups 0 and 1 are forgotten for number 2, and 3 and 4 for 5. */
static int find_other(void *context, size_t group, size_t *other)
{
	(void)context;
	*other = group < 3 ? 2 : 5;
	return 0;
}

static void forget_at(uint64_t taken_ns, const uint64_t early[6])
{
	read_groups(taken_ns, 6, early);
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	assert_int_equal(intervals_forget(&intervals, 10, find_other, NULL), 0);
}

#define TOTAL(...) assert_groups(&intervals.total, 6, (const uint64_t[6]){ __VA_ARGS__ })

static void test_groups_that_were_not_seen_go_to_others(void **state)
{
	(void)state;
	read_groups(1000, 0, NULL);
	intervals_start(&intervals);
	forget_at(1010, (const uint64_t[6]){ 1, 2, 0, 4, 8 });
	TOTAL(1, 2, 0, 4, 8, 0);
	/* Not quite as long. */
	forget_at(1019, (const uint64_t[6]){ 1, 3, 0, 4, 8 });
	TOTAL(1, 3, 0, 4, 8, 0);
	forget_at(1020, (const uint64_t[6]){ 1, 3, 0, 4, 9 });
	TOTAL(0, 3, 1, 0, 9, 4);
	/* Who comes again starts anew, and nobody else's counts ever shrink. */
	forget_at(1021, (const uint64_t[6]){ 6, 3, 0, 4, 9 });
	TOTAL(5, 3, 1, 0, 9, 4);
	forget_at(1040, (const uint64_t[6]){ 6, 3, 0, 4, 9 });
	TOTAL(0, 0, 9, 0, 0, 13);
	forget_at(2000, (const uint64_t[6]){ 6, 3, 0, 4, 9 });
	TOTAL(0, 0, 9, 0, 0, 13);
}

/* The other group is new, and behind all that were there. */
static int find_new(void *context, size_t group, size_t *other)
{
	(void)group;
	*other = *(size_t *)context;
	return 0;
}

static int find_none(void *context, size_t group, size_t *other)
{
	(void)context;
	(void)group;
	(void)other;
	return -ENOMEM;
}

static void test_the_other_group_may_be_new(void **state)
{
	size_t other = 3;

	(void)state;
	read_groups(0, 0, NULL);
	intervals_start(&intervals);
	read_groups(100, 1, (const uint64_t[]){ 7 });
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	read_groups(200, 1, (const uint64_t[]){ 7 });
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	assert_int_equal(intervals_forget(&intervals, 10, find_none, NULL), -ENOMEM);
	assert_int_equal(intervals_forget(&intervals, 10, find_new, &other), 0);
	assert_groups(&intervals.total, 4, (const uint64_t[]){ 0, 0, 0, 7 });
	read_groups(201, 2, (const uint64_t[]){ 8, 1 });
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	assert_groups(&intervals.total, 4, (const uint64_t[]){ 1, 1, 0, 7 });
}

/* Then its number may be another's. */
static void test_a_group_is_forgotten_once_nobody_has_counts_of_it(void **state)
{
	size_t other = 1;

	(void)state;
	read_groups(0, 1, (const uint64_t[]){ 2 });
	intervals_start(&intervals);
	assert_true(intervals_have_forgotten(&intervals, 0, 2));
	/* It comes in the interval that is not over yet. */
	assert_false(intervals_have_forgotten(&intervals, 0, 3));
	read_groups(100, 1, (const uint64_t[]){ 5 });
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	assert_false(intervals_have_forgotten(&intervals, 0, 5));
	assert_int_equal(intervals_forget(&intervals, 10, find_new, &other), 0);
	assert_false(intervals_have_forgotten(&intervals, 0, 5));
	read_groups(200, 1, (const uint64_t[]){ 5 });
	assert_int_equal(intervals_advance(&intervals, &nothing, NULL), 0);
	assert_int_equal(intervals_forget(&intervals, 10, find_new, &other), 0);
	assert_true(intervals_have_forgotten(&intervals, 0, 5));
	/* One that it has not read yet has counted nothing. */
	assert_true(intervals_have_forgotten(&intervals, 7, 0));
	assert_false(intervals_have_forgotten(&intervals, 7, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_there_is_nothing_before_the_start),
		TEST(test_what_was_counted_before_the_start_is_in_no_interval),
		TEST(test_intervals_add_up_to_the_total),
		TEST(test_without_new_counts_an_interval_is_empty),
		TEST(test_a_step_spoils_one_interval),
		TEST(test_groups_come_in_the_midst),
		cmocka_unit_test(test_all_are_of_the_resolution),
		TEST(test_groups_that_were_not_seen_go_to_others),
		TEST(test_the_other_group_may_be_new),
		TEST(test_a_group_is_forgotten_once_nobody_has_counts_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
