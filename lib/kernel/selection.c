// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/selection.h"

#include <stddef.h>

/* Why a probe cannot be used on this kernel, or NULL. */
static const char *find_obstacle(const struct selection *selection, const struct left_out *left_out,
				 enum probe probe)
{
	if (!selection->targets[probe])
		return "this kernel has no such function, or inlined it";
	if (probe != PROBE_tcp_cleanup_rbuf)
		return NULL;
	/* It reads what the program at tcp_queue_rcv() keeps. */
	if (!selection->has_sk_storage)
		return "before Linux 5.11, programs cannot keep the stamps of segments";
	if (!selection->targets[PROBE_tcp_queue_rcv] || left_out->why[PROBE_tcp_queue_rcv])
		return "it takes the program at tcp_queue_rcv(), too";
	return NULL;
}

/* Whether any other probe of its hook can be used. */
static bool has_better(const struct left_out *left_out, enum probe fallback)
{
	for_each_probe_of(probes[fallback].hook, probe)
		if (!probes[probe].is_fallback && !left_out->why[probe])
			return true;
	return false;
}

static void leave_out(const struct selection *selection, const bool hooks[NR_HOOKS],
		      struct left_out *left_out)
{
	const char **why = left_out->why;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (hooks[probes[probe].hook] && !why[probe])
			why[probe] = find_obstacle(selection, left_out, probe);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].is_fallback && (!why[probe] || !*why[probe]))
			why[probe] = has_better(left_out, probe) ? NOT_NEEDED : NULL;
}

void selection_make(struct selection *selection, const bool hooks[NR_HOOKS], bool include_hol_delay,
		    struct left_out *left_out)
{
	const char **why = left_out->why;
	__u32 *tasks = selection->tasks;

	leave_out(selection, hooks, left_out);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		tasks[probe] = hooks[probes[probe].hook] && !why[probe] ? TASK_COUNT : 0;
	if (!tasks[PROBE_tcp_cleanup_rbuf])
		return;
	tasks[PROBE_tcp_queue_rcv] |= TASK_REMEMBER;
	if (include_hol_delay && selection->targets[PROBE_tcp_data_queue] &&
	    !why[PROBE_tcp_data_queue])
		tasks[PROBE_tcp_data_queue] |= TASK_REMEMBER;
}

void selection_refuse(const struct selection *selection, enum probe probe,
		      struct left_out *left_out)
{
	if (selection->tasks[probe] & TASK_REMEMBER)
		probe = PROBE_tcp_cleanup_rbuf;
	left_out->why[probe] = "this kernel's verifier refuses the program";
}

void selection_give_up(const struct selection *selection, enum probe probe, const char *why,
		       struct left_out *left_out)
{
	left_out->why[probe] = why;
	if (selection->tasks[probe] & TASK_REMEMBER)
		left_out->why[PROBE_tcp_cleanup_rbuf] = why;
}
