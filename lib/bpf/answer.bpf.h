/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long threads take to answer, for BPF programs: from the read of a datagram to the first send
 * by the same thread on the same socket. A connection is not needed, and many threads may share one
 * socket.
 */
#ifndef NETSTACKLAT_ANSWER_BPF_H
#define NETSTACKLAT_ANSWER_BPF_H

#include "lib/bpf/address.bpf.h"
#include "lib/bpf/tcp_times.bpf.h"

#define ANSWER_SET_BITS 10
#define NR_ANSWER_WAYS 4

struct answer {
	__u64 task;	       /* its address */
	const struct sock *sk; /* not to be read from */
	__u64 read_ns;	       /* when it last read; 0 once it has sent */
};

/* 96 KiB, for 4096 threads; one that reads from several sockets has one for each. */
static struct answer answers[1 << ANSWER_SET_BITS][NR_ANSWER_WAYS];

static __always_inline struct answer *answer_set(__u64 task)
{
	return answers[address_hash((const void *)task, ANSWER_SET_BITS)];
}

/* The thread that runs has read: takes the place of what was read longest ago. */
static __always_inline int answer_begins(const struct sock *sk)
{
	__u64 task = bpf_get_current_task();
	struct answer *set = answer_set(task), *answer = set;

	for (int way = 0; way < NR_ANSWER_WAYS; way++) {
		if (set[way].task == task && set[way].sk == sk) {
			answer = &set[way];
			break;
		}
		if (set[way].read_ns < answer->read_ns)
			answer = &set[way];
	}
	answer->task = 0;
	barrier();
	answer->sk = sk;
	answer->read_ns = bpf_ktime_get_ns();
	barrier();
	answer->task = task;
	return 0;
}

static __always_inline int answer_is_sent(enum probe probe, const struct sock *sk)
{
	__u64 task = bpf_get_current_task(), read_ns;
	struct answer *set = answer_set(task);

	barrier_var(set);
	for (int way = 0; way < NR_ANSWER_WAYS; way++) {
		struct answer *answer = &set[way];

		if (answer->task != task || answer->sk != sk)
			continue;
		read_ns = answer->read_ns;
		answer->read_ns = 0;
		if (!read_ns)
			break;
		return record_socket_ns(probe, sk, bpf_ktime_get_ns() - read_ns);
	}
	return discard(probe, DISCARD_FILTERED);
}

#endif
