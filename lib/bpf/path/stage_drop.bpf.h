/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that are dropped on their way from hook to hook, for BPF programs. */
#ifndef NETSTACKLAT_STAGE_DROP_BPF_H
#define NETSTACKLAT_STAGE_DROP_BPF_H

#include "lib/bpf/kernel/features.bpf.h"
#include "lib/tables/stage.h"

/* No key is ever deleted, and the loader adds the key that counts drops without room. */
MAP(WITH_STAGES, netstack_stage_drops, __uint(type, BPF_MAP_TYPE_PERCPU_HASH);
    __uint(max_entries, NR_STAGE_DROPS); __type(key, struct stage_drop); __type(value, __u64););

static __always_inline __u64 *stage_drop_count(const struct stage_drop *drop)
{
	static const struct stage_drop no_room;
	const __u64 none = 0;
	__u64 *count = bpf_map_lookup_elem(&netstack_stage_drops, drop);

	if (count)
		return count;
	/* Another CPU may be faster. */
	bpf_map_update_elem(&netstack_stage_drops, drop, &none, BPF_NOEXIST);
	count = bpf_map_lookup_elem(&netstack_stage_drops, drop);
	return count ?: bpf_map_lookup_elem(&netstack_stage_drops, &no_room);
}

/*
 * A packet is dropped whose last hook was there, as of LAST_HOOK(). A CPU's backlog, and all before
 * it, is no hook. Segments were counted as the packet that they were.
 */
static __always_inline void stage_drop(__u64 last, __u32 reason)
{
	struct stage_drop drop = { .from = LAST_HOOK_FROM(last), .reason = reason };
	__u64 *count;

	if (LAST_PLACE(last) == PLACE(IS_SEGMENT))
		return;
	if (drop.from >= STAGE_FROM(NR_HOOKS, 0) || drop.from < STAGE_FROM(0, 0))
		drop.from = FROM_STAMP;
	/* All that is not IPv4 is taken for IPv6 there. */
	if (drop.from == STAGE_FROM(HOOK_netif_receive, 1))
		drop.from = STAGE_FROM(HOOK_netif_receive, 0);
	count = stage_drop_count(&drop);
	if (count)
		(*count)++;
}

#endif
