// SPDX-License-Identifier: GPL-2.0
/* Which maps there are, and how large, by what is measured. */
#include "unit.h"

#include <string.h>

#include "lib/kernel/maps.h"

static struct plan plan;
static struct selection selection;
static struct left_out left_out;
static struct config programs;
static __u32 sizes[NR_MAPS];

/* All kernels that have everything; of the hooks, one of TCP and one of UDP. */
static int choose(void **state)
{
	(void)state;
	plan = (struct plan){ .max_groups = 100 };
	plan.hooks[HOOK_udp_start] = plan.hooks[HOOK_tcp_socket_read] = true;
	selection = (struct selection){ .has_sk_storage = true };
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		selection.targets[probe] = 1 + probe;
	left_out = (struct left_out){ 0 };
	programs = (struct config){ 0 };
	return 0;
}

static void size(void)
{
	selection_make(&selection, &plan, &left_out);
	maps_size(sizes, &programs, &plan, &selection, &left_out);
}

static void test_hooks_have_as_many_buckets_as_their_probes_take(void **state)
{
	(void)state;
	size();
	assert_int_equal(sizes[MAP_OF_HOOK(HOOK_udp_start)],
			 hook_nr_probes(HOOK_udp_start) * NR_BUCKETS(0));
	assert_int_equal(sizes[MAP_OF_HOOK(HOOK_tcp_start)], 0);
	plan.resolution = 3;
	size();
	assert_int_equal(sizes[MAP_OF_HOOK(HOOK_udp_start)],
			 hook_nr_probes(HOOK_udp_start) * NR_BUCKETS(3));
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].hook == HOOK_udp_start)
			left_out.why[probe] = "because";
	size();
	assert_int_equal(sizes[MAP_OF_HOOK(HOOK_udp_start)], 0);
}

static void test_each_hook_has_a_size(void **state)
{
	(void)state;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		plan.hooks[hook] = true;
	size();
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		assert_int_equal(sizes[MAP_OF_HOOK(hook)], hook_nr_probes(hook) * NR_BUCKETS(0));
}

static void test_what_nobody_uses_is_not_made(void **state)
{
	(void)state;
	size();
	assert_int_equal(sizes[MAP_tcp_segments], AS_BUILT);
	assert_int_equal(sizes[MAP_tcp_segments_passed], 0);
	assert_int_equal(sizes[MAP_tcp_times], 0);
	assert_int_equal(sizes[MAP_tcp_hol_states], 0);
	assert_int_equal(sizes[MAP_spans_of_cpus], 0);
	assert_int_equal(sizes[MAP_netstack_slow_packets], 0);
	assert_int_equal(sizes[MAP_netstack_stage_latency], 0);
	assert_int_equal(sizes[MAP_netstack_stage_drops], 0);
	assert_int_equal(sizes[MAP_netstack_discards], AS_BUILT);
	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		assert_int_equal(sizes[MAP_OF_FILTER(filter)], 0);
}

static void test_what_hooks_remember_is_made(void **state)
{
	(void)state;
	plan.hooks[HOOK_tcp_accept] = plan.hooks[HOOK_softirq_net_rx] = true;
	plan.hooks[HOOK_tcp_send] = true;
	size();
	assert_int_equal(sizes[MAP_tcp_times], AS_BUILT);
	assert_int_equal(sizes[MAP_spans_of_cpus], AS_BUILT);
	/* Where segments cannot be told apart, what waited for a lost one is guessed at. */
	left_out.why[PROBE_tcp_cleanup_rbuf] = "because";
	size();
	assert_int_equal(sizes[MAP_tcp_hol_states], 16384);
}

static void test_slow_packets_have_a_ring_and_what_they_passed(void **state)
{
	(void)state;
	plan.slow = true;
	size();
	assert_int_equal(sizes[MAP_netstack_slow_packets], AS_BUILT);
	assert_int_equal(sizes[MAP_netstack_slow_counts], AS_BUILT);
	assert_int_equal(sizes[MAP_journey_passed], AS_BUILT);
	assert_int_equal(sizes[MAP_tcp_segments_passed], AS_BUILT);
	assert_int_equal(sizes[MAP_runs_of_cpus], 0);
	plan.wakeups = true;
	size();
	assert_int_equal(sizes[MAP_runs_of_cpus], AS_BUILT);
}

/* The first block is nobody's. Each stage has another, and so has each probe that counts. */
static void test_stages_have_a_block_each(void **state)
{
	unsigned int last = 0;

	(void)state;
	plan.stages = plan.drops = true;
	memcpy(plan.followed, plan.hooks, sizeof(plan.hooks));
	size();
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		assert_int_equal(!!programs.probe_blocks[probe],
				 !!(selection.tasks[probe] & TASK_COUNT));
		if (programs.probe_blocks[probe] > last)
			last = programs.probe_blocks[probe];
	}
	assert_int_equal(sizes[MAP_netstack_stage_latency], last + 1);
	assert_int_equal(sizes[MAP_OF_HOOK(HOOK_udp_start)], 0);
	assert_int_equal(sizes[MAP_netstack_stage_drops], AS_BUILT);
}

static void test_groups_have_rows_and_each_probe_a_cache_of_its_own(void **state)
{
	unsigned int nr = 0;

	(void)state;
	plan.group_by = 1U << KEY_PORT;
	size();
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (selection.tasks[probe] & TASK_COUNT)
			assert_int_equal(programs.first_cached[probe], NR_CACHED_GROUPS * nr++);
	assert_int_equal(sizes[MAP_group_cache], NR_CACHED_GROUPS * nr);
	assert_int_equal(sizes[MAP_netstack_groups], 100);
	assert_int_equal(sizes[MAP_group_row_of], 100);
	assert_int_equal(sizes[MAP_group_free_rows], AS_BUILT);
	assert_int_equal(sizes[MAP_netstack_group_latency], 100 * NR_BUCKETS(0));
	plan.stages = true;
	memcpy(plan.followed, plan.hooks, sizeof(plan.hooks));
	size();
	assert_int_equal(sizes[MAP_group_cache], NR_CACHED_GROUPS * nr);
	assert_int_equal(sizes[MAP_netstack_stage_latency], 0);
}

static void test_filters_have_a_map_where_one_value_does_not_do(void **state)
{
	static __u64 pids[] = { 1, 2 };

	(void)state;
	plan.filters.active = 1U << FILTER_PID;
	plan.filters.keys[FILTER_PID] = (struct filter_keys){ .keys = pids, .nr = 2 };
	size();
	assert_int_equal(sizes[MAP_OF_FILTER(FILTER_PID)], 2);
	assert_int_equal(sizes[MAP_OF_FILTER(FILTER_COMM)], 0);
}

#define TEST(name) cmocka_unit_test_setup(name, choose)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hooks_have_as_many_buckets_as_their_probes_take),
		TEST(test_each_hook_has_a_size),
		TEST(test_what_nobody_uses_is_not_made),
		TEST(test_what_hooks_remember_is_made),
		TEST(test_slow_packets_have_a_ring_and_what_they_passed),
		TEST(test_stages_have_a_block_each),
		TEST(test_groups_have_rows_and_each_probe_a_cache_of_its_own),
		TEST(test_filters_have_a_map_where_one_value_does_not_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
