/* SPDX-License-Identifier: GPL-2.0 */
/* Map netstack_upstreams: how long those take to answer whom a process asks, by TCP or by DNS. */
#ifndef NETSTACKLAT_UPSTREAM_H
#define NETSTACKLAT_UPSTREAM_H

#include "lib/tables/config.h"

/* The key of zeros is that of answers for which there was no room. */
struct upstream_key {
	__u64 netns;   /* as in struct group_key */
	__u32 pid;     /* of the process that asks; 0: not known, of a SYN */
	__u16 port;    /* of the peer, who is asked */
	__u8 protocol; /* IPPROTO_TCP or IPPROTO_UDP */
	__u8 is_ipv6;
	__u32 address[4]; /* of the peer, as in struct remote_key */
};

/*
 * An answer counts from the last write before it until its first segment is queued or, by DNS,
 * until the datagram has its stamp.
 */
struct upstream_answers {
	__u64 count;
	__s64 unanswered; /* SYNs; or questions by DNS, less those of the watch before */
	__u64 ns;	  /* all of them together */
	__u64 longest_ns;
	__u64 min_rtt_us;     /* the least of all connections; 0: not known */
	char comm[COMM_SIZE]; /* of the thread that read the first one */
};
#define NR_UPSTREAMS 1024

#endif
