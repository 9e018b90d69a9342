// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF object: a histogram map for each hook, and a program for each probe, of the table in
 * lib/hooks.def. What the programs do is in lib/record.bpf.h.
 */
#include "vmlinux_local.h"
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "netstacklat.h"
#include "lib/record.bpf.h"

/* The loader sets max_entries: NR_BUCKETS for each probe. */
#define HOOK(id, ...)                                    \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__type(key, __u32);                      \
		__type(value, struct bucket);            \
	} netstack_latency_##id##_seconds SEC(".maps");
#include "lib/hooks.def"

#define PROBE(hook, function, ...)                                                  \
	SEC("fentry/" #function)                                                    \
	int BPF_PROG(function, __VA_ARGS__)                                         \
	{                                                                           \
		return record(&netstack_latency_##hook##_seconds,                   \
			      (PROBE_##function - FIRST_PROBE_##hook) * NR_BUCKETS, \
			      PROBE_##function, skb);                               \
	}
#include "lib/hooks.def"

/* The kernel lends its GPL-only helpers to GPL programs only. */
char LICENSE[] SEC("license") = "GPL";
