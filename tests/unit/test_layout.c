// SPDX-License-Identifier: GPL-2.0
/* What is where on screens of all sizes. */
#include "unit.h"

#include "lib/live/layout.h"

static struct layout layout;

static bool is_verdict;

static void find(int width, int height, size_t nr_panels, bool is_open, size_t nr_lines)
{
	const struct layout_wish wish = { width, height, nr_panels, is_open, nr_lines, is_verdict };

	layout_find(&layout, &wish);
}

static bool overlap(const struct rectangle *a, const struct rectangle *b)
{
	return a->height && b->height && a->x < b->x + b->width && b->x < a->x + a->width &&
	       a->y < b->y + b->height && b->y < a->y + a->height;
}

/* On the screen, between header and footer. */
static void assert_within(const struct rectangle *of, int width, int height)
{
	if (!of->height)
		return;
	assert_true(of->x >= 0 && of->width > 0 && of->x + of->width <= width);
	assert_true(of->y >= 1 && of->height > 0 && of->y + of->height <= height - 1);
}

static void check(int width, int height)
{
	const struct rectangle *others[] = { &layout.table, &layout.figures, &layout.lines };

	if (layout.is_too_small)
		return;
	for (size_t i = 0; i < layout.nr_panels; i++) {
		assert_within(&layout.panels[i], width, height);
		assert_true(layout.panels[i].height > 1);
		/* Time is the same below all of them. */
		assert_int_equal(layout.panels[i].x, layout.panels[i % layout.nr_across].x);
		assert_int_equal(layout.panels[i].width, layout.panels[0].width);
		assert_true(layout.panels[i].x >= AXIS_WIDTH);
		assert_true(layout.panels[i].y + layout.panels[i].height <= layout.time_axis);
		for (size_t j = 0; j < i; j++)
			assert_false(overlap(&layout.panels[i], &layout.panels[j]));
		for (int j = 0; j < 3; j++)
			assert_false(overlap(&layout.panels[i], others[j]));
	}
	for (int i = 0; i < 3; i++)
		assert_within(others[i], width, height);
	assert_false(overlap(&layout.table, &layout.lines));
	assert_false(overlap(&layout.figures, &layout.lines));
}

static void test_nothing_overlaps(void **state)
{
	static const size_t numbers[] = { 0, 1, 2, 3, 5, 12, 40, 1000 };

	(void)state;
	for (int width = 1; width <= 320; width += 7)
		for (int height = 1; height <= 110; height += 3)
			for (int i = 0; i < 8 * 4; i++) {
				is_verdict = width & 1;
				find(width, height, numbers[i / 4], i & 1, i & 2 ? i : 0);
				check(width, height);
			}
}

static void test_a_small_terminal_has_panels_only(void **state)
{
	(void)state;
	find(80, 24, 12, false, 0);
	assert_int_equal(layout.nr_panels, 3);
	assert_int_equal(layout.nr_across, 1);
	assert_int_equal(layout.panels[0].x, AXIS_WIDTH);
	assert_int_equal(layout.panels[0].y, 1);
	assert_int_equal(layout.panels[0].height, 7);
	assert_int_equal(layout.table.height, 0);
	assert_int_equal(layout.time_axis, 22);
}

static void test_a_large_one_has_all_panels(void **state)
{
	(void)state;
	find(300, 100, 12, false, 30);
	assert_int_equal(layout.nr_panels, 12);
	assert_true(layout.nr_across > 1);
	assert_true(layout.table.width > 40);
	assert_int_equal(layout.lines.y + layout.lines.height, 99);
	assert_int_equal(layout.lines.height, 12);
	find(300, 100, 12, false, 3);
	assert_int_equal(layout.lines.height, 3);
	is_verdict = true;
	find(300, 100, 12, false, 60);
	assert_int_equal(layout.lines.height, 50);
	is_verdict = false;
}

/* Two would have the better shape. */
static void test_a_low_one_that_is_wide_has_all_panels_side_by_side(void **state)
{
	(void)state;
	find(234, 16, 3, false, 0);
	assert_int_equal(layout.nr_panels, 3);
	assert_int_equal(layout.nr_across, 3);
}

static void test_one_that_is_open_has_all_room(void **state)
{
	(void)state;
	find(80, 24, 12, true, 0);
	assert_int_equal(layout.nr_panels, 1);
	assert_int_equal(layout.panels[0].height, 21);
	assert_int_equal(layout.figures.x + layout.figures.width, 80);
	assert_int_equal(layout.table.height, 0);
}

static void test_too_small(void **state)
{
	(void)state;
	find(39, 24, 1, false, 0);
	assert_true(layout.is_too_small);
	find(80, 8, 1, false, 0);
	assert_true(layout.is_too_small);
	find(40, 9, 1, false, 0);
	assert_false(layout.is_too_small);
	assert_int_equal(layout.nr_panels, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_overlaps),
		cmocka_unit_test(test_a_small_terminal_has_panels_only),
		cmocka_unit_test(test_a_large_one_has_all_panels),
		cmocka_unit_test(test_a_low_one_that_is_wide_has_all_panels_side_by_side),
		cmocka_unit_test(test_one_that_is_open_has_all_room),
		cmocka_unit_test(test_too_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
