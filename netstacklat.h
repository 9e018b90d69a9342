/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs and user space agree on, and nothing else: which hooks and probes there
 * are, the buckets of their histograms, what may be filtered and grouped by, and why a sample may
 * not be recorded.
 */
#ifndef NETSTACKLAT_H
#define NETSTACKLAT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum hook {
#define HOOK(id, ...) HOOK_##id,
#include "lib/tables/hooks.def"
	NR_HOOKS
};

/*
 * One for each place in the kernel. FIRST_PROBE_<hook> has the same number as the hook's first
 * probe: NUMBER_BEFORE_<hook> sets the enum back by one, so that the probe gets it again.
 */
enum probe {
#define HOOK(id, ...) FIRST_PROBE_##id, NUMBER_BEFORE_##id = FIRST_PROBE_##id - 1,
#define PROBE(hook, id, section) PROBE_##id,
#define HELPER(hook, id, section) PROBE_##id,
#include "lib/tables/hooks.def"
	NR_PROBES
};

/* What the programs of a hook have at hand; from that follows what is known there (facts.def). */
enum {
	HAS_SKB = 1 << 0, /* the packet, or what was kept of it */
	HAS_SOCKET = 1 << 1,
	HAS_PORT = 1 << 2,	/* a socket with a local port */
	HAS_QUEUE = 1 << 3,	/* the length of the socket's receive queue */
	HAS_PEER = 1 << 4,	/* a socket that is connected, to where the packet came from */
	HAS_READER = 1 << 5,	/* the task that reads: it runs the hook */
	HAS_ANY_STAMP = 1 << 6, /* one that may be a transmit time, up to local delivery */
	HAS_NEW_STAMP = 1 << 7, /* one of microseconds ago: no reader or lock was waited for */
	HAS_REASON = 1 << 8,	/* why the packet was dropped */
	HAS_SPAN = 1 << 9,	/* no packet, but how long a CPU took for something */
	HAS_POLL = 1 << 10,	/* how many packets it handled meanwhile */
};

/* Ways through the stack. A packet goes from hook to hook of one of them. */
enum {
	PATH_NONE = 0, /* on none of them, so that no stage begins or ends there */
	PATH_TCP = 1 << 0,
	PATH_UDP = 1 << 1,
	PATH_ICMP = 1 << 2, /* and raw sockets, which get copies */
	PATH_FORWARD = 1 << 3,
	PATH_ANY = PATH_TCP | PATH_UDP | PATH_ICMP | PATH_FORWARD,
};

/*
 * What a stage begins with: a hook, and the IP version of the packet that was there. 0 and 1 are
 * none.
 */
#define STAGE_FROM_BITS 6
#define NR_STAGE_FROMS (1 << STAGE_FROM_BITS)
#define STAGE_FROM(hook, is_ipv6) (((hook) + 1) << 1 | (is_ipv6))

/*
 * Where a packet was last and when, in one word, so that no other CPU sees one without the other:
 * ns since boot, and what a stage from there begins with. 0 is nowhere, and so is 1, for IPv6.
 */
#define LAST_HOOK(now_ns, from) ((now_ns) << STAGE_FROM_BITS | (from))
#define LAST_HOOK_NS(last) ((last) >> STAGE_FROM_BITS)
#define LAST_HOOK_FROM(last) ((last) & (NR_STAGE_FROMS - 1))

/*
 * What a packet's reader does while the packet is in its queue, as parts of the stage that ends
 * with the read: they are numbered behind the hooks.
 */
enum reader_part {
	PART_ASLEEP = NR_HOOKS, /* until it is woken */
	PART_READY,		/* until it gets a CPU */
	PART_RUNNING,		/* until it reads */
	END_OF_PARTS,
};
_Static_assert(STAGE_FROM(END_OF_PARTS, 0) <= NR_STAGE_FROMS,
	       "a number for each hook and part, and IP version");

/*
 * An octave is (2^(i-1), 2^i] ns, up to 2^34 ns (17 s). A resolution of K splits it into 2^K
 * buckets of one width, or into one for each ns if it has fewer; 0 and 1 ns are in bucket 0, and
 * all above 2^34 ns is in the last one. So for K = 0, bucket 0 holds [0, 1] ns and bucket i holds
 * (2^(i-1), 2^i] ns. Right-closed, because the upper bound of a Prometheus bucket ("le") is.
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

/* What a packet's time at a hook is counted from. */
enum since { SINCE_STAMP, SINCE_HOOK, NR_SINCE };

