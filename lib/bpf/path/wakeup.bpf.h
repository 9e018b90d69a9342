/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes what the scheduler does with readers, for BPF programs: they are woken, get a CPU, and lose
 * it again.
 */
#ifndef NETSTACKLAT_WAKEUP_BPF_H
#define NETSTACKLAT_WAKEUP_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/path/cpu_runs.bpf.h"
#include "lib/bpf/path/reader_parts.bpf.h"
#include "lib/bpf/path/stack.bpf.h"
#include "lib/bpf/path/startup.bpf.h"

/*
 * The name is volatile. Otherwise, clang keeps it among other strings, and libbpf tells the kernel
 * the place of only one of them.
 */
static __always_inline bool comm_begins_with(const char comm[COMM_SIZE], const volatile char *name,
					     unsigned int length)
{
	for (unsigned int i = 0; i < length; i++)
		if (comm[i] != name[i])
			return false;
	return true;
}

/*
 * Returns in which way it is asleep; 0 if it is not. Linux 5.14 (2f064a59a11f) renamed the field.
 */
static __always_inline __u32 task_sleeps(struct task_struct *task)
{
	struct task_struct___5_13 *older = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return older->state;
}

/* The kernel's, of which no value ever changed. */
#define TASK_UNINTERRUPTIBLE 2
#define TASK_STOPPED_OR_TRACED (4 | 8)
#define TASK_DEAD 0x80
#define TASK_FROZEN 0x8000   /* since Linux 6.1 (f5d39b020809) ... */
#define PF_FROZEN 0x00010000 /* ... and before that; today, kcompactd's, which reads nothing */
#define JOBCTL_TRAP_FREEZE (1 << 23)

/*
 * Returns whether the kernel frees memory for it, or reads back what it reclaimed too early. The
 * flag is there since Linux 4.20 (eb414681d5a0), where the kernel keeps pressure (CONFIG_PSI,
 * psi=1).
 */
static __always_inline bool task_waits_for_memory(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_memstall) &&
	       BPF_CORE_READ_BITFIELD(task, in_memstall);
}

static __always_inline enum asleep_how task_asleep_how(struct task_struct *task, __u32 state)
{
	if (task->jobctl & JOBCTL_TRAP_FREEZE)
		return ASLEEP_FROZEN;
	if (state & TASK_FROZEN || task->flags & PF_FROZEN)
		return ASLEEP_SUSPENDED;
	if (state & TASK_STOPPED_OR_TRACED)
		return ASLEEP_STOPPED;
	if (task_waits_for_memory(task))
		return ASLEEP_FOR_MEMORY;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return ASLEEP_FOR_IO;
	return state & TASK_UNINTERRUPTIBLE ? ASLEEP_UNINTERRUPTIBLE : ASLEEP_INTERRUPTIBLE;
}

#define PF_IO_WORKER 0x00000010
#define PF_KTHREAD 0x00200000

/*
 * Returns its system call, which is known since Linux 5.15 (dd6e10fbd9fb), but not for threads of
 * the kernel or io_uring.
 */
static __always_inline __u32 task_syscall(struct task_struct *task)
{
	const struct pt_regs___entry_x86 *x86;
	const struct pt_regs___entry_arm64 *arm64;

	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs) ||
	    task->flags & (PF_IO_WORKER | PF_KTHREAD))
		return ASLEEP_IN_UNKNOWN;
	x86 = (const void *)bpf_task_pt_regs(task);
	arm64 = (const void *)x86;
	if (bpf_core_field_exists(x86->orig_ax))
		return x86->orig_ax;
	return bpf_core_field_exists(arm64->syscallno) ? arm64->syscallno : ASLEEP_IN_UNKNOWN;
}

static __always_inline __u16 task_asleep_in(struct task_struct *task, __u32 state)
{
	return ASLEEP_IN(task_asleep_how(task, state), task_syscall(task));
}

/* Keeps the stack of a late sleep only, as that takes thousands of instructions. */
static __always_inline void reader_keep_stack(struct reader *reader, struct task_struct *task,
					      __u64 slept_ns)
{
	if (slept_ns >= config.least_parts_ns)
		reader->stacks[reader_place(reader, 0)] = stack_of_sleeper(task);
}

static const volatile char napi_threads[] = "napi/";

