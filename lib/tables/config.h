/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration that the loader hands to the programs: filters, groups, tasks. */
#ifndef NETSTACKLAT_CONFIG_H
#define NETSTACKLAT_CONFIG_H

#include "lib/tables/bucket.h"
#include "lib/tables/integers.h"
#include "lib/tables/stage.h"

/* Filters of packets. */
enum filter {
#define FILTER(id, ...) FILTER_##id,
#include "lib/tables/filters.def"
	NR_FILTERS
};

/* Keys by which they can be grouped. */
enum key {
#define KEY(id, ...) KEY_##id,
#include "lib/tables/keys.def"
	NR_KEYS
};

/* Members that are kept of a packet from a function's entry to its return. */
enum kept {
#define KEPT(id, ...) KEPT_##id,
#include "lib/tables/kept.def"
	NR_KEPT
};
#define KEEPS(id) (1U << KEPT_##id)

/* The tasks of a probe's program, a bit each. */
enum task {
	TASK_COUNT = 1 << 0,
	TASK_FOLLOW = 1 << 1,	/* the packet's journey, to where it is counted */
	TASK_KEEP = 1 << 2,	/* the packet, for a program that has less of it at hand */
	TASK_STORE = 1 << 3,	/* a time, with a socket: a segment's stamp, a read, a write */
	TASK_FORGET = 1 << 4,	/* the segments of a connection that ends */
	TASK_REMEMBER = 1 << 5, /* that a softirq was raised, a task read, a queue was full */
	NR_TASKS = 6
};

/*
 * Static branches: yes or no for all of a run. The loader writes the answer into each program
 * before the verifier sees it (lib/kernel/static_branches.h), so that no instruction is left of
 * what is off. A flag in memory would leave one for each: 12 with -c, 21 with -g interface,cgroup.
 * Branches of keys and BRANCH_SINCE_* may differ by probe.
 */
enum branch {
	BRANCH_HOL_DELAY,     /* TCP data that waited behind a lost segment counts, too */
	BRANCH_WAKEUPS,	      /* the parts of what waits for a reader are counted ... */
	BRANCH_READER_WAITS,  /* ... and why it waits is kept, for each process ... */
	BRANCH_STACKS,	      /* ... and in what code; ... */
	BRANCH_OTHERS,	      /* ... or with each slow packet: who ran instead */
	BRANCH_ALL_DROPS,     /* what is dropped counts without a receive stamp, too */
	BRANCH_BPF_LOOP,      /* the kernel has bpf_loop() */
	BRANCH_PREEMPT_COUNT, /* the kernel has it in a variable of each CPU ... */
	BRANCH_PCPU_HOT,      /* ... or in another one, with more (Linux 6.2 to 6.14) */
	BRANCH_CPUSTAT,	      /* the kernel's counts of what each CPU did can be read */
	BRANCH_NETNS_COOKIE,  /* user space knows network namespaces by their cookies */
	BRANCH_SINCE_STAMP,   /* a probe counts the time since the stamp ... */
	BRANCH_SINCE_HOOK,    /* ... and, with stages, since the hook before */
	BRANCH_FOLD_CLIENTS,  /* clients are in no group by port */
	BRANCH_SAMPLES,	      /* of many timely packets, samples are counted */
	BRANCH_SLOW,	      /* slow packets are reported one by one ... */
	BRANCH_TRACE,	      /* ... and all of them are taken to be slow */
	FIRST_FILTER_BRANCH,
	FIRST_KEY_BRANCH = FIRST_FILTER_BRANCH + NR_FILTERS,
	FIRST_KEPT_BRANCH = FIRST_KEY_BRANCH + NR_KEYS,
	FIRST_TASK_BRANCH = FIRST_KEPT_BRANCH + NR_KEPT,
	NR_BRANCHES = FIRST_TASK_BRANCH + NR_PROBES * NR_TASKS
};
#define BRANCH_FILTER(filter) (FIRST_FILTER_BRANCH + (filter))
#define BRANCH_KEY(key) (FIRST_KEY_BRANCH + (key))
#define BRANCH_KEPT(kept) (FIRST_KEPT_BRANCH + (kept))
#define BRANCH_TASK(probe, task) (FIRST_TASK_BRANCH + (probe)*NR_TASKS + __builtin_ctz(task))

