/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the kernel in which tasks let packets wait, as the programs write and user space
 * reads them.
 */
#ifndef NETSTACKLAT_STACK_H
#define NETSTACKLAT_STACK_H

#include "lib/tables/config.h"

/* Tasks whose stacks are taken, by what waits for them. */
enum stack_of {
	STACK_OF_READER, /* while it sleeps: packets in its queue */
	STACK_OF_ANSWER, /* while it sleeps: an answer */
	STACK_OF_HOLDER, /* as it releases a socket's lock: segments in that socket's backlog */
	NR_STACK_OF
};

/*
 * Addresses of code, the innermost first, and 0 behind the outermost. Frames further out are not
 * kept.
 */
#define NR_FRAMES 20
struct stack {
	__u64 frames[NR_FRAMES];
};

/* Map netstack_stacks: each stack once, by a hash of it. */
#define NR_STACKS 1024

/* Map netstack_stack_waits: how much waited for this process, and for how long, all together. */
struct stack_key {
	__u32 pid;
	__u32 stack; /* 0: none was taken */
	__u16 port;  /* of the socket */
	__u16 of;    /* enum stack_of */
};

struct stack_wait {
	__u64 count;
	__u64 ns;
	char comm[COMM_SIZE]; /* of a thread of it */
};

#endif
