// SPDX-License-Identifier: GPL-2.0
/* What keys do to what is shown. */
#include "unit.h"

#include <curses.h>
#include <string.h>

#include "lib/live/view.h"

static struct view view;
static struct timeline *timeline;

/* The panels that are added are of groups that have these keys in common. */
static unsigned int split;

static void add(unsigned int kind, const char *label, unsigned int bucket, uint64_t count)
{
	const struct timeline_name name = { kind, split, *label, "", label };
	struct bucket buckets[MAX_BUCKETS] = { { 0 } };

	buckets[bucket] = (struct bucket){ count, count };
	assert_int_equal(timeline_add(timeline, &name, buckets), 0);
}

/* A column of three hooks and a stage; the second hook has most harm, then the third. */
static void add_column(void)
{
	const struct timeline_column column = { 0 };

	timeline_begin_column(timeline, &column);
	add(VIEW_HOOKS, "a", 12, 10);
	add(VIEW_HOOKS, "b", 20, 1000);
	add(VIEW_HOOKS, "c", 16, 100);
	add(VIEW_STAGES, "d", 16, 100);
	view_shift(&view, timeline);
	view_list_panels(&view, timeline);
}

static int make(void **state)
{
	const bool is_possible[NR_VIEWS] = { [VIEW_HOOKS] = true, [VIEW_STAGES] = true };

	(void)state;
	timeline = timeline_new(KEEPS_LATEST, 0, 10, 20);
	if (!timeline)
		return -1;
	view_init(&view, is_possible, &(struct splits){ { 0 }, 1 }, 0);
	view.kind = VIEW_HOOKS;
	view.width = 4;
	view.finest = view.resolution = 2;
	add_column();
	return 0;
}

static int drop(void **state)
{
	(void)state;
	timeline_free(timeline);
	return 0;
}

static void press(const char *keys)
{
	for (; *keys; keys++)
		assert_true(view_key(&view, *keys));
	view_list_panels(&view, timeline);
}

static const char *selected(void)
{
	return timeline_name_of(timeline, view.selected)->label;
}

static void test_most_harm_comes_first(void **state)
{
	(void)state;
	assert_int_equal(view.nr_panels, 3);
	assert_string_equal(timeline_name_of(timeline, view.panels[0])->label, "b");
	assert_string_equal(timeline_name_of(timeline, view.panels[1])->label, "c");
	assert_string_equal(timeline_name_of(timeline, view.panels[2])->label, "a");
	assert_string_equal(selected(), "b");
}

static void test_arrows_choose_a_panel(void **state)
{
	(void)state;
	view_key(&view, KEY_RIGHT);
	assert_string_equal(selected(), "c");
	view_key(&view, KEY_DOWN);
	assert_string_equal(selected(), "a");
	view_key(&view, KEY_DOWN);
	assert_string_equal(selected(), "a");
	view_key(&view, KEY_LEFT);
	assert_string_equal(selected(), "c");
	view.across = 2;
	view_key(&view, KEY_UP);
	assert_string_equal(selected(), "b");
}

/* Also when another one comes before it. */
static void test_what_was_chosen_stays(void **state)
{
	(void)state;
	view_key(&view, KEY_RIGHT);
	add_column();
	add(VIEW_HOOKS, "e", 30, 100000);
	view_list_panels(&view, timeline);
	assert_string_equal(timeline_name_of(timeline, view.panels[0])->label, "e");
	assert_string_equal(selected(), "c");
}

static void test_s_goes_to_the_next_view(void **state)
{
	(void)state;
	press("s");
	assert_int_equal(view.kind, VIEW_STAGES);
	assert_int_equal(view.nr_panels, 1);
	assert_string_equal(selected(), "d");
	press("s");
	assert_int_equal(view.kind, VIEW_HOOKS);
}

/* All keys together come first, then none, where there are stages, and each alone. */
static void test_g_goes_to_the_next_key(void **state)
{
	static const bool is_possible[NR_VIEWS] = { true, true, true };
	const unsigned int port = 1U << KEY_PORT, pid = 1U << KEY_PID;
	const struct splits splits = splits_of(port | pid, true);

	(void)state;
	view_init(&view, is_possible, &splits, 0);
	for (size_t i = 0; i < splits.nr; i++) {
		static const char *const labels[] = { "none", "port", "pid", "both" };

		split = splits.masks[i];
		add(VIEW_STAGES, labels[i], 12, 10);
		if (split)
			add(VIEW_GROUPS, labels[i], 12, 10);
	}
	split = 0;
	press("");
	assert_string_equal(selected(), "both");
	press("g");
	assert_string_equal(selected(), "d");
	assert_int_equal(view.nr_panels, 2);
	press("g");
	assert_string_equal(selected(), "port");
	press("g");
	assert_string_equal(selected(), "pid");
	/* Hooks are what they are; without a key, groups would be hooks. */
	press("gg");
	assert_int_equal(view.split, 0);
	press("sgs");
	assert_string_equal(selected(), "both");
	press("gg");
	assert_string_equal(selected(), "pid");
	press("g");
	assert_string_equal(selected(), "both");
}

static void test_one_key_is_all_of_them(void **state)
{
	const struct splits to_choose_from = splits_of(1U << KEY_PID, true);
	const struct splits together = splits_of(1U << KEY_PID | 1U << KEY_PORT, false);

	(void)state;
	assert_int_equal(to_choose_from.nr, 2);
	assert_int_equal(to_choose_from.masks[0], 0);
	assert_int_equal(to_choose_from.masks[1], 1U << KEY_PID);
	assert_int_equal(together.nr, 1);
	assert_int_equal(splits_of(0, true).nr, 1);
}

