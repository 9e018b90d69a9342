/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that come to a hook, and are not known from any hook before, for BPF programs. */
#ifndef NETSTACKLAT_STAGE_BPF_H
#define NETSTACKLAT_STAGE_BPF_H

#include "lib/bpf/kernel/features.bpf.h"

/* There is one of each probe. */
MAP(WITH_STAGES, netstack_unpaired, __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NR_PROBES); __type(key, __u32); __type(value, __u64););

static __noinline int count_unpaired(enum probe probe)
{
	__u32 key = probe;
	__u64 *count = bpf_map_lookup_elem(&netstack_unpaired, &key);

	if (count)
		(*count)++;
	return 0;
}

#endif
