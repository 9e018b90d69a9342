// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/selection.h"

#include <stddef.h>
#include <string.h>

#include "lib/counts/stages.h"

/* A program does these for itself: no other one needs them. */
#define TASKS_OF_ITS_OWN (TASK_COUNT | TASK_FOLLOW)
/* Others read or forget what these remember. */
#define TASKS_OF_MEMORY (TASK_STORE | TASK_REMEMBER)

static bool is_there(const struct selection *selection, const struct left_out *left_out,
		     enum probe probe)
{
	return selection->targets[probe] && !left_out->why[probe];
}

/* One of two functions for an IP version each is enough, as kernels may be without IPv6. */
static bool has_twin(enum probe probe)
{
	return probes[probe].ip != IP_ANY;
}

/* Returns whether a probe is left out without which this one is of no use. */
static bool lacks_others(const struct selection *selection, const struct left_out *left_out,
			 enum probe probe)
{
	bool needs_twin = false, has_any_twin = false;

	for (unsigned int i = 0; i < nr_probe_needs; i++) {
		const struct probe_need *need = &probe_needs[i];
		bool found = is_there(selection, left_out, need->other);

		if (need->probe != probe || need->when != ALWAYS)
			continue;
		if (!has_twin(need->other) && !found)
			return true;
		needs_twin |= has_twin(need->other);
		has_any_twin |= has_twin(need->other) && found;
	}
	return needs_twin && !has_any_twin;
}

static bool needs_storage(enum probe probe)
{
	for (unsigned int i = 0; i < nr_probe_needs; i++)
		if (probe_needs[i].probe == probe && probe_needs[i].task == TASK_STORE)
			return true;
	return false;
}

/* Why a probe cannot be used on this kernel, or NULL. */
static const char *find_obstacle(const struct selection *selection, const struct left_out *left_out,
				 enum probe probe)
{
	if (!selection->targets[probe])
		return "this kernel has no such function, or inlined it";
	if (needs_storage(probe) && !selection->has_sk_storage)
		return "before Linux 5.11, programs cannot keep times with a socket";
	if (lacks_others(selection, left_out, probe))
		return "it takes the program at another function, too, which is left out";
	return NULL;
}

/*
 * Returns whether the probe that it stands in for, which is the one above it in the table, can be
 * used.
 */
static bool has_better(const struct left_out *left_out, enum probe fallback)
{
	return !left_out->why[fallback - 1];
}

static void leave_out(const struct selection *selection, const struct plan *plan,
		      struct left_out *left_out)
{
	const bool *hooks = plan->stages ? plan->followed : plan->hooks;
	const char **why = left_out->why;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (hooks[probes[probe].hook] && !probes[probe].is_helper && !why[probe])
			why[probe] = find_obstacle(selection, left_out, probe);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].is_fallback && (!why[probe] || !*why[probe]))
			why[probe] = has_better(left_out, probe) ? NOT_NEEDED : NULL;
}

/*
 * Selects the programs that the selected ones need. What these do for others takes no more
 * programs.
 */
static void select_others(struct selection *selection, const struct plan *plan,
			  const struct left_out *left_out)
{
	__u32 *tasks = selection->tasks, own[NR_PROBES];

	memcpy(own, tasks, sizeof(own));
	for (unsigned int i = 0; i < nr_probe_needs; i++) {
		const struct probe_need *need = &probe_needs[i];

		if (own[need->probe] && (need->when != WITH_HOL_DELAY || plan->include_hol_delay) &&
		    is_there(selection, left_out, need->other))
			tasks[need->other] |= need->task;
	}
}

/* Returns whether a stage can begin at this hook and end at one that packets are followed to. */
static bool begins_stages(const struct plan *plan, enum hook from)
{
	for (enum hook to = 0; plan->stages && to < NR_HOOKS; to++)
		if (plan->followed[to] && stage_is_possible(from, to))
			return true;
	return false;
}

/* Returns whether a run takes this helper, although no probe needs it. */
static bool wants_helper(const struct plan *plan, enum probe probe)
{
	switch (probes[probe].when) {
	case WITH_WAKEUPS:
		return plan->wakeups;
	case WITH_READER_WAITS:
		return plan->reader_waits;
	case WITH_ITS_HOOK:
		return plan->stages && plan->followed[probes[probe].hook];
	default:
		return false;
	}
}