/* Returns whether a thread of the kernel polls devices (threaded NAPI), by its name. */
static __always_inline bool task_polls(struct task_struct *task)
{
	const struct task_struct___named *named = (const void *)task;
	char comm[COMM_SIZE];

	bpf_probe_read_kernel(comm, sizeof(comm), named->comm);
	return comm_begins_with(comm, napi_threads, sizeof(napi_threads) - 1);
}

/* Adds a task that has slept since before it was followed: for as long as anybody can ask. */
static __always_inline void reader_add_woken(struct task_struct *task)
{
	struct reader *reader;
	__u64 now_ns;
	bool polls;

	/* If that came earlier, not all of what it does next would be seen. */
	if (!startup.ended_ns)
		return;
	/* No other thread of the kernel receives. */
	polls = task->flags & PF_KTHREAD;
	if (polls && !task_polls(task))
		return;
	/* It is about to sleep, and has not yet. */
	if (bpf_core_field_exists(task->on_cpu) && task->on_cpu)
		return;
	/* A thread that polls keeps its place, as those do that have read. */
	reader = reader_add(task, polls);
	if (!reader)
		return;
	reader->polls = polls;
	now_ns = bpf_ktime_get_ns();
	reader_changes(reader, 1, READER_SLEEPS, task_asleep_in(task, task_sleeps(task)));
	reader_changes(reader, now_ns, READER_WAITS_FOR_CPU, 0);
	reader->slept_ns = now_ns;
}

/*
 * Returns whether anything is known of what the current task did in that time. The first step of
 * finding that is done then.
 */
GLOBAL(WITH_STAGES)
int current_did(__u64 from_ns, __u64 until_ns)
{
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);
	const struct reader *reader = reader_of_current();

	return parts && reader && parts_add_changes(parts, reader, from_ns, until_ns);
}

/* Notes what the current task did while the one slept that it wakes. */
static __always_inline void waker_note_parts(struct waker *waker, __u64 slept_ns, __u64 now_ns)
{
	const struct reader_parts *parts =
		current_did(slept_ns, now_ns) ? parts_go_on(ANY_PORT) : NULL;

	waker->asleep_ns = waker->ready_ns = waker->running_ns = 0;
	if (!parts)
		return;
	waker->asleep_ns = parts->longest_sleep_ns;
	waker->ready_ns = parts->ns[READER_WAITS_FOR_CPU];
	waker->running_ns = parts->ns[READER_RUNS];
	waker->asleep_in = parts->asleep_in;
	waker->waker_tid = parts->waker.tid;
}

/*
 * Notes that the reader has just been woken by the current task, unless a timer or a packet woke
 * it.
 */
static __always_inline void reader_note_waker(const struct reader *reader, __u64 slept_ns,
					      __u64 now_ns)
{
	struct reader_spans *spans = reader_spans(reader);
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct waker *waker;

	if (!spans || !current_task_is_typed() || !is_in_task())
		return;
	waker = &span_before(spans, 0)->waker;
	waker->pid = bpf_get_current_task_btf()->flags & PF_KTHREAD ? 0 : pid_tgid >> 32;
	waker->tid = pid_tgid;
	bpf_get_current_comm(waker->comm, sizeof(waker->comm));
	waker_note_parts(waker, slept_ns, now_ns);
}

static __always_inline int reader_note_wakeup(struct task_struct *task)
{
	struct reader *reader = reader_find(task);
	__u64 change, now_ns;

	if (!reader) {
		if (static_branch(BRANCH_READER_WAITS))
			reader_add_woken(task);
		return 0;
	}
	change = reader_last_change(reader);
	/* Nothing changes if a task is woken again, or is about to sleep and does not yet. */
	if (READER_CHANGE_DOES(change) != READER_SLEEPS)
		return 0;
	/* Since Linux 6.1, it may be frozen where it sleeps already. */
	if (task_sleeps(task) & TASK_FROZEN)
		reader->asleep_in[reader_place(reader, 0)] = task_asleep_in(task, TASK_FROZEN);
	now_ns = bpf_ktime_get_ns();
	if (static_branch(BRANCH_STACKS))
		reader_keep_stack(reader, task, now_ns - READER_CHANGE_NS(change));
	reader_changes(reader, now_ns, READER_WAITS_FOR_CPU, 0);
	if (static_branch(BRANCH_READER_WAITS) && now_ns - READER_CHANGE_NS(change) >= LONG_SPAN_NS)
		reader_note_waker(reader, READER_CHANGE_NS(change), now_ns);
	return 0;
}

/*
 * The current task has made another one, which may read packets that came before that. Until then,
 * the new task did what its maker did.
 */
