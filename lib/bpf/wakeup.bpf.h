/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tasks that read do while a packet is in their queue, for BPF programs: are asleep, are
 * woken and wait for a CPU, or run. Known of those that have read before.
 */
#ifndef NETSTACKLAT_WAKEUP_BPF_H
#define NETSTACKLAT_WAKEUP_BPF_H

#include "lib/bpf/address.bpf.h"

#define READER_SET_BITS 10
#define NR_READER_WAYS 4

/* The last time that a task slept: when it fell asleep, was woken, and got a CPU. */
struct reader {
	const void *task; /* its address; not to be read from */
	__u64 slept_ns;
	__u64 woken_ns;
	__u64 running_ns;
};

/* 128 KiB, for 4096 tasks. */
static struct reader readers[1 << READER_SET_BITS][NR_READER_WAYS];

static __always_inline struct reader *reader_set(const void *task)
{
	return readers[address_hash(task, READER_SET_BITS)];
}

static __always_inline struct reader *reader_find(const void *task)
{
	struct reader *set = reader_set(task);

	for (int way = 0; way < NR_READER_WAYS; way++)
		if (set[way].task == task)
			return &set[way];
	return NULL;
}

/* Takes the place of the task that did not sleep for longest. */
static __noinline int reader_add(__u64 address)
{
	const void *task = (const void *)address;
	struct reader *set = reader_set(task), *reader = set;

	for (int way = 1; way < NR_READER_WAYS; way++)
		if (set[way].slept_ns < reader->slept_ns)
			reader = &set[way];
	reader->task = NULL;
	barrier();
	reader->slept_ns = reader->woken_ns = reader->running_ns = 0;
	barrier();
	reader->task = task;
	return 0;
}

static __always_inline int reader_is_woken(struct task_struct *task)
{
	struct reader *reader = reader_find(task);

	/* Once, and not if it is about to sleep, but has not yet. */
	if (reader && reader->woken_ns < reader->slept_ns)
		reader->woken_ns = bpf_ktime_get_ns();
	return 0;
}

/* Linux 5.14 (2f064a59a11f) renamed it. */
static __always_inline bool task_sleeps(struct task_struct *task)
{
	struct task_struct___5_13 *older = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return older->state;
}

static __always_inline int reader_switches(bool preempt, struct task_struct *prev,
					   struct task_struct *next)
{
	struct reader *reader = reader_find(prev);

	if (reader && !preempt && task_sleeps(prev))
		reader->slept_ns = bpf_ktime_get_ns();
	/* For the first time since it slept: to be preempted later is another matter. */
	reader = reader_find(next);
	if (reader && reader->running_ns < reader->slept_ns)
		reader->running_ns = bpf_ktime_get_ns();
	return 0;
}

/* How long a packet was in the queue while its reader was asleep, was ready, and ran. */
struct reader_parts {
	__u64 asleep_ns, ready_ns, running_ns;
};

/*
 * Whether the reader of a packet was asleep, or about to get a CPU, when the packet was queued. If
 * it was running, or slept later on with the packet in its queue, its waking up tells nothing.
 */
static __always_inline bool reader_slept(__u64 queued_ns, __u64 now_ns, struct reader_parts *parts)
{
	__u64 task = bpf_get_current_task(), ready_ns;
	struct reader *reader = reader_find((const void *)task);

	if (!reader) {
		reader_add(task);
		return false;
	}
	if (queued_ns < reader->slept_ns || queued_ns >= reader->running_ns ||
	    reader->woken_ns < reader->slept_ns || reader->running_ns < reader->woken_ns)
		return false;
	ready_ns = queued_ns > reader->woken_ns ? queued_ns : reader->woken_ns;
	parts->asleep_ns = ready_ns - queued_ns;
	parts->ready_ns = reader->running_ns - ready_ns;
	parts->running_ns = now_ns - reader->running_ns;
	return true;
}

#endif
