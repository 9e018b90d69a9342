/* SPDX-License-Identifier: GPL-2.0 */
/* Netfilter's queues to processes (NFQUEUE), in the network namespace that this thread is in. */
#ifndef NETSTACKLAT_NFQUEUE_H
#define NETSTACKLAT_NFQUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct nfqueues {
	uint32_t packets; /* that went through all queues since these were bound; it may wrap */
	/* The queue with most of them: */
	uint32_t number;
	uint32_t portid; /* of the netlink socket that decides on its packets */
};

/* Returns false if there is none, or if the kernel does not tell. */
bool nfqueues_find(struct nfqueues *queues);

/*
 * The same from a file like /proc/net/netfilter/nfnetlink_queue, which has a line for each queue.
 */
bool nfqueues_parse(FILE *file, struct nfqueues *queues);

#endif