/* A program compares with the sum of a branch's number and this, which no other constant equals. */
#define STATIC_BRANCH_MAGIC 0x4e530000

/*
 * Numbers for the kernel's variables, one of each CPU: a program uses the sum of both as its
 * address.
 */
enum kernel_variable { VARIABLE_PREEMPT_COUNT, VARIABLE_CPUSTAT, NR_VARIABLES };
#define VARIABLE_MAGIC 0x4e540000

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/*
 * The single values that filters compare with. None of them can be zero, which stands for more than
 * one value: these are in the map filter_<what>.
 */
struct filter_values {
	__u64 netns;
	__u32 ifindex; /* in that netns */
	__u32 pid;
	__u64 comm[COMM_SIZE / sizeof(__u64)];
	__u32 port;
	__u32 protocol;	 /* ETH_P_IP or ETH_P_IPV6, in network byte order */
	__u32 sequences; /* of enum sequence, a bit each */
	__u32 min_queue_length;
};

/* Map filter_ports, an array: a bit for each port. */
#define NR_PORTS 65536
#define PORTS_PER_WORD 64

/*
 * A cgroup is looked at once, as cgroups do not move, and its verdict kept in cgroup_verdicts, at
 * the last bits of its id: ~id if it passes, id if not. That is one word, which CPUs replace as a
 * whole. It is 0 at first, which is no cgroup's id, and again when user space has put another
 * cgroup into the map filter_cgroups.
 */
#define NR_CGROUP_VERDICTS 4096

/* Programs look for a match at so many levels of cgroups, from the root down. */
#define NR_CGROUP_LEVELS 64

/* Key of the map filter_interfaces. Interfaces are numbered by network namespace. */
struct interface_key {
	__u64 netns;
	__u64 ifindex;
};

/*
 * Key of the map filter_remotes, a trie of prefixes. The protocol is a part of each prefix, so that
 * ::/0 is of IPv6 alone. All but the length is in network byte order.
 */
struct remote_key {
	__u32 prefix_length; /* in bits, from the protocol on */
	__u32 protocol;	     /* ETH_P_IP or ETH_P_IPV6 */
	__u32 address[4];    /* that of IPv4 is the first; the rest is 0 */
};
#define REMOTE_PROTOCOL_BITS 32
#define REMOTE_KEY_BITS (REMOTE_PROTOCOL_BITS + 128)

/* So many groups of a probe are cached on each CPU, by the hook before. */
#define CACHED_GROUPS_BITS 7
#define NR_CACHED_GROUPS (1 << CACHED_GROUPS_BITS)

/* Numbers, all in one place, so that programs need its address once. */
struct config {
	__u32 resolution; /* of all histograms, see bucket.h */
	struct filter_values filter;
	__u32 first_folded_port; /* there may be clients from here on; see BRANCH_FOLD_CLIENTS */
	__u64 least_parts_ns;	 /* what waits for less for its reader is counted as a whole */
	__u64 timely_ns;	 /* what takes less is timely; see BRANCH_SAMPLES */
	/*
	 * The numbers of stages' blocks of buckets in their map, from 1 on; 0 if packets do not go
	 * this way.
	 */
	__u16 stage_blocks[NR_PROBES][NR_STAGE_FROMS];
	__u16 probe_blocks[NR_PROBES]; /* likewise, of what comes to a probe in no stage */
	/* The first of NR_CACHED_GROUPS, of those that count. */
	__u16 first_cached[NR_PROBES];
};

/* The packets that are reported one by one. */
struct slow_config {
	__u64 least_ns; /* those that are as slow as this; 0: all, as often as they are seen */
	__u64 gap_ns;	/* between two of them, on average */
};

/*
 * When the loader began to load and attach the programs, and when all was ready to measure, in ns
 * of the kernel's CLOCK_MONOTONIC. 0: not yet.
 */
struct startup {
	__u64 began_ns;
	__u64 ended_ns;
};

#endif
