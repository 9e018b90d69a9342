/* SPDX-License-Identifier: GPL-2.0 */
/* What the hook table says of a probe, for BPF programs. All of it is constant to the compiler. */
#ifndef NETSTACKLAT_HOOK_BPF_H
#define NETSTACKLAT_HOOK_BPF_H

#include "lib/bpf/features.bpf.h"

#if !FOR_EBPF_EXPORTER
/* The loader sets max_entries: NR_BUCKETS(resolution) for each probe. */
#define HOOK(id, ...)                                    \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1);                  \
		__type(key, __u32);                      \
		__type(value, struct bucket);            \
	} netstack_latency_##id##_seconds SEC(".maps");
#include "lib/tables/hooks.def"

static __always_inline void *hook_latency_map(enum hook hook)
{
	switch (hook) {
#define HOOK(id, ...)   \
	case HOOK_##id: \
		return &netstack_latency_##id##_seconds;
#include "lib/tables/hooks.def"
	default:
		return NULL;
	}
}
#endif

/* HAS_*, a bit each. */
static __always_inline __u32 hook_has(enum hook hook)
{
	switch (hook) {
#define HOOK(id, name, default, paths, has, ...) \
	case HOOK_##id:                          \
		return has;
#include "lib/tables/hooks.def"
	default:
		return 0;
	}
}

/* PATH_*, a bit each. */
static __always_inline __u32 hook_paths(enum hook hook)
{
	switch (hook) {
#define HOOK(id, name, default, paths, ...) \
	case HOOK_##id:                     \
		return paths;
#include "lib/tables/hooks.def"
	default:
		return 0;
	}
}

static __always_inline enum hook probe_hook(enum probe probe)
{
	switch (probe) {
#define PROBE(hook, id, ...) \
	case PROBE_##id:     \
		return HOOK_##hook;
#define HELPER(hook, id, section) PROBE(hook, id, section)
#include "lib/tables/hooks.def"
	default:
		return NR_HOOKS;
	}
}

/* Which of the blocks of buckets in its hook's map is the probe's. */
static __always_inline __u32 probe_block(enum probe probe)
{
	switch (probe_hook(probe)) {
#define HOOK(id, ...)   \
	case HOOK_##id: \
		return probe - FIRST_PROBE_##id;
#include "lib/tables/hooks.def"
	default:
		return 0;
	}
}

#endif