static void test_k_goes_through_the_resolutions(void **state)
{
	(void)state;
	press("k");
	assert_int_equal(view.resolution, 1);
	press("kk");
	assert_int_equal(view.resolution, 2);
	press("K");
	assert_int_equal(view.resolution, 0);
	press("KK");
	assert_int_equal(view.resolution, 2);
}

/* Counts that are finer than is usual to draw are there for figures, and for who asks. */
static void test_the_usual_resolution_is_not_the_finest(void **state)
{
	const bool is_possible[NR_VIEWS] = { [VIEW_HOOKS] = true };

	(void)state;
	view_init(&view, is_possible, &(struct splits){ { 0 }, 1 }, 3);
	assert_int_equal(view.resolution, 2);
	press("K");
	assert_int_equal(view.resolution, 3);
	view_init(&view, is_possible, &(struct splits){ { 0 }, 1 }, 1);
	assert_int_equal(view.resolution, 1);
}

/* Letters that are keys otherwise are typed. */
static void test_a_filter_by_name(void **state)
{
	(void)state;
	press("/Cq");
	assert_true(view.edits_filter);
	assert_string_equal(view.filter, "Cq");
	assert_int_equal(view.nr_panels, 0);
	view_key(&view, KEY_BACKSPACE);
	press("\n");
	assert_false(view.edits_filter);
	assert_int_equal(view.nr_panels, 1);
	assert_string_equal(selected(), "c");
	view_key(&view, 27);
	view_list_panels(&view, timeline);
	assert_int_equal(view.nr_panels, 3);
}

static void test_a_filter_has_an_end(void **state)
{
	(void)state;
	press("/");
	for (int i = 0; i < 2 * FILTER_SIZE; i++)
		press("x");
	assert_int_equal(strlen(view.filter), FILTER_SIZE - 1);
}

static void test_what_is_paused_stays_where_it_is(void **state)
{
	(void)state;
	add_column();
	assert_int_equal(view.back, 0);
	press(" ");
	add_column();
	add_column();
	assert_int_equal(view.back, 2);
	/* Until it is the oldest that is kept. */
	for (int i = 0; i < 20; i++)
		add_column();
	assert_int_equal(view.back, 9);
	press(" ");
	assert_int_equal(view.back, 0);
	add_column();
	assert_int_equal(view.back, 0);
}

static void test_scrolling_ends_with_what_is_kept(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		add_column();
	view_key(&view, KEY_PPAGE);
	assert_int_equal(view.back, 2);
	assert_true(view.is_paused);
	view_key(&view, KEY_HOME);
	assert_int_equal(view.back, 5);
	view_key(&view, KEY_NPAGE);
	assert_int_equal(view.back, 3);
	view_key(&view, KEY_END);
	assert_int_equal(view.back, 0);
}

static void test_an_open_panel_has_a_cursor(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		add_column();
	press("\n");
	assert_true(view.is_open);
	for (int i = 0; i < 3; i++)
		view_key(&view, KEY_LEFT);
	assert_int_equal(view.cursor, 3);
	assert_int_equal(view.back, 0);
	view_key(&view, KEY_LEFT);
	assert_int_equal(view.cursor, 3);
	assert_int_equal(view.back, 1);
	view_key(&view, KEY_RIGHT);
	assert_int_equal(view.cursor, 2);
	assert_string_equal(selected(), "b");
	press("\n");
	assert_false(view.is_open);
}

static void test_help_goes_with_the_next_key(void **state)
{
	(void)state;
	press("?");
	assert_true(view.shows_help);
	press("s");
	assert_false(view.shows_help);
	assert_int_equal(view.kind, VIEW_HOOKS);
}

static void test_q_ends(void **state)
{
	(void)state;
	assert_false(view_key(&view, 'q'));
	assert_true(view_key(&view, 'x'));
	press("?");
	assert_false(view_key(&view, 'q'));
}

/* A view with nothing in it takes any key. */
static void test_keys_without_panels(void **state)
{
	(void)state;
	timeline_free(timeline);
	timeline = timeline_new(KEEPS_LATEST, 0, 10, 20);
	assert_non_null(timeline);
	view_shift(&view, timeline);
	view_list_panels(&view, timeline);
	for (int key = 0; key < KEY_MAX; key++)
		view_key(&view, key);
	assert_int_equal(view.nr_panels, 0);
	assert_int_equal(view.back, 0);
	assert_false(view.is_open);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_most_harm_comes_first),
		TEST(test_arrows_choose_a_panel),
		TEST(test_what_was_chosen_stays),
		TEST(test_s_goes_to_the_next_view),
		TEST(test_g_goes_to_the_next_key),
		TEST(test_one_key_is_all_of_them),
		TEST(test_k_goes_through_the_resolutions),
		TEST(test_the_usual_resolution_is_not_the_finest),
		TEST(test_a_filter_by_name),
		TEST(test_a_filter_has_an_end),
		TEST(test_what_is_paused_stays_where_it_is),
		TEST(test_scrolling_ends_with_what_is_kept),
		TEST(test_an_open_panel_has_a_cursor),
		TEST(test_help_goes_with_the_next_key),
		TEST(test_q_ends),
		TEST(test_keys_without_panels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