static __u32 tasks_of(const struct selection *selection, const struct plan *plan,
		      const struct left_out *left_out, enum probe probe)
{
	enum hook hook = probes[probe].hook;
	__u32 tasks = 0;

	if (probes[probe].is_helper)
		return wants_helper(plan, probe) && is_there(selection, left_out, probe)
			       ? TASK_FOLLOW
			       : 0;
	/* Journeys begin there, even if nothing is counted there. */
	if (hooks[hook].journey == JOURNEY_BEGINS && begins_stages(plan, hook) &&
	    is_there(selection, left_out, probe))
		tasks |= TASK_FOLLOW;
	if (hooks[hook].has & HAS_REASON && plan->drops && is_there(selection, left_out, probe))
		tasks |= TASK_FOLLOW;
	if (!left_out->why[probe] && plan->hooks[hook])
		tasks |= TASK_COUNT;
	if (!left_out->why[probe] && plan->stages && plan->followed[hook])
		tasks |= TASK_FOLLOW;
	return tasks;
}

/* Returns whether a need's other program remembers something for it. */
static bool is_remembered(const struct selection *selection, const struct probe_need *need)
{
	return selection->tasks[need->probe] &&
	       selection->tasks[need->other] & need->task & TASKS_OF_MEMORY;
}

/*
 * A program that remembers has its turn behind those that it remembers for. No two remember for
 * each other.
 */
static void order(struct selection *selection)
{
	unsigned int *turns = selection->turns;
	bool is_done;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		turns[probe] = !!(selection->tasks[probe] & TASKS_OF_MEMORY);
	do {
		is_done = true;
		for (unsigned int i = 0; i < nr_probe_needs; i++) {
			const struct probe_need *need = &probe_needs[i];

			if (!is_remembered(selection, need) ||
			    turns[need->other] > turns[need->probe])
				continue;
			turns[need->other] = turns[need->probe] + 1;
			is_done = false;
		}
	} while (!is_done);
}

void selection_make(struct selection *selection, const struct plan *plan, struct left_out *left_out)
{
	leave_out(selection, plan, left_out);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		selection->tasks[probe] = tasks_of(selection, plan, left_out, probe);
	select_others(selection, plan, left_out);
	order(selection);
}

/* Returns whether the program of one does the work of the other, too. */
static bool is_shared(const __u32 tasks[NR_PROBES], const struct probe_share *share)
{
	return tasks[share->probe] & tasks[share->other] & TASK_COUNT;
}

bool selection_loads(const __u32 tasks[NR_PROBES], enum probe probe)
{
	for (unsigned int i = 0; i < nr_probe_shares; i++)
		if (probe_shares[i].probe == probe && is_shared(tasks, &probe_shares[i]))
			return false;
	return tasks[probe];
}

/* Returns whether a probe's program does something that another probe needs. */
static bool is_needed(const struct selection *selection, const struct left_out *left_out,
		      const struct probe_need *need, enum probe probe)
{
	return need->other == probe && need->when == ALWAYS &&
	       need->task & selection->tasks[probe] &&
	       (!has_twin(probe) || lacks_others(selection, left_out, need->probe));
}

/* Returns whether there are any. */
static bool leave_out_dependent(const struct selection *selection, enum probe probe,
				const char *why, struct left_out *left_out)
{
	bool found = false;

	for (unsigned int i = 0; i < nr_probe_needs; i++)
		if (is_needed(selection, left_out, &probe_needs[i], probe)) {
			left_out->why[probe_needs[i].probe] = why;
			found = true;
		}
	return found;
}

void selection_refuse(const struct selection *selection, enum probe probe,
		      struct left_out *left_out)
{
	static const char *const why = "this kernel's verifier refuses the program";

	if (!leave_out_dependent(selection, probe, why, left_out))
		left_out->why[probe] = why;
}

void selection_give_up(const struct selection *selection, enum probe probe, const char *why,
		       struct left_out *left_out)
{
	left_out->why[probe] = why;
	leave_out_dependent(selection, probe, why, left_out);
	/* They are at the same function. */
	for (unsigned int i = 0; i < nr_probe_shares; i++)
		if (probe_shares[i].other == probe && is_shared(selection->tasks, &probe_shares[i]))
			left_out->why[probe_shares[i].probe] = why;
}

bool selection_has_changed(const struct selection *selection, const struct plan *plan,
			   struct left_out *left_out)
{
	struct selection now = *selection;

	selection_make(&now, plan, left_out);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (!left_out->why[probe] &&
		    (now.tasks[probe] != selection->tasks[probe] ||
		     selection_loads(now.tasks, probe) != selection_loads(selection->tasks, probe)))
			return true;
	return false;
}

bool selection_lacks_fallback(const struct selection *selection, const struct left_out *left_out)
{
	for (enum probe probe = 1; probe < NR_PROBES; probe++)
		if (probes[probe].is_fallback && selection->tasks[probe - 1] & TASKS_OF_ITS_OWN &&
		    left_out->why[probe - 1] && selection->targets[probe] &&
		    !selection->tasks[probe])
			return true;
	return false;
}
