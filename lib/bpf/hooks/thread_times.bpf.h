/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time from when a thread writes a datagram until its packet is sent, for BPF programs. Many
 * threads may share one socket.
 */
#ifndef NETSTACKLAT_THREAD_TIMES_BPF_H
#define NETSTACKLAT_THREAD_TIMES_BPF_H

#include "lib/bpf/kernel/address.bpf.h"
#include "lib/bpf/path/socket.bpf.h"
#include "lib/bpf/hooks/peer_times.bpf.h"

#define THREAD_SET_BITS 10
#define NR_THREAD_WAYS 4

struct thread_times {
	__u64 task;	       /* its address */
	const struct sock *sk; /* not to be read from */
	__u64 written_ns;      /* when it last began to write; 0 once that is sent */
};

/* 128 KiB, for 4096 threads; one that uses several sockets has one for each. */
static struct thread_times thread_times[1 << THREAD_SET_BITS][NR_THREAD_WAYS];

static __always_inline struct thread_times *thread_set(__u64 task)
{
	return thread_times[address_hash((const void *)task, THREAD_SET_BITS)];
}

/* The times of the thread that runs, on this socket; NULL if nothing is known. */
static __always_inline struct thread_times *thread_find(const struct sock *sk)
{
	__u64 task = bpf_get_current_task();
	struct thread_times *set = thread_set(task);

	barrier_var(set);
	for (int way = 0; way < NR_THREAD_WAYS; way++)
		if (set[way].task == task && set[way].sk == sk)
			return &set[way];
	return NULL;
}

/* The same, or in place of what was written longest ago. */
static __always_inline struct thread_times *thread_place(const struct sock *sk)
{
	__u64 task = bpf_get_current_task();
	struct thread_times *set = thread_set(task), *times = set;

	for (int way = 0; way < NR_THREAD_WAYS; way++) {
		if (set[way].task == task && set[way].sk == sk)
			return &set[way];
		if (set[way].written_ns < times->written_ns)
			times = &set[way];
	}
	/* Another CPU must not take the previous task's times for this one's. */
	times->task = 0;
	barrier();
	times->sk = sk;
	times->written_ns = 0;
	barrier();
	times->task = task;
	return times;
}

/* This program runs after the one that counts the answer, so that its own time is not in it. */
static __always_inline int thread_writes(enum probe probe, struct sock *sk,
					 const struct msghdr *message)
{
	if (is_asked_for(probe, TASK_COUNT))
		peer_is_answered(probe, sk, message);
	if (is_asked_for(probe, TASK_REMEMBER))
		thread_place(sk)->written_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * Returns whether a packet is from a socket of this hook's kind, and not one of the kernel's own
 * answers.
 */
static __always_inline bool thread_may_send(enum probe probe, const struct sock *sk)
{
	if (!sent_by_socket(sk) || sk->__sk_common.skc_state == TCP_NEW_SYN_RECV ||
	    !BPF_CORE_READ_BITFIELD(sk, __sk_common.skc_net_refcnt))
		return false;
	if (probe_has(probe) & HAS_PORT)
		return sk->sk_protocol == IPPROTO_UDP || sk->sk_protocol == IPPROTO_UDPLITE;
	return is_raw_or_ping(sk);
}

/* The last write sends what is corked. A tunnel sends it again. */
static __always_inline int thread_sends(enum probe probe, const struct sk_buff *skb)
{
	struct thread_times *times;
	__u64 written_ns;

	if (!thread_may_send(probe, skb->sk))
		return 0;
	times = thread_find(skb->sk);
	if (!times)
		return discard(probe, DISCARD_NO_BEGIN);
	written_ns = times->written_ns;
	times->written_ns = 0;
	if (!written_ns)
		return discard(probe, DISCARD_FILTERED);
	return record_socket_ns(probe, skb->sk, bpf_ktime_get_ns() - written_ns);
}

#endif
