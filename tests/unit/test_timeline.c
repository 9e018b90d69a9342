// SPDX-License-Identifier: GPL-2.0
/* The ring of columns, and the panels in it. */
#include "unit.h"

#include <string.h>

#include "lib/counts/timeline.h"

static struct timeline *timeline;

/* Three columns of two panels. */
static int make(void **state)
{
	(void)state;
	timeline = timeline_new(KEEPS_LATEST, 0, 3, 2);
	return !timeline;
}

static int drop(void **state)
{
	(void)state;
	timeline_free(timeline);
	return 0;
}

static void begin_column(uint64_t time_ns)
{
	const struct timeline_column column = { .time_ns = time_ns, .duration_ns = 1 };

	timeline_begin_column(timeline, &column);
}

static void add(const char *label, unsigned int bucket, uint64_t count)
{
	const struct timeline_name name = { 0, 0, 1, "section", label };
	struct bucket buckets[MAX_BUCKETS] = { { 0 } };

	buckets[bucket] = (struct bucket){ count, 10 * count };
	assert_int_equal(timeline_add(timeline, &name, buckets), 0);
}

static uint64_t count_at(size_t panel, size_t age)
{
	struct histogram latency = { .resolution = 0 };

	timeline_latency(timeline, panel, age, &latency);
	assert_int_equal(histogram_sum_ns(&latency), 10 * histogram_count(&latency));
	return histogram_count(&latency);
}

static void test_it_is_empty_at_first(void **state)
{
	(void)state;
	assert_int_equal(timeline_nr_columns(timeline), 0);
	assert_int_equal(timeline_nr_panels(timeline), 0);
}

static void test_the_newest_column_has_age_0(void **state)
{
	(void)state;
	begin_column(100);
	add("a", 5, 1);
	begin_column(200);
	add("a", 5, 2);
	assert_int_equal(timeline_nr_columns(timeline), 2);
	assert_int_equal(timeline_column_at(timeline, 0)->time_ns, 200);
	assert_int_equal(timeline_column_at(timeline, 1)->time_ns, 100);
	assert_int_equal(count_at(0, 0), 2);
	assert_int_equal(count_at(0, 1), 1);
	assert_int_equal(count_at(0, 2), 0);
}

static void test_the_oldest_column_makes_room(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 5; i++) {
		begin_column(i);
		if (i != 4)
			add("a", 5, i);
	}
	assert_int_equal(timeline_nr_columns(timeline), 3);
	assert_int_equal(timeline_column_at(timeline, 2)->time_ns, 3);
	assert_int_equal(count_at(0, 0), 5);
	assert_int_equal(count_at(0, 1), 0);
	assert_int_equal(count_at(0, 2), 3);
	assert_int_equal(count_at(0, 3), 0);
}

/* Also at both ends of what there is. */
static void test_parts_of_a_column_add_up(void **state)
{
	struct histogram latency = { .resolution = 0 };

	(void)state;
	begin_column(1);
	add("a", 7, 1);
	add("a", 0, 2);
	add("a", 20, 4);
	add("a", 7, 8);
	assert_int_equal(timeline_nr_panels(timeline), 1);
	assert_true(timeline_latency(timeline, 0, 0, &latency));
	assert_int_equal(latency.buckets[0].count, 2);
	assert_int_equal(latency.buckets[7].count, 9);
	assert_int_equal(latency.buckets[20].count, 4);
	assert_int_equal(histogram_count(&latency), 15);
}

static void test_without_samples_there_is_no_panel(void **state)
{
	(void)state;
	begin_column(1);
	add("a", 7, 0);
	assert_int_equal(timeline_nr_panels(timeline), 0);
}

static void test_a_name_is_all_of_it(void **state)
{
	static const struct timeline_name names[] = {
		{ 0, 0, 1, "s", "a" }, { 1, 0, 1, "s", "a" }, { 0, 0, 2, "s", "a" },
		{ 0, 0, 1, "t", "a" }, { 0, 0, 1, "s", "b" }, { 0, 1, 1, "s", "a" },
	};
	struct bucket buckets[MAX_BUCKETS] = { { 1, 1 } };

	(void)state;
	timeline_free(timeline);
	timeline = timeline_new(KEEPS_LATEST, 0, 3, 9);
	assert_non_null(timeline);
	begin_column(1);
	for (int i = 0; i < 6; i++)
		assert_int_equal(timeline_add(timeline, &names[i], buckets), 0);
	assert_int_equal(timeline_nr_panels(timeline), 6);
	assert_string_equal(timeline_name_of(timeline, 3)->section, "t");
}

