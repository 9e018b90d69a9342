/* SPDX-License-Identifier: GPL-2.0 */
/* A slow packet, as the programs report it. */
#ifndef NETSTACKLAT_SLOW_PACKET_H
#define NETSTACKLAT_SLOW_PACKET_H

#include "lib/tables/config.h"

/*
 * A journey: the hooks that a packet has passed, in order, each as LAST_HOOK(), and 0 behind the
 * last. Further hooks are not kept.
 */
#define NR_PASSED 7
struct passed {
	__u64 at[NR_PASSED];
};

/* The bytes from the network header on. */
#define SLOW_BYTES 128

/* The task that had a CPU, or softirqs and interrupts, and for how long without a break. */
struct slow_other {
	__u64 ran_ns;
	__u32 pid;
	__u32 tid; /* 0: the CPU was idle; IS_SOFTIRQS: no task */
	char comm[COMM_SIZE];
};

#define IS_SOFTIRQS (~0U)

/* A packet that is slow, in the ring buffer netstack_slow_packets. What is not known is zero. */
struct slow_packet {
	__u64 time_ns; /* wall clock, since 1970 */
	__u64 latency_ns;
	__u64 netns; /* as in struct group_key */
	__u64 cgroup;
	__u64 skb;	      /* its address */
	__u64 now_ns;	      /* with stages: since boot; 0 without a journey */
	struct passed passed; /* likewise */
	__u64 before;	      /* the hook before, as these words */
	/*
	 * These come with --wakeups: when the reader last fell asleep; how long it was asleep, and
	 * ready, while the packet was in its queue; and who had the CPU that it then got.
	 */
	__u64 slept_ns;
	__u64 asleep_ns;
	__u64 ready_ns;
	struct slow_other other;
	__u32 asleep_in; /* ASLEEP_IN(), for the longest time */
	__u32 ifindex;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__s32 queue_length; /* -1: not known */
	__u32 reason;	    /* to drop it */
	__u32 nr_bytes;	    /* that are true; 0: what follows is the socket's */
	__u32 length;	    /* of the IP packet in the skb */
	__be32 saddr[4];    /* IPv4: in the first */
	__be32 daddr[4];
	__be16 sport;
	__be16 dport;
	__u16 family;
	__u16 protocol;
	__be16 ethertype; /* of bytes */
	__u8 probe;
	__u8 has_reader; /* whether it is known what the reader did */
	__u8 is_stamped; /* whether its receive stamp says how slow it is */
	char comm[COMM_SIZE];
	__u8 bytes[SLOW_BYTES];
};

/* Packets that are slow, by what became of them. */
enum slow_count { SLOW_REPORTED, SLOW_LIMITED, SLOW_NO_ROOM, NR_SLOW_COUNTS };

/* A power of two, and of pages: for 2000 packets and more. */
#define SLOW_RING_SIZE (1 << 20)

#endif