/*
 * With stages and without groups, all buckets are in the map netstack_stage_latency instead, a
 * per-CPU array of blocks: NR_BUCKETS(resolution) of these, for each stage of a probe, and for what
 * comes to the probe in no stage. So one lookup finds both of a packet's histograms.
 */
struct bucket_pair {
	struct bucket since[NR_SINCE];
};
#define BLOCK_SIZE(resolution) (NR_BUCKETS(resolution) * sizeof(struct bucket_pair))

/* What may be known of a packet. */
enum fact {
#define FACT(id, ...) FACT_##id,
#include "lib/tables/facts.def"
	NR_FACTS
};

/*
 * What the programs are to do, in one word: facts to filter by and facts to group by, a bit each,
 * and the resolution of all histograms. The programs ask for the highest bit first (see
 * feature_is_on()), which is that of the first fact.
 */
#define FEATURE_RESOLUTION 7U
#define FEATURE_GROUP(fact) (1U << (3 + NR_FACTS - 1 - (fact)))
#define FEATURE_FILTER(fact) (FEATURE_GROUP(fact) << NR_FACTS)
_Static_assert(3 + 2 * NR_FACTS <= 32, "a bit each for grouping and filtering by each fact");

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/*
 * What filters compare with: the one value that passes. None of them can be zero: that is for more
 * than one value, which are in the map filter_<what>.
 */
struct filter_values {
	__u64 netns;
	__u32 ifindex; /* in that netns */
	__u32 pid;
	__u64 comm[COMM_SIZE / sizeof(__u64)];
	__u32 port;
	__u32 protocol; /* ETH_P_IP or ETH_P_IPV6, in network byte order */
	__u32 min_queue_length;
};

/* Map filter_ports, an array: a bit for each port. */
#define NR_PORTS 65536
#define PORTS_PER_WORD 64

/*
 * Whether a cgroup passes is found out once, as cgroups do not move, and kept in cgroup_verdicts,
 * at the last bits of its id: ~id if it passes, id if not. That is one word, which CPUs replace as
 * a whole. It is 0 at first, which is no cgroup's id, and again when user space has put another
 * cgroup into the map filter_cgroups.
 */
#define NR_CGROUP_VERDICTS 4096

/* In how many levels of cgroups programs look for what passes, from the root down. */
#define NR_CGROUP_LEVELS 64

/* Key of the map filter_interfaces, as interfaces are numbered by network namespace. */
struct interface_key {
	__u64 netns;
	__u64 ifindex;
};

/* Key of the map filter_remotes, a trie of prefixes; IPv4 addresses are ::ffff:a.b.c.d. */
struct remote_key {
	__u32 prefix_length;
	__u32 address[4]; /* in network byte order */
};

/*
 * What is kept of a packet at a function's entry for the program at return, a bit each. These are
 * asked for from the highest bit down, too.
 */
#define KEEP_REMOTE 4U
#define KEEP_PROTOCOL 2U
#define KEEP_IFINDEX 1U

/* What programs are to do that do not just count, a bit each. */
#define TASK_FORGET 16U	 /* the segments of a connection that ends */
#define TASK_FOLLOW 8U	 /* the packet's journey, to where it is counted */
#define TASK_KEEP 4U	 /* the packet, for the program at another function's return */
#define TASK_REMEMBER 2U /* since when: the segment's stamp, or when a softirq was raised */
#define TASK_COUNT 1U

/* What the loader tells the programs, all in one place, so that they need its address once. */
struct config {
	__u32 features;
	__u32 keep;		/* KEEP_* */
	__u32 tasks[NR_PROBES]; /* TASK_* */
	__u8 include_hol_delay;
	__u8 wakeups;	       /* whether to tell the parts of what waits for a reader */
	__u8 netns_has_cookie; /* whether user space knows network namespaces by their cookies */
	struct filter_values filter;
	/* Blocks of buckets of stages in their map, from 1 on; 0 if packets do not go this way. */
	__u16 stage_blocks[NR_PROBES][NR_STAGE_FROMS];
	__u16 probe_blocks[NR_PROBES]; /* likewise, of what comes to a probe in no stage */
};

/*
 * A row of the histograms of groups. Each belongs to one program and one CPU, so that plain
 * increments are enough. Members that are not grouped by are zero.
 */