static __always_inline int reader_note_new(struct task_struct *task)
{
	const void *current = (const void *)bpf_get_current_task();
	struct reader *maker = reader_find(current);
	struct reader *reader = maker ? reader_add(task, false) : NULL;
	__u64 now_ns;

	if (!reader || reader == maker)
		return 0;
	maker = reader_in_any_place(maker, current);
	reader = reader_in_any_place(reader, task);
	for (int nr = 0; nr < NR_READER_CHANGES; nr++) {
		reader->changes[nr] = maker->changes[nr];
		reader->asleep_in[nr] = maker->asleep_in[nr];
		reader->stacks[nr] = maker->stacks[nr];
	}
	for (int does = 0; does < NR_READER_DOES; does++)
		reader->did_ns[does] = maker->did_ns[does];
	reader->nr_changes = maker->nr_changes;
	now_ns = bpf_ktime_get_ns();
	reader->slept_ns = now_ns;
	reader_changes(reader, now_ns, READER_WAITS_FOR_CPU, 0);
	return 0;
}

/*
 * Finds who ran instead: the task that ran longest while the reader waited, or else the last one.
 */
static __always_inline void reader_note_other(struct reader *reader, struct task_struct *prev,
					      const struct cpu_runs *runs, __u64 began_ns,
					      __u64 since_ns, __u64 now_ns)
{
	__u64 last_ns = now_ns - (began_ns > since_ns ? began_ns : since_ns);

	if (runs && runs->longest.ran_ns > last_ns && runs->longest_ended_ns > since_ns &&
	    runs->longest_ended_ns - since_ns > last_ns)
		reader->other = runs->longest;
	else
		other_fill_in_run(&reader->other, prev, now_ns - began_ns,
				  runs ? runs->last_interrupted_ns : 0);
}

/*
 * The current task sleeps until there is memory. If it never reads again, no packet tells of that.
 */
static __always_inline void current_waits_for_memory(void)
{
	struct reader_wait *wait = reader_wait_at(ANY_PORT);

	if (wait)
		wait->nr_for_memory++;
}

/* It is preempted, or throttled, if it does not sleep. */
static __always_inline void reader_stops(struct reader *reader, struct task_struct *task,
					 bool preempt, __u64 now_ns)
{
	__u32 state = preempt ? 0 : task_sleeps(task);

	if (!state) {
		reader_changes(reader, now_ns, READER_WAITS_FOR_CPU, 0);
		return;
	}
	/* Another task may have this address next, and any may have this place. */
	if (state & TASK_DEAD) {
		reader->task = NULL;
		reader->has_read = false;
		reader->slept_ns = 0;
		return;
	}
	reader->slept_ns = now_ns;
	reader->ready_ns = 0;
	reader_changes(reader, now_ns, READER_SLEEPS, task_asleep_in(task, state));
	if (static_branch(BRANCH_READER_WAITS) && task_waits_for_memory(task))
		current_waits_for_memory();
}

/*
 * Returns for how long the next task had waited for a CPU to poll devices; 0 if it does not poll.
 */
static __always_inline __u64 reader_switches(bool preempt, struct task_struct *prev,
					     struct task_struct *next)
{
	struct reader *reader = reader_find(prev);
	__u64 now_ns = bpf_ktime_get_ns(), began_ns = now_ns, change, since_ns;
	struct cpu_runs *runs = NULL;

	if (static_branch(BRANCH_OTHERS)) {
		runs = per_cpu_value(&runs_of_cpus);
		began_ns = cpu_switches(runs, prev, now_ns);
		if (reader && runs)
			reader_note_interrupted(reader, runs->last_interrupted_ns, now_ns);
	}
	if (reader)
		reader_stops(reader, prev, preempt, now_ns);
	reader = reader_find(next);
	if (!reader)
		return 0;
	change = reader_last_change(reader);
	since_ns = READER_CHANGE_NS(change);
	reader_changes(reader, now_ns, READER_RUNS, 0);
	if (!static_branch(BRANCH_OTHERS) || READER_CHANGE_DOES(change) != READER_WAITS_FOR_CPU)
		return 0;
	if (now_ns - since_ns >= reader->ready_ns) {
		reader->ready_ns = now_ns - since_ns;
		reader_note_other(reader, prev, runs, began_ns, since_ns, now_ns);
	}
	return reader->polls ? now_ns - since_ns : 0;
}

#endif
