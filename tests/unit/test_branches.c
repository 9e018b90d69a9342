// SPDX-License-Identifier: GPL-2.0
/* What programs are asked to do, by what is measured. */
#include "unit.h"

#include <string.h>

#include "lib/kernel/branches.h"
#include "lib/tables/attributes.h"

static struct plan plan;
static struct selection selection;
static bool on[NR_BRANCHES];

static int clear(void **state)
{
	(void)state;
	plan = (struct plan){ 0 };
	selection = (struct selection){ 0 };
	return 0;
}

static unsigned int nr_on(void)
{
	unsigned int nr = 0;

	branches_find(on, &plan, &selection);
	for (unsigned int branch = 0; branch < NR_BRANCHES; branch++)
		nr += on[branch];
	return nr;
}

static void test_a_run_without_options_asks_for_times_alone(void **state)
{
	(void)state;
	assert_int_equal(nr_on(), 2);
	assert_true(on[BRANCH_SINCE_STAMP] && on[BRANCH_SINCE_HOOK]);
}

static void test_each_option_turns_its_own_on(void **state)
{
	const struct {
		bool *option;
		enum branch branch;
	} options[] = {
		{ &plan.include_hol_delay, BRANCH_HOL_DELAY },
		{ &plan.wakeups, BRANCH_WAKEUPS },
		{ &plan.reader_waits, BRANCH_READER_WAITS },
		{ &plan.stacks, BRANCH_STACKS },
		{ &plan.slow, BRANCH_SLOW },
		{ &plan.trace, BRANCH_TRACE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		*options[i].option = true;
		assert_int_equal(nr_on(), 3);
		assert_true(on[options[i].branch]);
		*options[i].option = false;
	}
	plan.first_folded_port = 32768;
	assert_int_equal(nr_on(), 3);
	assert_true(on[BRANCH_FOLD_CLIENTS]);
	plan.first_folded_port = 0;
	plan.timely_ns = 1;
	assert_int_equal(nr_on(), 3);
	assert_true(on[BRANCH_SAMPLES]);
}

static void test_who_ran_instead_is_for_those_who_show_it(void **state)
{
	(void)state;
	plan.wakeups = true;
	assert_false(notes_others(&plan));
	plan.slow = true;
	assert_true(notes_others(&plan));
	plan.slow = false;
	plan.reader_waits = true;
	assert_true(notes_others(&plan));
	nr_on();
	assert_true(on[BRANCH_OTHERS]);
	plan.wakeups = false;
	assert_false(notes_others(&plan));
}

/* What is known at a function's entry only has to be kept for its return. */
static void test_keys_and_filters_have_kept_what_they_need(void **state)
{
	(void)state;
	for (enum key key = 0; key < NR_KEYS; key++) {
		plan.group_by = 1U << key;
		assert_int_equal(nr_on(), 3 + __builtin_popcount(key_table[key].keeps));
		assert_true(on[BRANCH_KEY(key)]);
		for (enum kept kept = 0; kept < NR_KEPT; kept++)
			assert_int_equal(on[BRANCH_KEPT(kept)], key_table[key].keeps >> kept & 1);
	}
	plan.group_by = 0;
	for (enum filter filter = 0; filter < NR_FILTERS; filter++) {
		plan.filters.active = 1U << filter;
		assert_int_equal(nr_on(), 3 + __builtin_popcount(filter_table[filter].keeps));
		assert_true(on[BRANCH_FILTER(filter)]);
	}
}

static void test_programs_do_their_tasks(void **state)
{
	(void)state;
	selection.tasks[PROBE_tcp_queue_rcv] = TASK_STORE | TASK_COUNT;
	assert_int_equal(nr_on(), 4);
	assert_true(on[BRANCH_TASK(PROBE_tcp_queue_rcv, TASK_STORE)]);
	assert_true(on[BRANCH_TASK(PROBE_tcp_queue_rcv, TASK_COUNT)]);
	assert_false(on[BRANCH_TASK(PROBE_tcp_queue_rcv, TASK_FOLLOW)]);
}

/* By port, packets are not told apart where --diagnose does not ask, but at that hook only. */
static void test_a_hook_goes_without_what_is_left_out(void **state)
{
	(void)state;
	plan.group_by = 1U << KEY_PORT | 1U << KEY_CPU;
	plan.keys_left_out[HOOK_tcp_do_rcv] = 1U << KEY_PORT;
	plan.since_left_out[HOOK_tcp_do_rcv][SINCE_STAMP] = true;
	plan.since_left_out[HOOK_tcp_data_queue][SINCE_HOOK] = true;
	nr_on();
	branches_leave_out(on, &plan, HOOK_tcp_do_rcv);
	assert_false(on[BRANCH_KEY(KEY_PORT)]);
	assert_true(on[BRANCH_KEY(KEY_CPU)]);
	assert_false(on[BRANCH_SINCE_STAMP]);
	assert_true(on[BRANCH_SINCE_HOOK]);
	nr_on();
	branches_leave_out(on, &plan, HOOK_tcp_data_queue);
	assert_true(on[BRANCH_KEY(KEY_PORT)]);
	assert_true(on[BRANCH_SINCE_STAMP]);
	assert_false(on[BRANCH_SINCE_HOOK]);
}

/* A softirq has no port, but what it keeps of one is what others are grouped by. */
static void test_what_a_hook_keeps_for_others_is_kept(void **state)
{
	enum hook hook = 0;

	(void)state;
	while (hook_can_group(hook, KEY_PORT))
		hook++;
	plan.group_by = 1U << KEY_PORT;
	plan.keys_left_out[hook] = 1U << KEY_PORT;
	nr_on();
	branches_leave_out(on, &plan, hook);
	assert_true(on[BRANCH_KEY(KEY_PORT)]);
}

#define TEST(name) cmocka_unit_test_setup(name, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_run_without_options_asks_for_times_alone),
		TEST(test_each_option_turns_its_own_on),
		TEST(test_who_ran_instead_is_for_those_who_show_it),
		TEST(test_keys_and_filters_have_kept_what_they_need),
		TEST(test_programs_do_their_tasks),
		TEST(test_a_hook_goes_without_what_is_left_out),
		TEST(test_what_a_hook_keeps_for_others_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
