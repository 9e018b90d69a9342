/* SPDX-License-Identifier: GPL-2.0 */
/* One value for each CPU, for BPF programs. */
#ifndef NETSTACKLAT_PER_CPU_BPF_H
#define NETSTACKLAT_PER_CPU_BPF_H

#include "lib/bpf/kernel/features.bpf.h"

#define PER_CPU_VALUE(feature, name, value_type)                                            \
	MAP(feature, name, __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); \
	    __type(key, __u32); __type(value, value_type);)

/* This CPU's; the verifier wants to see a look whether it is NULL. */
static __always_inline void *per_cpu_value(void *map)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(map, &key);
}

#endif
