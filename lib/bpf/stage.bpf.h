/* SPDX-License-Identifier: GPL-2.0 */
/* Counts how long packets took from the hook before, for BPF programs. */
#ifndef NETSTACKLAT_STAGE_BPF_H
#define NETSTACKLAT_STAGE_BPF_H

#include "lib/bpf/journey.bpf.h"
#include "lib/bpf/wakeup.bpf.h"

/* Packets by probe of which the hook before is not known. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_PROBES);
	__type(key, __u32);
	__type(value, __u64);
} netstack_unpaired SEC(".maps");

static __noinline int stage_is_unpaired(enum probe probe)
{
	__u32 key = probe;
	__u64 *count = bpf_map_lookup_elem(&netstack_unpaired, &key);

	if (count)
		(*count)++;
	return 0;
}

#endif
