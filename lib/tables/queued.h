/* SPDX-License-Identifier: GPL-2.0 */
/* The content of a socket's queue, as lib/bpf/socket_queues.bpf.c writes and user space
 * reads it. */
#ifndef NETSTACKLAT_QUEUED_H
#define NETSTACKLAT_QUEUED_H

#include "lib/tables/group_row.h"

/*
 * A packet or a connection that waits; a socket where others may begin to talk to a service; the
 * distance of a service's peers; or a socket by which a process decides on netfilter's packets.
 */
struct queued {
	struct group_key key; /* of whom it waits for, without comm */
	char comm[COMM_SIZE];
	__u64 socket;	  /* tells sockets apart while they exist ... */
	__u32 fd;	  /* ... and ways to reach one: processes may share it */
	__u8 hook;	  /* enum hook: where it will be seen next; NR_HOOKS: it is a socket */
	__u8 protocol;	  /* IPPROTO_*; or QUEUED_NETFILTER, of netlink */
	__u16 nr_sharing; /* other processes that have the socket; user space fills it in */
	__u16 nr_merged;  /* more segments that the queue has merged with this one, about */
	__u16 is_bound;	  /* a service's socket: to an address, or to a device */
	__u64 age_ns; /* or the round-trip time, at tcp-min-rtt and tcp-rtt; the portid; or how many
			 packets a service's socket dropped so far */
};

#define QUEUED_NETFILTER 255

#endif
