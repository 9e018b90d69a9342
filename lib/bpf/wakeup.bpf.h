/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tasks that read do while a packet is in their queue, for BPF programs: are asleep, are
 * woken and wait for a CPU, or run. Known of those that have read before.
 */
#ifndef NETSTACKLAT_WAKEUP_BPF_H
#define NETSTACKLAT_WAKEUP_BPF_H

#include "lib/bpf/address.bpf.h"
#include "lib/bpf/per_cpu.bpf.h"
#include "lib/tables/slow_packet.h"
#include "lib/tables/units.h"

#define READER_SET_BITS 10
#define NR_READER_WAYS 4

/* The last time that a task slept: when it fell asleep, was woken, and got a CPU. */
struct reader {
	const void *task; /* its address; not to be read from */
	__u64 slept_ns;
	__u64 woken_ns;
	__u64 running_ns;
	struct slow_other other; /* that had this CPU instead; with slow packets */
};

/* 256 KiB, for 4096 tasks. */
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

/* What a CPU has run. */
struct cpu_runs {
	__u64 switched_ns;	   /* since when it runs what it runs now */
	struct slow_other longest; /* of late, without a break; not the idle task */
	__u64 longest_ended_ns;
};

PER_CPU_VALUE(WITH_STAGES, runs_of_cpus, struct cpu_runs);

#define LONGEST_IS_OLD_NS (100 * NS_PER_MS)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___named {
	int pid;
	char comm[COMM_SIZE];
};
#pragma clang attribute pop

static __always_inline void other_fill_in(struct slow_other *other, struct task_struct *task,
					  __u64 ran_ns)
{
	struct task_struct___named *named = (void *)task;

	other->ran_ns = ran_ns;
	other->pid = task->tgid;
	other->tid = named->pid;
	bpf_probe_read_kernel(other->comm, sizeof(other->comm), named->comm);
}

/* Another task has this CPU from now on. Returns since when the one before had it. */
static __always_inline __u64 cpu_switches(struct cpu_runs *runs, struct task_struct *prev,
					  __u64 now_ns)
{
	__u64 began_ns;

	if (!runs)
		return now_ns;
	began_ns = runs->switched_ns ?: now_ns;
	runs->switched_ns = now_ns;
	if (prev->tgid && (now_ns - began_ns >= runs->longest.ran_ns ||
			   now_ns - runs->longest_ended_ns > LONGEST_IS_OLD_NS)) {
		other_fill_in(&runs->longest, prev, now_ns - began_ns);
		runs->longest_ended_ns = now_ns;
	}
	return began_ns;
}

/* Who ran instead: the longest, if that was while the reader waited, or else the last. */
static __always_inline void reader_note_other(struct reader *reader, struct task_struct *prev,
					      const struct cpu_runs *runs, __u64 began_ns,
					      __u64 now_ns)
{
	__u64 woken_ns = reader->woken_ns;
	__u64 last_ns = now_ns - (began_ns > woken_ns ? began_ns : woken_ns);

	if (runs && runs->longest.ran_ns > last_ns && runs->longest_ended_ns > woken_ns &&
	    runs->longest_ended_ns - woken_ns > last_ns)
		reader->other = runs->longest;
	else
		other_fill_in(&reader->other, prev, now_ns - began_ns);
}

static __always_inline int reader_switches(bool preempt, struct task_struct *prev,
					   struct task_struct *next)
{
	struct reader *reader = reader_find(prev);
	__u64 now_ns = bpf_ktime_get_ns(), began_ns = now_ns;
	struct cpu_runs *runs = NULL;

	if (static_branch(BRANCH_SLOW)) {
		runs = per_cpu_value(&runs_of_cpus);
		began_ns = cpu_switches(runs, prev, now_ns);
	}
	if (reader && !preempt && task_sleeps(prev))
		reader->slept_ns = now_ns;
	/* For the first time since it slept: to be preempted later is another matter. */
	reader = reader_find(next);
	if (!reader || reader->running_ns >= reader->slept_ns)
		return 0;
	reader->running_ns = now_ns;
	if (static_branch(BRANCH_SLOW))
		reader_note_other(reader, prev, runs, began_ns, now_ns);
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
