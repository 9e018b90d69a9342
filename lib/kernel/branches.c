// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/branches.h"

#include <string.h>

#include "lib/tables/attributes.h"

/* Members that programs at entry keep of packets, as filters and groups need them at return. */
static void ask_to_keep(bool on[NR_BRANCHES], unsigned int keeps)
{
	for (enum kept kept = 0; kept < NR_KEPT; kept++)
		on[BRANCH_KEPT(kept)] |= keeps & 1U << kept;
}

static void ask_for_attributes(bool on[NR_BRANCHES], const struct plan *plan)
{
	for (enum filter filter = 0; filter < NR_FILTERS; filter++) {
		if (!(plan->filters.active & 1U << filter))
			continue;
		on[BRANCH_FILTER(filter)] = true;
		ask_to_keep(on, filter_table[filter].keeps);
	}
	for (enum key key = 0; key < NR_KEYS; key++) {
		if (!(plan->group_by & 1U << key))
			continue;
		on[BRANCH_KEY(key)] = true;
		ask_to_keep(on, key_table[key].keeps);
	}
}

static void ask_for_tasks(bool on[NR_BRANCHES], const struct selection *selection)
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		for (unsigned int task = 1; task < 1U << NR_TASKS; task <<= 1)
			on[BRANCH_TASK(probe, task)] = selection->tasks[probe] & task;
}

bool notes_others(const struct plan *plan)
{
	return plan->wakeups && (plan->slow || plan->reader_waits);
}

void branches_find(bool on[NR_BRANCHES], const struct plan *plan, const struct selection *selection)
{
	memset(on, 0, NR_BRANCHES * sizeof(*on));
	on[BRANCH_HOL_DELAY] = plan->include_hol_delay;
	on[BRANCH_WAKEUPS] = plan->wakeups;
	on[BRANCH_READER_WAITS] = plan->reader_waits;
	on[BRANCH_STACKS] = plan->stacks;
	on[BRANCH_OTHERS] = notes_others(plan);
	on[BRANCH_ALL_DROPS] = plan->all_drops;
	on[BRANCH_SINCE_STAMP] = on[BRANCH_SINCE_HOOK] = true;
	on[BRANCH_FOLD_CLIENTS] = plan->first_folded_port;
	on[BRANCH_SAMPLES] = plan->timely_ns;
	on[BRANCH_SLOW] = plan->slow;
	on[BRANCH_TRACE] = plan->trace;
	ask_for_attributes(on, plan);
	ask_for_tasks(on, selection);
}

/*
 * If the hook itself cannot have a key, it keeps something for another hook, which is grouped by
 * that.
 */
void branches_leave_out(bool on[NR_BRANCHES], const struct plan *plan, enum hook hook)
{
	for (enum key key = 0; key < NR_KEYS; key++)
		if (plan->keys_left_out[hook] & 1U << key && hook_can_group(hook, key))
			on[BRANCH_KEY(key)] = false;
	/*
	 * An interface comes with its namespace, so nobody needs to look for the namespace again.
	 */
	if (on[BRANCH_KEY(KEY_INTERFACE)] && hook_can_group(hook, KEY_INTERFACE))
		on[BRANCH_KEY(KEY_NETNS)] = false;
	if (plan->since_left_out[hook][SINCE_STAMP])
		on[BRANCH_SINCE_STAMP] = false;
	if (plan->since_left_out[hook][SINCE_HOOK])
		on[BRANCH_SINCE_HOOK] = false;
}
