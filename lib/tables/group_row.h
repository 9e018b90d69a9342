/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of groups, as the programs write and user space reads them. */
#ifndef NETSTACKLAT_GROUP_ROW_H
#define NETSTACKLAT_GROUP_ROW_H

#include "lib/tables/config.h"

/*
 * A row of the histograms of groups. Each belongs to one program and one CPU, so that plain
 * increments are enough. Members that are not grouped by are zero.
 */
struct group_key {
	__u64 netns; /* see packet_netns() */
	__u64 cgroup;
	__u64 socket;	  /* its cookie */
	__u64 started_ns; /* the process that is pid, since boot, in units of 65.5 us */
	__u32 ifindex;
	__u32 pid;
	__u32 tid;
	__u8 limit;	 /* enum tcp_limit */
	__u8 retransmit; /* enum retransmit */
	__u8 unused[2];
	__u32 reason; /* see drop.bpf.h */
	__u16 cpu;
	__u16 port;
	__u8 ip_version;
	__u8 probe;
	__u8 stage_from; /* STAGE_FROM(), or FROM_STAMP */
	__u8 sequence;	 /* enum sequence */
	__u32 packets;	 /* of a poll */
	char comm[COMM_SIZE];
};

/* The two ends of a socket, in network byte order. An IPv4 address is the first word. */
struct socket_addresses {
	__u32 local[4], remote[4];
	__u16 local_port, remote_port;
	__u16 family; /* 0: not known */
	__u16 unused;
};

/* Map netstack_groups: what the row is of. Its buckets are in the map netstack_group_latency. */
struct group_row {
	struct group_key key;
	char comm[COMM_SIZE]; /* of the process or thread that the key names, when first seen */
	struct socket_addresses addresses; /* of the socket, likewise */
	__u64 in_use;
};

/* More rows than programs take at one time. No more are kept free, as each takes a system call. */
#define FREE_ROWS 256

#define NO_ROW (~0U)

_Static_assert(sizeof(struct group_key) == 64 + COMM_SIZE, "no padding is hashed with the keys");

#endif
