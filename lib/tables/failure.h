/* SPDX-License-Identifier: GPL-2.0 */
/* Calls to send or connect that fail in the kernel, as programs write and user space reads them. */
#ifndef NETSTACKLAT_FAILURE_H
#define NETSTACKLAT_FAILURE_H

#include "lib/tables/slow_packet.h"

enum failed {
	FAILED_ANSWER,	/* of UDP, to a peer that the socket was read from; by its port */
	FAILED_CONNECT, /* of TCP, as no local port is left; by the peer's port, if it is known */
};

struct failure_key {
	__u64 netns; /* as in struct group_key */
	__u32 pid;
	__u16 port;
	__u8 failed; /* enum failed */
	__u8 err;    /* of an answer: errno */
};

/* Map netstack_failures: how often that failed, and whose name it was. */
struct failure {
	__u64 count;
	char comm[COMM_SIZE];
};
#define NR_FAILURES 1024

#endif
