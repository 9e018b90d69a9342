// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/selection.h"

#include <stddef.h>

/* Programs that keep something for that of another probe, which is of no use without. */
static const struct {
	enum probe probe;
	enum probe keeper;
	__u32 task;
} keepers[] = {
	{ PROBE_tcp_cleanup_rbuf, PROBE_tcp_queue_rcv, TASK_REMEMBER },
	{ PROBE_tcp_cleanup_rbuf, PROBE_tcp_disconnect, TASK_FORGET },
	{ PROBE_tcp_cleanup_rbuf, PROBE_tcp_v4_destroy_sock, TASK_FORGET },
	{ PROBE_softirq_entry, PROBE_softirq_raise, TASK_REMEMBER },
	{ PROBE___udp_enqueue_schedule_skb, PROBE_udp_queue_rcv_one_skb, TASK_KEEP },
	{ PROBE___udp_enqueue_schedule_skb, PROBE_udpv6_queue_rcv_one_skb, TASK_KEEP },
};
#define NR_KEEPERS (sizeof(keepers) / sizeof(*keepers))

static bool is_there(const struct selection *selection, const struct left_out *left_out,
		     enum probe probe)
{
	return selection->targets[probe] && !left_out->why[probe];
}

/* Whether all that do a task for a probe are left out: kernels may be without IPv6. */
static bool lacks_keepers(const struct selection *selection, const struct left_out *left_out,
			  enum probe probe)
{
	__u32 needed = 0, done = 0;

	for (size_t i = 0; i < NR_KEEPERS; i++) {
		if (keepers[i].probe != probe)
			continue;
		needed |= keepers[i].task;
		if (is_there(selection, left_out, keepers[i].keeper))
			done |= keepers[i].task;
	}
	return needed & ~done;
}

/* Why a probe cannot be used on this kernel, or NULL. */
static const char *find_obstacle(const struct selection *selection, const struct left_out *left_out,
				 enum probe probe)
{
	if (!selection->targets[probe])
		return "this kernel has no such function, or inlined it";
	if (probe == PROBE_tcp_cleanup_rbuf && !selection->has_sk_storage)
		return "before Linux 5.11, programs cannot keep the stamps of segments";
	if (lacks_keepers(selection, left_out, probe))
		return "it takes the program at another function, too, which is left out";
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

static void leave_out(const struct selection *selection, const struct wanted *wanted,
		      struct left_out *left_out)
{
	const bool *hooks = wanted->followed ? wanted->followed : wanted->hooks;
	const char **why = left_out->why;

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (hooks[probes[probe].hook] && !probes[probe].is_helper && !why[probe])
			why[probe] = find_obstacle(selection, left_out, probe);
	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		if (probes[probe].is_fallback && (!why[probe] || !*why[probe]))
			why[probe] = has_better(left_out, probe) ? NOT_NEEDED : NULL;
}

/* The other programs that the selected ones are of no use without. */
static void select_keepers(struct selection *selection, bool include_hol_delay,
			   const struct left_out *left_out)
{
	__u32 *tasks = selection->tasks;

	for (size_t i = 0; i < NR_KEEPERS; i++)
		if (tasks[keepers[i].probe] && is_there(selection, left_out, keepers[i].keeper))
			tasks[keepers[i].keeper] |= keepers[i].task;
	if (tasks[PROBE_tcp_cleanup_rbuf] && include_hol_delay &&
	    is_there(selection, left_out, PROBE_tcp_data_queue))
		tasks[PROBE_tcp_data_queue] |= TASK_REMEMBER;
}

/* Selects helpers, from one to another. */
static void follow(struct selection *selection, const struct left_out *left_out, enum probe first,
		   enum probe last)
{
	for (enum probe probe = first; probe <= last; probe++)
		if (is_there(selection, left_out, probe))
			selection->tasks[probe] = TASK_FOLLOW;
}

void selection_make(struct selection *selection, const struct wanted *wanted,
		    struct left_out *left_out)
{
	__u32 *tasks = selection->tasks;

	leave_out(selection, wanted, left_out);
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		enum hook hook = probes[probe].hook;

		tasks[probe] = 0;
		if (left_out->why[probe] || probes[probe].is_helper)
			continue;
		if (wanted->hooks[hook])
			tasks[probe] |= TASK_COUNT;
		if (wanted->followed && wanted->followed[hook])
			tasks[probe] |= TASK_FOLLOW;
	}
	/* All journeys begin there, be they counted or not. */
	if (wanted->followed && is_there(selection, left_out, PROBE_netif_receive_skb))
		tasks[PROBE_netif_receive_skb] |= TASK_FOLLOW;
	if (wanted->wakeups)
		follow(selection, left_out, PROBE_sched_waking, PROBE_sched_switch);
	/* Filters ask for the same there. */
	if (wanted->trace && wanted->hooks[HOOK_netif_receive])
		follow(selection, left_out, PROBE_net_dev_queue, PROBE_netif_rx);
	select_keepers(selection, wanted->include_hol_delay, left_out);
}

/* The probe that is of no use without the program of this one, which remembers or forgets for it.
 */
static enum probe remembers_for(const struct selection *selection, enum probe probe)
{
	if (probe == PROBE_softirq_raise)
		return PROBE_softirq_entry;
	return selection->tasks[probe] & (TASK_REMEMBER | TASK_FORGET) ? PROBE_tcp_cleanup_rbuf
								       : probe;
}

void selection_refuse(const struct selection *selection, enum probe probe,
		      struct left_out *left_out)
{
	left_out->why[remembers_for(selection, probe)] =
		"this kernel's verifier refuses the program";
}

void selection_give_up(const struct selection *selection, enum probe probe, const char *why,
		       struct left_out *left_out)
{
	left_out->why[probe] = why;
	left_out->why[remembers_for(selection, probe)] = why;
	if (lacks_keepers(selection, left_out, PROBE___udp_enqueue_schedule_skb))
		left_out->why[PROBE___udp_enqueue_schedule_skb] = why;
}
