/* SPDX-License-Identifier: GPL-2.0 */
/* The hook table's lines of a hook and a probe, for BPF programs. All of it is constant to the
 * compiler. */
#ifndef NETSTACKLAT_HOOK_BPF_H
#define NETSTACKLAT_HOOK_BPF_H

#include "lib/bpf/kernel/features.bpf.h"
#include "lib/tables/bucket.h"

/* The loader sets max_entries: NR_BUCKETS(resolution) for each probe. */
#define HOOK(id, ...)                                         \
	MAP(FOR_NETSTACKLAT, netstack_latency_##id##_seconds, \
	    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);          \
	    __uint(max_entries, 1); __type(key, __u32); __type(value, struct bucket););
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

/* The columns that programs need. */
static const struct {
	__u32 has, paths;
	enum journey_place journey;
} hook_table[NR_HOOKS] = {
#define HOOK(id, name, default, paths, journey, has, ...) [HOOK_##id] = { has, paths, journey },
#include "lib/tables/hooks.def"
};

/* Sets of places where a packet may have been last: a bit for each PLACE(). */
#define PLACES(condition, hook) ((__u64) !!(condition) << PLACE(HOOK_##hook))
#define IN_PLACES(last, places) ((places) >> LAST_PLACE(last) & 1)

/* The packet is on its way out; ... */
static const __u64 places_sent = 0
#define HOOK(id, name, default, paths, journey, has, ...) | PLACES((has)&HAS_SENT, id)
#include "lib/tables/hooks.def"
	;
/* ... it is past the queue there; ... */
static const __u64 places_departed = 0
#define HOOK(id, name, default, paths, journey, has, ...) | PLACES((has)&HAS_DEPARTURE, id)
#include "lib/tables/hooks.def"
	;
/* ... or its way begins there, where its socket tells it from others, too. */
static const __u64 places_begin_sent = 0
#define HOOK(id, name, default, paths, journey, has, ...) \
	| PLACES((journey) == JOURNEY_BEGINS && (has)&HAS_SENT, id)
#include "lib/tables/hooks.def"
	;
/* It is at no protocol alone. */
static const __u64 places_of_ip = 0
#define HOOK(id, name, default, paths, journey, has, ...) \
	| PLACES((paths) == PATH_LOCAL || (paths) & (PATH_FORWARD | PATH_OUT), id)
#include "lib/tables/hooks.def"
	;
/* It is on its way through. */
static const __u64 places_forwarded = 0
#define HOOK(id, name, default, paths, journey, has, ...) | PLACES((paths) == PATH_FORWARD, id)
#include "lib/tables/hooks.def"
	;

static const struct {
	enum hook hook;
	__u32 block; /* of buckets in its hook's map */
	enum probe_ip ip;
} probe_table[NR_PROBES] = {
#define PROBE(hook, id, section, ip) \
	[PROBE_##id] = { HOOK_##hook, PROBE_##id - FIRST_PROBE_##hook, ip },
#define HELPER(hook, id, ...) PROBE(hook, id, "", IP_ANY)
#include "lib/tables/hooks.def"
};

static __always_inline __u32 probe_has(enum probe probe)
{
	return hook_table[probe_table[probe].hook].has;
}

static __always_inline enum journey_place probe_journey(enum probe probe)
{
	return hook_table[probe_table[probe].hook].journey;
}

static __always_inline bool is_asked_for(enum probe probe, enum task task)
{
	return static_branch(BRANCH_TASK(probe, task));
}

/* Returns whether the program is not there for others alone. */
static __always_inline bool is_measured(enum probe probe)
{
	return is_asked_for(probe, TASK_COUNT) || is_asked_for(probe, TASK_FOLLOW);
}

#endif
