/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs and user space agree on, and nothing else: which hooks and probes there
 * are, the buckets of their histograms, and why a sample may not be in them.
 */
#ifndef NETSTACKLAT_H
#define NETSTACKLAT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum hook {
#define HOOK(id, ...) HOOK_##id,
#include "lib/hooks.def"
	NR_HOOKS
};

/*
 * One per kernel function. FIRST_PROBE_<hook> equals the first of that hook: it takes that number,
 * and stepping back to the number before lets the probe that follows take it again.
 */
enum probe {
#define HOOK(id, ...) FIRST_PROBE_##id, BEFORE_PROBES_OF_##id = FIRST_PROBE_##id - 1,
#define PROBE(hook, kind, function, ...) PROBE_##function,
#include "lib/hooks.def"
	NR_PROBES
};

/*
 * An octave is (2^(i-1), 2^i] ns, up to 2^34 ns (17 s). A resolution of K splits it into 2^K
 * buckets of one width, or as many as it holds whole ns; 0 and 1 ns are in bucket 0, and all above
 * 2^34 ns is in the last one. So for K = 0, bucket 0 holds [0, 1] ns and bucket i holds (2^(i-1),
 * 2^i] ns. Right-closed, because the upper bound of a Prometheus bucket ("le") is.
 */
#define NR_OCTAVES 34
#define NR_BUCKETS(resolution) (((NR_OCTAVES + 1 - (resolution)) << (resolution)) + 1)
#define MAX_RESOLUTION 4
#define MAX_BUCKETS NR_BUCKETS(MAX_RESOLUTION)

/*
 * Map netstack_latency_<hook>_seconds, a per-CPU array: NR_BUCKETS(resolution) of these for each
 * probe of the hook. The sum in each bucket gives a true mean, which counts alone cannot.
 */
struct bucket {
	__u64 count;
	__u64 sum_ns;
};

/* What may be known of a packet. */
enum fact {
#define FACT(id, ...) FACT_##id,
#include "lib/facts.def"
	NR_FACTS
};

/*
 * What the programs are to do, in one word: the resolution of all histograms, and the facts to
 * group and to filter by, a bit each.
 */
#define FEATURE_RESOLUTION 7U
#define FEATURE_GROUP(fact) (1U << (3 + (fact)))
#define FEATURE_FILTER(fact) (1U << (3 + NR_FACTS + (fact)))
_Static_assert(3 + 2 * NR_FACTS < 32, "a bit each for grouping and filtering by each fact");

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/*
 * A set of numbers is one value: the only number in it or, if there are more, ~ of the lowest one.
 * Then there is a map, an array of words of 64 bits, whose first bit stands for the lowest number.
 */
#define SET_WORD_BITS 64
#define SET_HAS_MAP(set) ((set) < 0)
#define SET_LOWEST(set) (~(set))

/* What filters compare with, besides the maps filter_*. */
struct filter_values {
	__s64 netns; /* these are sets; filter_netns has a value for each from the lowest on */
	__s64 interface;
	__s64 port;
	__s64 pid;
	__u64 comm[COMM_SIZE / sizeof(__u64)]; /* if there is but one, and no map */
	__u32 interface_words; /* of the set of interfaces of each network namespace */
	__u32 min_queue_length;
	__u32 protocol; /* ETH_P_IP or ETH_P_IPV6, in network byte order */
};

/* What the loader tells the programs, all in one place, so that they need its address once. */
struct config {
	__u32 features;
	__u8 include_hol_delay;
	__u8 netns_has_cookie; /* whether user space knows network namespaces by their cookies */
	struct filter_values filter;
};

/*
 * A row of the histograms of groups. Each belongs to one program and one CPU, so that plain
 * increments are enough. What is not grouped by is zero.
 */
struct group_key {
	__u64 netns; /* its cookie, or its inode number before Linux 5.14 */
	__u64 cgroup;
	__u32 ifindex;
	__u32 pid;
	__u32 cpu;
	__u16 port;
	__u8 ip_version;
	__u8 probe;
	char comm[COMM_SIZE];
};

/* Map netstack_groups: what the row is of. Map netstack_group_latency has its buckets. */
struct group_row {
	struct group_key key;
	char comm[COMM_SIZE]; /* of the process that key.pid is, when first seen */
	__u64 in_use;
};

#define NO_ROW (~0U)

/* Why a sample was not recorded. */
enum discard {
#define DISCARD(id, ...) DISCARD_##id,
#include "lib/discards.def"
	NR_DISCARDS
};

/* Map netstack_discards, a per-CPU array of __u64 counts: NR_DISCARDS for each probe. */
#define NR_DISCARD_COUNTS (NR_PROBES * NR_DISCARDS)

_Static_assert(sizeof(struct group_key) == 32 + COMM_SIZE, "no padding is hashed with the keys");
_Static_assert(sizeof(struct bucket) == 16, "the maps' readers sum values as pairs of __u64");

#endif