static void test_panels_are_sorted_by_rank_and_then_by_name(void **state)
{
	static const struct timeline_name names[] = {
		{ 0, 0, 2, "a", "a" },
		{ 0, 0, 1, "b", "a" },
		{ 0, 0, 1, "a", "b" },
		{ 0, 0, 1, "a", "a" },
	};
	struct bucket buckets[MAX_BUCKETS] = { { 1, 1 } };
	size_t panels[] = { 0, 1, 2, 3 };

	(void)state;
	timeline_free(timeline);
	timeline = timeline_new(KEEPS_LATEST, 0, 3, 9);
	assert_non_null(timeline);
	begin_column(1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(timeline_add(timeline, &names[i], buckets), 0);
	timeline_sort_panels(timeline, panels, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(panels[i], 3 - i);
}

static void test_who_was_empty_for_longest_makes_room(void **state)
{
	(void)state;
	begin_column(1);
	add("a", 1, 1);
	add("b", 2, 2);
	begin_column(2);
	add("a", 1, 3);
	add("c", 2, 4);
	assert_int_equal(timeline_nr_panels(timeline), 2);
	assert_string_equal(timeline_name_of(timeline, 0)->label, "a");
	assert_string_equal(timeline_name_of(timeline, 1)->label, "c");
	assert_int_equal(count_at(1, 0), 4);
	assert_int_equal(count_at(1, 1), 0);
}

/* Panels that are drawn now make no room for more. */
static void test_who_has_samples_now_stays(void **state)
{
	(void)state;
	begin_column(1);
	add("a", 1, 1);
	add("b", 2, 2);
	add("c", 2, 4);
	assert_int_equal(timeline_nr_panels(timeline), 2);
	assert_string_equal(timeline_name_of(timeline, 0)->label, "a");
	assert_string_equal(timeline_name_of(timeline, 1)->label, "b");
	assert_int_equal(timeline_nr_left_out(timeline), 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

static void keep_all(size_t max_columns)
{
	timeline_free(timeline);
	timeline = timeline_new(KEEPS_ALL, 0, max_columns, 2);
	assert_non_null(timeline);
}

/* Four columns for five intervals; then, for nine. */
static void test_all_of_the_time_is_kept(void **state)
{
	(void)state;
	keep_all(4);
	for (uint64_t i = 1; i <= 9; i++) {
		begin_column(i);
		add("a", 5 + i % 2, i);
		if (i == 5) {
			assert_int_equal(timeline_nr_columns(timeline), 3);
			assert_int_equal(count_at(0, 0), 5);
			assert_int_equal(count_at(0, 1), 3 + 4);
			assert_int_equal(count_at(0, 2), 1 + 2);
		}
	}
	assert_int_equal(timeline_nr_columns(timeline), 3);
	assert_int_equal(count_at(0, 0), 9);
	assert_int_equal(count_at(0, 1), 5 + 6 + 7 + 8);
	assert_int_equal(count_at(0, 2), 1 + 2 + 3 + 4);
	assert_int_equal(timeline_column_at(timeline, 1)->time_ns, 8);
	assert_int_equal(timeline_column_at(timeline, 1)->duration_ns, 4);
}

static void test_a_mark_stays_in_what_two_became(void **state)
{
	const struct timeline_column gap = { .time_ns = 2, .duration_ns = 3, .is_gap = true };

	(void)state;
	keep_all(2);
	begin_column(1);
	timeline_begin_column(timeline, &gap);
	begin_column(3);
	assert_true(timeline_column_at(timeline, 1)->is_gap);
	assert_false(timeline_column_at(timeline, 1)->clock_changed);
	assert_false(timeline_column_at(timeline, 0)->is_gap);
	assert_int_equal(timeline_column_at(timeline, 1)->duration_ns, 4);
}

static void test_a_panel_too_many_is_counted(void **state)
{
	(void)state;
	keep_all(4);
	begin_column(1);
	add("a", 5, 1);
	add("b", 5, 2);
	add("c", 5, 3);
	add("a", 5, 4);
	assert_int_equal(timeline_nr_panels(timeline), 2);
	assert_int_equal(timeline_nr_left_out(timeline), 3);
	assert_int_equal(count_at(0, 0), 5);
}

static void test_a_column_is_extended(void **state)
{
	const struct timeline_column rest = { .time_ns = 7, .duration_ns = 2 };

	(void)state;
	begin_column(5);
	add("a", 5, 1);
	timeline_extend_column(timeline, &rest);
	add("a", 6, 2);
	assert_int_equal(timeline_nr_columns(timeline), 1);
	assert_int_equal(timeline_column_at(timeline, 0)->time_ns, 7);
	assert_int_equal(timeline_column_at(timeline, 0)->duration_ns, 3);
	assert_int_equal(count_at(0, 0), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_it_is_empty_at_first),
		TEST(test_the_newest_column_has_age_0),
		TEST(test_the_oldest_column_makes_room),
		TEST(test_parts_of_a_column_add_up),
		TEST(test_without_samples_there_is_no_panel),
		TEST(test_a_name_is_all_of_it),
		TEST(test_panels_are_sorted_by_rank_and_then_by_name),
		TEST(test_who_was_empty_for_longest_makes_room),
		TEST(test_who_has_samples_now_stays),
		TEST(test_all_of_the_time_is_kept),
		TEST(test_a_mark_stays_in_what_two_became),
		TEST(test_a_panel_too_many_is_counted),
		TEST(test_a_column_is_extended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
