// SPDX-License-Identifier: GPL-2.0
/* --diagnose measures at each hook what its classes of findings are about, and no more. */
#include "unit.h"

#include "lib/counts/stages.h"
#include "lib/diagnose/classes.h"
#include "lib/diagnose/watch.h"
#include "lib/tables/attributes.h"

/* These keys tell the place of a finding, or its task and cgroup. The CPU is known of all. */
static unsigned int keys_of(enum class class)
{
	if (class == CLASS_reader_asleep)
		return 1U << KEY_NETNS | 1U << KEY_PORT | 1U << KEY_PID | 1U << KEY_CGROUP;
	switch (classes[class].scope) {
	case SCOPE_INTERFACE:
		return 1U << KEY_NETNS | 1U << KEY_INTERFACE;
	case SCOPE_NETNS:
		return 1U << KEY_NETNS;
	case SCOPE_SERVICE:
		return 1U << KEY_NETNS | 1U << KEY_PORT;
	default:
		return 0;
	}
}

static void assert_tells_place(enum hook hook, const struct class_stage *found)
{
	unsigned int keys = keys_of(found->class);

	for (enum key key = 0; key < NR_KEYS; key++)
		if (keys & 1U << key && hook_can_group(hook, key))
			assert_true(watches[hook].keys & 1U << key);
}

static void assert_is_measured(enum hook hook, const struct class_stage *found)
{
	assert_true(watches[hook].counts[SINCE_STAMP]);
	assert_tells_place(hook, found);
}

static void test_spans_are_measured(void **state)
{
	const struct class_stage *span = NULL;

	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		/* Sockets themselves tell how far away their peers are. */
		while ((span = class_span_next(hook, span)))
			if (span->class != CLASS_network)
				assert_is_measured(hook, span);
		if (!class_span_next(hook, NULL) && stage_is_whole_hook(hook) &&
		    class_stage_find(ANY, hook))
			assert_is_measured(hook, class_stage_find(ANY, hook));
	}
}

static void test_stages_are_measured(void **state)
{
	(void)state;
	for (enum hook to = 0; to < NR_HOOKS; to++)
		for (enum hook from = 0; from < to; from++) {
			const struct class_stage *stage = class_stage_find(from, to);

			if (!stage || !stage_is_possible(from, to))
				continue;
			assert_true(watches[to].counts[SINCE_HOOK]);
			assert_true(watches[to].is_followed);
			assert_tells_place(to, stage);
		}
}

/* Stages of other hooks begin where packets are followed: a time that nobody asks for is a row for
 * each group. */
static void test_nothing_else_is_measured(void **state)
{
	(void)state;
	for (enum hook to = 0; to < NR_HOOKS; to++) {
		bool has_stage = false;

		for (enum hook from = 0; from < to; from++)
			has_stage |= stage_is_possible(from, to) && class_stage_find(from, to);
		assert_int_equal(watches[to].counts[SINCE_HOOK], has_stage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans_are_measured),
		cmocka_unit_test(test_stages_are_measured),
		cmocka_unit_test(test_nothing_else_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
