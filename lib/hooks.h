/* SPDX-License-Identifier: GPL-2.0 */
/* The hook table (hooks.def) as user space sees it. */
#ifndef NETSTACKLAT_HOOKS_H
#define NETSTACKLAT_HOOKS_H

#include <stdbool.h>

#include "../netstacklat.h"

struct hook_info {
	const char *name;    /* as users write it: tcp-do-rcv */
	const char *meaning; /* completes "the packet has ..." */
	const char *map;     /* the histogram map in the BPF object */
	unsigned int facts;  /* that are known there, a bit each */
};

struct fact_info {
	const char *name;   /* as a key to group by, and as a label; NULL if it is none */
	const char *option; /* that filters by it; NULL if there is none */
};

struct probe_info {
	enum hook hook;
	const char *function; /* of the kernel, and the name of the BPF program that counts */
};

extern const struct hook_info hooks[NR_HOOKS];
extern const struct probe_info probes[NR_PROBES];
extern const struct fact_info facts[NR_FACTS];

bool hook_knows(enum hook hook, enum fact fact);

/* How many probes a hook has: that many blocks of buckets are in its map. */
unsigned int hook_nr_probes(enum hook hook);

/*
 * Sets selected[] to value for each hook that pattern names: a hook's name, a kernel function of
 * it, or a shell pattern (fnmatch(3)) of either. Returns false if there is none.
 */
bool hooks_select(const char *pattern, bool value, bool selected[NR_HOOKS]);

/* Why each probe that was wanted is not attached; NULL for those that are. */
struct left_out {
	const char *why[NR_PROBES];
};

/* Whether any probe of the hook is attached. */
bool hook_is_attached(enum hook hook, const struct left_out *left_out);

#define HOOK_REASON_SIZE 256

/* "function: why, function: why" for what is left out of a hook; empty if nothing is. */
const char *hook_reason(enum hook hook, const struct left_out *left_out,
			char text[HOOK_REASON_SIZE]);

#endif
