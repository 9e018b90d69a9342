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
#if WITH_SLOW
	struct slow_other other; /* that had this CPU until then */
#endif
};

/* 128 KiB, for 4096 tasks; or 256 KiB with those that ran before them. */
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

#if WITH_SLOW
/* When a CPU switched tasks last. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} cpu_switched SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___named {
	int pid;
	char comm[COMM_SIZE];
};
#pragma clang attribute pop

/* How long the task ran that now leaves this CPU. */
static __always_inline __u64 cpu_ran_ns(__u64 now_ns)
{
	__u32 key = 0;
	__u64 *switched_ns = bpf_map_lookup_elem(&cpu_switched, &key), ran_ns = 0;

	if (!switched_ns)
		return 0;
	if (*switched_ns)
		ran_ns = now_ns - *switched_ns;
	*switched_ns = now_ns;
	return ran_ns;
}

static __always_inline void reader_meets(struct reader *reader, struct task_struct *other,
					 __u64 ran_ns)
{
	struct task_struct___named *named = (void *)other;

	reader->other.ran_ns = ran_ns;
	reader->other.pid = other->tgid;
	reader->other.tid = named->pid;
	bpf_probe_read_kernel(reader->other.comm, sizeof(reader->other.comm), named->comm);
}
#else
#define cpu_ran_ns(now_ns) 0
#define reader_meets(reader, other, ran_ns) ((void)(ran_ns))
#endif

static __always_inline int reader_switches(bool preempt, struct task_struct *prev,
					   struct task_struct *next)
{
	struct reader *reader = reader_find(prev);
	__u64 ran_ns = cpu_ran_ns(bpf_ktime_get_ns());

	if (reader && !preempt && task_sleeps(prev))
		reader->slept_ns = bpf_ktime_get_ns();
	/* For the first time since it slept: to be preempted later is another matter. */
	reader = reader_find(next);
	if (reader && reader->running_ns < reader->slept_ns) {
		reader->running_ns = bpf_ktime_get_ns();
		reader_meets(reader, prev, ran_ns);
	}
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