struct group_key {
	__u64 netns; /* see packet_netns() */
	__u64 cgroup;
	__u64 started_ns; /* the process that is pid, since boot, in units of 65.5 us */
	__u32 ifindex;
	__u32 pid;
	__u32 reason; /* see drop.bpf.h */
	__u16 cpu;
	__u16 port;
	__u8 ip_version;
	__u8 probe;
	__u8 stage_from; /* STAGE_FROM(), or 0: it counts from the stamp */
	__u8 unused;
	__u32 packets; /* of a poll */
	char comm[COMM_SIZE];
};

/* Map netstack_groups: what the row is of. Map netstack_group_latency has its buckets. */
struct group_row {
	struct group_key key;
	char comm[COMM_SIZE]; /* of the process that key.pid is, when first seen */
	__u64 in_use;
};

#define NO_ROW (~0U)

/* What packets are told of one by one. */
struct slow_config {
	__u64 least_ns; /* those that are as slow as this; 0: all, as often as they are seen */
	__u64 gap_ns;	/* between two of them, on average */
};

/*
 * A journey: hooks that a packet passed before it was queued, each at the place that it has on any
 * path, as the programs' words for a hook and when the packet was there. What is older than the
 * first is another packet's, and so is everything if that is 0.
 */
#define NR_PASSED 5
struct passed {
	__u64 at[NR_PASSED];
};

/* From the network header on. */
#define SLOW_BYTES 128

/* Who had a CPU, and how long without a break. */
struct slow_other {
	__u64 ran_ns;
	__u32 pid;
	__u32 tid; /* 0: the CPU was idle */
	char comm[COMM_SIZE];
};

/* A packet that is slow, in the ring buffer netstack_slow_packets. What is not known is zero. */
struct slow_packet {
	__u64 time_ns; /* wall clock, since 1970 */
	__u64 latency_ns;
	__u64 netns; /* as in struct group_key */
	__u64 cgroup;
	__u64 skb;	      /* its address */
	__u64 now_ns;	      /* with stages: since boot */
	struct passed passed; /* likewise */
	/* Of a TCP segment instead: the lower halves of times, as all pass the same hooks. */
	__u32 segment_ns[NR_PASSED];
	__u64 before; /* the hook before, as these words */
	/* With --wakeups: the last time that the reader slept, and who had the CPU that it got. */
	__u64 slept_ns;
	__u64 woken_ns;
	__u64 running_ns;
	struct slow_other other;
	__u32 ifindex;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__s32 queue_length; /* -1: not known */
	__u32 reason;	    /* to drop it */
	__u32 nr_bytes;	    /* that are true; 0: what follows is the socket's */
	__be32 saddr[4];    /* IPv4: in the first */
	__be32 daddr[4];
	__be16 sport;
	__be16 dport;
	__u16 family;
	__u16 protocol;
	__be16 ethertype; /* of bytes */
	__u8 probe;
	__u8 is_stamped; /* whether its receive stamp says how slow it is */
	char comm[COMM_SIZE];
	__u8 bytes[SLOW_BYTES];
};

/* Packets that are slow, by what became of them. */
enum slow_count { SLOW_TOLD, SLOW_LIMITED, SLOW_NO_ROOM, NR_SLOW_COUNTS };

/* A power of two, and of pages: for 2000 packets and more. */
#define SLOW_RING_SIZE (1 << 20)

/* Why a sample was not recorded. */
enum discard {
#define DISCARD(id, name, meaning) DISCARD_##id,
#include "lib/tables/discards.def"
	NR_DISCARDS
};

/* Map netstack_discards, a per-CPU array of __u64 counts: NR_DISCARDS for each probe. */
#define NR_DISCARD_COUNTS (NR_PROBES * NR_DISCARDS)

/*
 * In the object for ebpf_exporter: the key of both maps, cut into labels as lib/cli/ebpf_exporter.c
 * tells it. The slot is an octave, or that of the sum behind them; or the cause of a discard.
 */
struct exporter_key {
	__u16 probe;
	__u16 slot;
};

#define EXPORTER_SUM_SLOT NR_BUCKETS(0)

_Static_assert(sizeof(struct group_key) == 48 + COMM_SIZE, "no padding is hashed with the keys");
_Static_assert(sizeof(struct bucket) == 16, "the maps' readers sum values as pairs of __u64");

#endif
