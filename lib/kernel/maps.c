// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/maps.h"

#include "lib/counts/stages.h"
#include "lib/filters/filters.h"
#include "lib/kernel/branches.h"

const char *map_name(enum object_map map)
{
	switch (map) {
#define MAP(name)        \
	case MAP_##name: \
		return #name;
#include "lib/tables/maps.def"
	default:
		return map < MAP_OF_FILTER(0) ? hooks[map].map : filter_map(map - MAP_OF_FILTER(0));
	}
}

/* Sockets that received out of order: the oldest make room. */
#define NR_TCP_HOL_STATES 16384

/*
 * Where segments cannot be told apart, data that waited behind a lost segment can only be guessed.
 */
static bool has_guess(const struct selection *selection, const struct plan *plan)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].is_fallback && selection->tasks[probe] &&
		    hooks[probes[probe].hook].has & HAS_READER)
			return !plan->include_hol_delay;
	return false;
}

static bool has_span(const struct selection *selection)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (selection->tasks[probe] && hooks[probes[probe].hook].has & HAS_SPAN &&
		    !(hooks[probes[probe].hook].has & HAS_SOCKET))
			return true;
	return false;
}

/* These maps hold what programs remember, and what they report besides times. */
static void leave_out_unused(__u32 sizes[NR_MAPS], const struct plan *plan,
			     const struct selection *selection)
{
	const __u32 *tasks = selection->tasks;
	const bool stores = tasks[PROBE_tcp_queue_rcv] & TASK_STORE;
	const struct {
		enum object_map map;
		bool is_used;
	} maps[] = {
		{ MAP_tcp_segments, stores },
		{ MAP_tcp_segments_passed, stores && plan->slow },
		{ MAP_tcp_times, (tasks[PROBE_tcp_cleanup_rbuf] | tasks[PROBE_tcp_sendmsg_locked] |
				  tasks[PROBE_inet_csk_complete_hashdance]) &
					 TASK_STORE },
		{ MAP_journey_passed, plan->slow },
		{ MAP_runs_of_cpus, notes_others(plan) },
		{ MAP_netstack_reader_waits, plan->reader_waits },
		{ MAP_netstack_answer_waits, plan->reader_waits },
		{ MAP_netstack_accept_waits, plan->reader_waits },
		{ MAP_netstack_softirq_waits, plan->reader_waits },
		{ MAP_netstack_failures, plan->reader_waits },
		{ MAP_netstack_upstreams, plan->reader_waits },
		{ MAP_softirq_others, plan->reader_waits },
		{ MAP_netstack_stacks, plan->stacks },
		{ MAP_netstack_stack_waits, plan->stacks },
		{ MAP_stack_at_wakeup, plan->stacks },
		{ MAP_stack_at_release, plan->stacks },
		{ MAP_spans_of_cpus, has_span(selection) },
		{ MAP_spans_of_readers, plan->wakeups },
		/* The packets that are on their way, with stages. */
		{ MAP_netstack_stage_drops, tasks[PROBE_kfree_skb] & TASK_FOLLOW },
		{ MAP_qdisc_drops, tasks[PROBE_kfree_skb] },
		{ MAP_netstack_slow_packets, plan->slow },
		{ MAP_netstack_slow_counts, plan->slow },
	};

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		if (!maps[i].is_used)
			sizes[maps[i].map] = 0;
}

/* Returns how many groups are cached in all. */
static unsigned int number_cached(struct config *programs, const struct selection *selection)
{
	unsigned int nr = 0;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (selection->tasks[probe] & TASK_COUNT) {
			programs->first_cached[probe] = nr;
			nr += NR_CACHED_GROUPS;
		}
	return nr;
}

/* Returns how many blocks of buckets there are, of which the first is nobody's. */
static unsigned int number_blocks(struct config *programs, const struct plan *plan,
				  const struct selection *selection)
{
	unsigned int last =
		stages_number(plan->followed, plan->hooks, plan->wakeups, programs->stage_blocks);

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (selection->tasks[probe] & TASK_COUNT)
			programs->probe_blocks[probe] = ++last;
	return last + 1;
}

/* Groups and stages have all times in their own buckets. */
static __u32 size_of_hook(enum hook hook, const struct plan *plan, const struct left_out *left_out)
{
	if (plan->group_by || plan->stages || !plan->hooks[hook] ||
	    !hook_is_attached(hook, left_out))
		return 0;
	return hook_nr_probes(hook) * NR_BUCKETS(plan->resolution);
}

void maps_size(__u32 sizes[NR_MAPS], struct config *programs, const struct plan *plan,
	       const struct selection *selection, const struct left_out *left_out)
{
	const unsigned int nr_blocks = plan->stages ? number_blocks(programs, plan, selection) : 0;
	const unsigned int nr_buckets = NR_BUCKETS(plan->resolution);

	for (enum object_map map = 0; map < NR_MAPS; map++)
		sizes[map] = AS_BUILT;
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		sizes[MAP_OF_HOOK(hook)] = size_of_hook(hook, plan, left_out);
	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		sizes[MAP_OF_FILTER(filter)] = filter_map_size(&plan->filters, filter);
	leave_out_unused(sizes, plan, selection);
	sizes[MAP_tcp_hol_states] = has_guess(selection, plan) ? NR_TCP_HOL_STATES : 0;
	sizes[MAP_netstack_groups] = plan->max_groups;
	sizes[MAP_netstack_group_latency] = plan->max_groups * nr_buckets;
	sizes[MAP_group_row_of] = plan->max_groups;
	sizes[MAP_group_recycled_rows] = plan->max_groups;
	sizes[MAP_group_cache] = plan->group_by ? number_cached(programs, selection) : 0;
	sizes[MAP_netstack_stage_latency] = plan->group_by ? 0 : nr_blocks;
}
