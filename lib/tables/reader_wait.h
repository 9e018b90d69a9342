/* SPDX-License-Identifier: GPL-2.0 */
/* Why packets waited for a reader, as the programs write and user space reads it. */
#ifndef NETSTACKLAT_READER_WAIT_H
#define NETSTACKLAT_READER_WAIT_H

#include "lib/tables/slow_packet.h"

/* The ways to be asleep. */
enum asleep_how {
	ASLEEP_INTERRUPTIBLE,
	ASLEEP_UNINTERRUPTIBLE,
	ASLEEP_FOR_IO,
	ASLEEP_STOPPED,	   /* by a signal or a debugger */
	ASLEEP_FROZEN,	   /* by its cgroup */
	ASLEEP_SUSPENDED,  /* by version 1, or with the system: they look the same */
	ASLEEP_FOR_MEMORY, /* until the kernel has freed or fetched some */
	NR_ASLEEP_HOW
};

/*
 * One word that tells how a task sleeps, and in which system call. In a page fault, there is none.
 */
#define ASLEEP_IN(how, syscall) ((how) << 12 | ((syscall)&ASLEEP_IN_NO_SYSCALL))
#define ASLEEP_IN_NO_SYSCALL 0xfff
#define ASLEEP_IN_UNKNOWN 0xffe /* before Linux 5.15, and of threads of the kernel */
#define ASLEEP_IN_HOW(asleep_in) ((asleep_in) >> 12)
#define ASLEEP_IN_SYSCALL(asleep_in) ((asleep_in)&ASLEEP_IN_NO_SYSCALL)

/* The task that woke another one, and what it did while that slept. */
struct waker {
	__u32 pid; /* 0: it is a thread of the kernel */
	__u32 tid; /* 0: not known, or no task did */
	char comm[COMM_SIZE];
	__u64 asleep_ns; /* at a time, at the longest; 0, too, if it is not known what it did ... */
	__u64 ready_ns;
	__u64 running_ns;
	__u32 asleep_in; /* ... ASLEEP_IN() */
	__u32 waker_tid; /* ... until this task woke it, or 0 */
};

/* Waits are kept by process and port: a service's port, or 0 for all others. */
struct wait_key {
	__u32 pid;
	__u32 port;
};
#define ANY_PORT (~0U) /* what is not about a port */

/*
 * Map netstack_reader_waits, of packets that were read late: how long a reader was asleep at the
 * longest, in what, and who woke it; and how long one was ready at the longest, and who ran then.
 */
struct reader_wait {
	__u64 asleep_ns;
	__u64 ready_ns;
	struct slow_other other;
	struct waker waker;
	__u32 asleep_in;     /* ASLEEP_IN() */
	__u32 nr_for_memory; /* of ANY_PORT: how often any of its threads slept so */
};
#define NR_READER_WAITS 1024

/*
 * Maps netstack_answer_waits and netstack_accept_waits: what a thread did in the longest time that
 * it took to answer, or that a connection waited to be accepted.
 */
struct task_wait {
	__u64 ns;
	__u64 asleep_ns;     /* at a time, at the longest ... */
	__u64 all_asleep_ns; /* ... and in all */
	__u64 ready_ns;
	__u64 running_ns;
	struct slow_other other;
	struct waker waker;
	__u32 asleep_in;  /* ASLEEP_IN() */
	__u32 nr_unasked; /* late answers that turned out to be none: see tcp_times.bpf.h */
};

#endif
