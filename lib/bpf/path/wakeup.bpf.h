/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that read, while a packet is in their queue, for BPF programs: they are asleep, are
 * ready and wait for a CPU, or run. Known of those that have read before; with BRANCH_READER_WAITS,
 * of all that were woken since the start: some read but once, or for the first time when it is
 * late.
 */
#ifndef NETSTACKLAT_WAKEUP_BPF_H
#define NETSTACKLAT_WAKEUP_BPF_H

#include "lib/bpf/kernel/address.bpf.h"
#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/kernel/per_cpu.bpf.h"
#include "lib/bpf/path/stack.bpf.h"
#include "lib/bpf/path/startup.bpf.h"
#include "lib/tables/reader_wait.h"
#include "lib/tables/units.h"

#define READER_SET_BITS 10
#define NR_READER_WAYS 4

/*
 * The name is volatile: else, clang keeps it with other strings, of which libbpf tells the kernel
 * the place of one alone.
 */
static __always_inline bool comm_begins_with(const char comm[COMM_SIZE], const volatile char *name,
					     unsigned int length)
{
	for (unsigned int i = 0; i < length; i++)
		if (comm[i] != name[i])
			return false;
	return true;
}

enum reader_does { READER_RUNS, READER_SLEEPS, READER_WAITS_FOR_CPU, NR_READER_DOES = 4 };

/* Powers of two. */
#define NR_READER_CHANGES 16
#define NR_READER_SPANS 16
#define CHANGES_PER_SPAN 32

/* Spans of at least this are kept for longer than other changes. */
#define LONG_SPAN_NS (4 * NS_PER_MS)

/* The precision of fractions in parts_add_share(). */
#define RATIO_BITS 10

/* When it began, and what, in the two lowest bits; 0: nothing is known that long ago. */
#define READER_CHANGE(ns, does) ((ns) << 2 | (does))
#define READER_CHANGE_NS(change) ((change) >> 2)
#define READER_CHANGE_DOES(change) ((change)&3)

/* A time in which it did one thing, and how long it had done each until that began. */
struct reader_span {
	__u64 change;	/* that began it */
	__u64 until_ns; /* 0: there is none */
	__u64 did_ns[NR_READER_DOES];
	__u32 asleep_in;    /* if it was a sleep: ASLEEP_IN() */
	__u32 stack;	    /* likewise, or 0; see BRANCH_STACKS */
	struct waker waker; /* likewise; see BRANCH_READER_WAITS */
};

struct reader {
	const void *task; /* its address; not to be read from */
	bool has_read;	  /* and has not only been woken */
	bool polls;	  /* devices: it reads no sockets; BRANCH_READER_WAITS */
	__u64 read_from;  /* a half of the address of the last datagram's socket ... */
	__u64 read_ns;	  /* ... and when ... */
	__u64 first_ns;	  /* ... and the first of those that it read one by one; BRANCH_READER_WAITS
			   */
	__u64 slept_ns;	  /* when it last fell asleep */
	__u64 ready_ns;	  /* how long it waited for a CPU since then, at the longest */
	__u64 is_over_memory_high; /* of its cgroup, for which it may sleep */
	__u64 nr_changes;
	__u64 changes[NR_READER_CHANGES];   /* the last ones */
	__u16 asleep_in[NR_READER_CHANGES]; /* of those that are sleeps: ASLEEP_IN() */
	__u32 stacks[NR_READER_CHANGES];    /* of those that were long; see BRANCH_STACKS */
	__u64 did_ns[NR_READER_DOES];	    /* how long it did each until the last change */
	struct slow_other other;	    /* that had this CPU instead; see BRANCH_OTHERS */
};

/* There is room for 4096 tasks. */
#define NR_READERS (NR_READER_WAYS << READER_SET_BITS)
static struct reader readers[1 << READER_SET_BITS][NR_READER_WAYS];

/* The last spans of a reader that were long, and one of many changes. */
struct reader_spans {
	__u64 nr;
	struct reader_span last[NR_READER_SPANS];
};

/* A map of their own: of all variables, Linux 5.10 takes no more than 4 MiB. */
MAP(WITH_STAGES, spans_of_readers, __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NR_READERS); __type(key, __u32); __type(value, struct reader_spans););

static __always_inline struct reader_spans *reader_spans(const struct reader *reader)
{
	__u32 number = ((__u64)reader - (__u64)readers) / sizeof(*reader);

	return bpf_map_lookup_elem(&spans_of_readers, &number);
}

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

/*
 * The same reader, of which the verifier no longer knows where it is in its set: so it looks at
 * what follows once, and not for each place. To it, a difference of pointers may be any number.
 */
static __always_inline struct reader *reader_in_any_place(struct reader *reader, const void *task)
{
	struct reader *set = reader_set(task);
	__u32 place;

	barrier_var(reader);
	place = ((__u64)reader - (__u64)set) / sizeof(*reader);
	return &set[place % NR_READER_WAYS];
}

/* The place of a change, so many before the last. */
static __always_inline __u32 reader_place(const struct reader *reader, __u32 nr_later)
{
	__u32 nr = reader->nr_changes - 1 - nr_later;

	barrier_var(nr);
	return nr & (NR_READER_CHANGES - 1);
}

static __always_inline __u64 reader_last_change(const struct reader *reader)
{
	return reader->changes[reader_place(reader, 0)];
}

/* The span so many before the last. */
static __always_inline struct reader_span *span_before(struct reader_spans *spans, __u32 nr_later)
{
	__u32 nr = spans->nr - 1 - nr_later;

	barrier_var(nr);
	return &spans->last[nr & (NR_READER_SPANS - 1)];
}

/* Keeps what the reader did since its last change. */
static __always_inline void reader_keep_span(const struct reader *reader, __u64 now_ns)
{
	struct reader_spans *spans = reader_spans(reader);
	__u32 place = reader_place(reader, 0);
	struct reader_span *span;

	if (!spans)
		return;
	spans->nr++;
	span = span_before(spans, 0);
	span->change = reader->changes[place];
	span->until_ns = now_ns;
	for (int does = 0; does < NR_READER_DOES; does++)
		span->did_ns[does] = reader->did_ns[does];
	span->asleep_in = reader->asleep_in[place];
	span->stack = reader->stacks[place];
	span->waker.tid = 0;
}

/*
 * A task that waits for a disk time and again changes more often than all its changes can be kept:
 * what it does for long stands out of that, and what it does in between is kept as a sum.
 */
static __always_inline void reader_sum_up(struct reader *reader, __u64 now_ns)
{
	__u64 change = reader_last_change(reader), ns = now_ns - READER_CHANGE_NS(change);

	if (!change)
		return;
	if (ns >= LONG_SPAN_NS || !(reader->nr_changes % CHANGES_PER_SPAN))
		reader_keep_span(reader, now_ns);
	reader->did_ns[READER_CHANGE_DOES(change)] += ns;
}

/*
 * Its CPU adds them but one, that it is woken. A waker does so only when it sees that the task
 * sleeps, which its CPU added last.
 */
static __always_inline void reader_changes(struct reader *reader, __u64 now_ns,
					   enum reader_does does, __u16 asleep_in)
{
	__u32 nr = reader->nr_changes;

	reader_sum_up(reader, now_ns);
	barrier_var(nr);
	nr &= NR_READER_CHANGES - 1;
	reader->changes[nr] = READER_CHANGE(now_ns, does);
	reader->asleep_in[nr] = asleep_in;
	if (static_branch(BRANCH_STACKS))
		reader->stacks[nr] = 0;
	barrier();
	reader->nr_changes++;
}

static __always_inline void reader_forget_spans(const struct reader *reader)
{
	struct reader_spans *spans = reader_spans(reader);

	for (int nr = 0; spans && nr < NR_READER_SPANS; nr++)
		spans->last[nr].until_ns = 0;
}

/* Tells whether the first of two is the one to go for another. */
static __always_inline bool reader_goes_before(const struct reader *reader,
					       const struct reader *other)
{
	return reader->has_read != other->has_read ? other->has_read
						   : reader->slept_ns < other->slept_ns;
}

/*
 * Takes the place of the task that did not sleep for longest, of those that never read if there are
 * any: no other goes for one that may read.
 */
static __always_inline struct reader *reader_add(const void *task, bool reads)
{
	struct reader *set = reader_set(task), *reader = set;

	for (int way = 1; way < NR_READER_WAYS; way++)
		if (reader_goes_before(&set[way], reader))
			reader = &set[way];
	if (!reads && reader->has_read)
		return NULL;
	reader->task = NULL;
	barrier();
	reader->has_read = reads;
	reader->polls = false;
	reader->read_from = reader->slept_ns = reader->ready_ns = reader->nr_changes = 0;
	reader->is_over_memory_high = false;
	for (int nr = 0; nr < NR_READER_CHANGES; nr++)
		reader->changes[nr] = 0;
	reader_forget_spans(reader);
	barrier();
	reader->task = task;
	return reader;
}

/* The current task reads for the first time. */
static __always_inline void reader_add_current(const void *task)
{
	struct reader *reader = reader_add(task, true);

	if (reader)
		reader_changes(reader, bpf_ktime_get_ns(), READER_RUNS, 0);
}

/* Returns in which way it is asleep; 0: it is not. Linux 5.14 (2f064a59a11f) renamed the field. */
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

static __always_inline enum asleep_how task_asleep_how(const struct reader *reader,
						       struct task_struct *task, __u32 state)
{
	if (task->jobctl & JOBCTL_TRAP_FREEZE)
		return ASLEEP_FROZEN;
	if (state & TASK_FROZEN || task->flags & PF_FROZEN)
		return ASLEEP_SUSPENDED;
	if (state & TASK_STOPPED_OR_TRACED)
		return ASLEEP_STOPPED;
	if (reader->is_over_memory_high)
		return ASLEEP_OVER_MEMORY_HIGH;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return ASLEEP_FOR_IO;
	return state & TASK_UNINTERRUPTIBLE ? ASLEEP_UNINTERRUPTIBLE : ASLEEP_INTERRUPTIBLE;
}

/* Its number is known since Linux 5.15 (dd6e10fbd9fb). */
static __always_inline __u32 task_syscall(struct task_struct *task)
{
	const struct pt_regs___entry_x86 *x86;
	const struct pt_regs___entry_arm64 *arm64;

	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return ASLEEP_IN_NO_SYSCALL;
	x86 = (const void *)bpf_task_pt_regs(task);
	arm64 = (const void *)x86;
	if (bpf_core_field_exists(x86->orig_ax))
		return x86->orig_ax;
	return bpf_core_field_exists(arm64->syscallno) ? arm64->syscallno : ASLEEP_IN_NO_SYSCALL;
}

static __always_inline __u16 task_asleep_in(const struct reader *reader, struct task_struct *task,
					    __u32 state)
{
	return ASLEEP_IN(task_asleep_how(reader, task, state), task_syscall(task));
}

/* A stack takes thousands of instructions, so only that of a sleep that is late is taken. */
static __always_inline void reader_keep_stack(struct reader *reader, struct task_struct *task,
					      __u64 slept_ns)
{
	if (slept_ns >= config.least_parts_ns)
		reader->stacks[reader_place(reader, 0)] = stack_of_sleeper(task);
}

#define PF_KTHREAD 0x00200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___named {
	int pid;
	char comm[COMM_SIZE];
};
#pragma clang attribute pop

static const volatile char napi_threads[] = "napi/";

/* Returns whether a thread of the kernel polls devices (threaded NAPI), by its name. */
static __always_inline bool task_polls(struct task_struct *task)
{
	const struct task_struct___named *named = (const void *)task;
	char comm[COMM_SIZE];

	bpf_probe_read_kernel(comm, sizeof(comm), named->comm);
	return comm_begins_with(comm, napi_threads, sizeof(napi_threads) - 1);
}

/* It has slept since before it was followed: for as long as anybody can ask. */
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
	reader_changes(reader, 1, READER_SLEEPS, task_asleep_in(reader, task, task_sleeps(task)));
	reader_changes(reader, now_ns, READER_WAITS_FOR_CPU, 0);
	reader->slept_ns = now_ns;
}

/* It has just been woken, by the current task unless a timer or a packet did so. */
static __always_inline void reader_note_waker(const struct reader *reader)
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
	/*
	 * A task that is woken again, or that is about to sleep but does not yet, changes nothing.
	 */
	if (READER_CHANGE_DOES(change) != READER_SLEEPS)
		return 0;
	/* Since Linux 6.1, it may be frozen where it sleeps already. */
	if (task_sleeps(task) & TASK_FROZEN)
		reader->asleep_in[reader_place(reader, 0)] =
			task_asleep_in(reader, task, TASK_FROZEN);
	now_ns = bpf_ktime_get_ns();
	if (static_branch(BRANCH_STACKS))
		reader_keep_stack(reader, task, now_ns - READER_CHANGE_NS(change));
	reader_changes(reader, now_ns, READER_WAITS_FOR_CPU, 0);
	if (static_branch(BRANCH_READER_WAITS) && now_ns - READER_CHANGE_NS(change) >= LONG_SPAN_NS)
		reader_note_waker(reader);
	return 0;
}

/* The task that a CPU has run. */
struct cpu_runs {
	__u64 switched_ns;	   /* since when it runs what it runs now */
	struct slow_other longest; /* of late, without a break; not the idle task */
	__u64 longest_ended_ns;
};

PER_CPU_VALUE(WITH_STAGES, runs_of_cpus, struct cpu_runs);

#define LONGEST_IS_OLD_NS (100 * NS_PER_MS)

static __always_inline void other_fill_in(struct slow_other *other, struct task_struct *task,
					  __u64 ran_ns)
{
	struct task_struct___named *named = (void *)task;

	other->ran_ns = ran_ns;
	other->pid = task->tgid;
	other->tid = named->pid;
	bpf_probe_read_kernel(other->comm, sizeof(other->comm), named->comm);
}

/* Notes that another task has this CPU from now on. Returns since when the one before had it. */
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

/* Finds who ran instead: the longest, if that was while the reader waited, or else the last. */
static __always_inline void reader_note_other(struct reader *reader, struct task_struct *prev,
					      const struct cpu_runs *runs, __u64 began_ns,
					      __u64 since_ns, __u64 now_ns)
{
	__u64 last_ns = now_ns - (began_ns > since_ns ? began_ns : since_ns);

	if (runs && runs->longest.ran_ns > last_ns && runs->longest_ended_ns > since_ns &&
	    runs->longest_ended_ns - since_ns > last_ns)
		reader->other = runs->longest;
	else
		other_fill_in(&reader->other, prev, now_ns - began_ns);
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
	/* Another task may have this address next. */
	if (state & TASK_DEAD) {
		reader->task = NULL;
		return;
	}
	reader->slept_ns = now_ns;
	reader->ready_ns = 0;
	reader_changes(reader, now_ns, READER_SLEEPS, task_asleep_in(reader, task, state));
}

/* Returns for how long the next one had waited for a CPU to poll devices; 0 if it had not. */
static __always_inline __u64 reader_switches(bool preempt, struct task_struct *prev,
					     struct task_struct *next)
{
	struct reader *reader = reader_find(prev);
	__u64 now_ns = bpf_ktime_get_ns(), began_ns = now_ns, change, since_ns;
	struct cpu_runs *runs = NULL;

	if (static_branch(BRANCH_OTHERS)) {
		runs = per_cpu_value(&runs_of_cpus);
		began_ns = cpu_switches(runs, prev, now_ns);
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

/* The time that a packet was in the queue while its reader did each of these. */
struct reader_parts {
	__u64 ns[NR_READER_DOES];
	__u64 known_ns;
	__u64 did_ns[NR_READER_DOES]; /* until the time that is known; see parts_add_spans() */
	__u64 longest_sleep_ns;
	__u64 longest_sleep;	 /* the change that began it */
	__u32 asleep_in;	 /* for that time: ASLEEP_IN() */
	__u32 stack;		 /* likewise, or 0; see BRANCH_STACKS */
	struct waker waker;	 /* likewise; see BRANCH_READER_WAITS */
	__u64 slept_ns;		 /* when it last fell asleep */
	struct slow_other other; /* that had the CPU that it got; see BRANCH_OTHERS */
};

PER_CPU_VALUE(WITH_STAGES, parts_of_wait, struct reader_parts);

MAP(WITH_STAGES, netstack_reader_waits, __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NR_READER_WAITS); __type(key, struct wait_key);
    __type(value, struct reader_wait););

/* This is not on the stack, of which programs for reads have little left. */
static const volatile struct reader_wait no_wait;

static __always_inline struct reader_wait *reader_wait_at(__u32 port)
{
	struct wait_key key = { .pid = bpf_get_current_pid_tgid() >> 32, .port = port };
	struct reader_wait *wait = bpf_map_lookup_elem(&netstack_reader_waits, &key);

	if (wait)
		return wait;
	bpf_map_update_elem(&netstack_reader_waits, &key, (const void *)&no_wait, BPF_NOEXIST);
	return bpf_map_lookup_elem(&netstack_reader_waits, &key);
}

/* The longest waits of the current process at a port. */
static __always_inline void reader_keep_wait(const struct reader_parts *parts, __u32 port)
{
	struct reader_wait *wait = reader_wait_at(port);

	if (!wait)
		return;
	if (parts->longest_sleep_ns > wait->asleep_ns) {
		wait->asleep_ns = parts->longest_sleep_ns;
		wait->asleep_in = parts->asleep_in;
		wait->waker = parts->waker;
	}
	if (parts->ns[READER_WAITS_FOR_CPU] > wait->ready_ns) {
		wait->ready_ns = parts->ns[READER_WAITS_FOR_CPU];
		wait->other = parts->other;
	}
}

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___memory {
	unsigned int memcg_nr_pages_over_high;
};
#pragma clang attribute pop

/* Most tasks come here for nothing, whenever they return to user space. */
static __always_inline bool current_is_over_memory_high(void)
{
	const struct task_struct___memory *task;

	if (current_task_is_typed()) {
		task = (const void *)bpf_get_current_task_btf();
		return task->memcg_nr_pages_over_high;
	}
	task = (const void *)bpf_get_current_task();
	return BPF_CORE_READ(task, memcg_nr_pages_over_high);
}

/*
 * The current task has used memory, and goes on when the kernel has freed some, or has made it
 * sleep, if its cgroup has more than memory.high.
 */
static __always_inline int reader_pays_for_memory(void)
{
	struct reader_wait *wait;
	struct reader *reader;

	if (!current_is_over_memory_high())
		return 0;
	reader = reader_find((const void *)bpf_get_current_task());
	if (!reader)
		return 0;
	reader->is_over_memory_high = true;
	wait = static_branch(BRANCH_READER_WAITS) ? reader_wait_at(ANY_PORT) : NULL;
	if (wait)
		wait->nr_over_memory_high++;
	return 0;
}

static __always_inline int reader_has_paid_for_memory(void)
{
	struct reader *reader = reader_find((const void *)bpf_get_current_task());

	if (reader)
		reader->is_over_memory_high = false;
	return 0;
}

/* Adds what the reader did from a change on; of a sleep, also in which way, if none was longer. */
static __always_inline void parts_add(struct reader_parts *parts, __u64 change, __u64 ns,
				      __u32 asleep_in, __u32 stack)
{
	parts->ns[READER_CHANGE_DOES(change)] += ns;
	if (READER_CHANGE_DOES(change) != READER_SLEEPS || ns <= parts->longest_sleep_ns)
		return;
	parts->longest_sleep_ns = ns;
	parts->longest_sleep = change;
	parts->asleep_in = asleep_in;
	parts->stack = stack;
}

static __always_inline __u64 lesser(__u64 one, __u64 other)
{
	return one < other ? one : other;
}

/* Adds a time of which it is known how long it did each in a longer one. */
static __always_inline void parts_add_share(struct reader_parts *parts,
					    const __u64 did_ns[NR_READER_DOES], __u64 ns,
					    __u64 of_ns)
{
	for (int does = 0; does < NR_READER_DOES; does++)
		parts->ns[does] += ((did_ns[does] << RATIO_BITS) / of_ns * ns) >> RATIO_BITS;
}

/*
 * Goes from the last change of a reader back to when the packet was queued. Returns since when all
 * of that is known; 0: nothing is.
 */
static __always_inline __u64 parts_add_changes(struct reader_parts *parts,
					       const struct reader *reader, __u64 queued_ns,
					       __u64 now_ns)
{
	__u64 end_ns = now_ns;

	for (int nr = 0; nr < NR_READER_CHANGES && end_ns > queued_ns; nr++) {
		__u32 place = reader_place(reader, nr);
		__u64 change = reader->changes[place], from_ns = READER_CHANGE_NS(change);

		if (!change)
			return 0;
		if (from_ns < queued_ns)
			from_ns = queued_ns;
		/* It changed meanwhile. */
		if (from_ns > end_ns)
			continue;
		parts_add(parts, change, end_ns - from_ns, reader->asleep_in[place],
			  reader->stacks[place]);
		end_ns = from_ns;
	}
	return end_ns;
}

/* Finds how long it had done each until the oldest change that is kept. */
static __always_inline void parts_go_to_oldest_change(struct reader_parts *parts,
						      const struct reader *reader)
{
	__u64 until_ns = READER_CHANGE_NS(reader_last_change(reader));

	for (int does = 0; does < NR_READER_DOES; does++)
		parts->did_ns[does] = reader->did_ns[does];
	for (int nr = 1; nr < NR_READER_CHANGES; nr++) {
		__u64 change = reader->changes[reader_place(reader, nr)];

		parts->did_ns[READER_CHANGE_DOES(change)] -= until_ns - READER_CHANGE_NS(change);
		until_ns = READER_CHANGE_NS(change);
	}
}

/*
 * Goes on by the spans, and by the sums of what lies between them. Returns since when all is known.
 */
static __always_inline __u64 parts_add_spans(struct reader_parts *parts,
					     const struct reader *reader, __u64 queued_ns,
					     __u64 end_ns)
{
	struct reader_spans *spans = reader_spans(reader);

	parts_go_to_oldest_change(parts, reader);
	for (int nr = 0; spans && nr < NR_READER_SPANS && end_ns > queued_ns; nr++) {
		const struct reader_span *span = span_before(spans, nr);
		__u64 from_ns = READER_CHANGE_NS(span->change);
		__u64 span_ns = span->until_ns - from_ns;
		__u64 between_ns = end_ns - span->until_ns;

		if (!span->until_ns)
			break;
		/* It is one of the last changes. */
		if (span->until_ns > end_ns)
			continue;
		for (int does = 0; does < NR_READER_DOES; does++)
			parts->did_ns[does] -= span->did_ns[does];
		parts->did_ns[READER_CHANGE_DOES(span->change)] -= span_ns;
		parts_add_share(parts, parts->did_ns, lesser(between_ns, end_ns - queued_ns),
				between_ns);
		if (span->until_ns <= queued_ns)
			return queued_ns;
		parts_add(parts, span->change, lesser(span_ns, span->until_ns - queued_ns),
			  span->asleep_in, span->stack);
		end_ns = from_ns > queued_ns ? from_ns : queued_ns;
		for (int does = 0; does < NR_READER_DOES; does++)
			parts->did_ns[does] = span->did_ns[does];
	}
	return end_ns;
}

/* Finds who ended the longest sleep. */
static __always_inline void parts_find_waker(struct reader_parts *parts,
					     const struct reader *reader)
{
	struct reader_spans *spans = reader_spans(reader);

	for (int nr = 0; spans && nr < NR_READER_SPANS; nr++)
		if (spans->last[nr].change == parts->longest_sleep) {
			parts->waker = spans->last[nr].waker;
			return;
		}
}

/*
 * Returns whether it is known what a reader did since the packet was queued. The time before all
 * that is kept is taken to be as what came after.
 */
static __always_inline bool reader_go_back(const struct reader *reader, struct reader_parts *parts,
					   __u64 queued_ns, __u64 now_ns)
{
	__u64 end_ns = parts_add_changes(parts, reader, queued_ns, now_ns);

	if (!end_ns)
		return false;
	if (end_ns > queued_ns)
		end_ns = parts_add_spans(parts, reader, queued_ns, end_ns);
	parts->known_ns = now_ns - end_ns;
	if (end_ns > queued_ns && end_ns < now_ns)
		parts_add_share(parts, parts->ns, end_ns - queued_ns, now_ns - end_ns);
	return true;
}

/*
 * When a packet waits for its reader, and not behind those that it reads one by one: until it takes
 * the first of these, or since it took the one before, whichever is longer. Segments of TCP are
 * read together.
 */
static __always_inline void reader_bound_wait(struct reader *reader, __u64 *from_ns,
					      __u64 *until_ns, __u32 socket)
{
	__u64 read_ns = reader->read_from == socket ? reader->read_ns : 0, now_ns = *until_ns;

	if (!socket)
		return;
	reader->read_from = socket;
	reader->read_ns = now_ns;
	if (*from_ns >= read_ns)
		reader->first_ns = now_ns;
	else if ((__s64)(reader->first_ns - *from_ns) > (__s64)(now_ns - read_ns))
		*until_ns = reader->first_ns;
	else
		*from_ns = read_ns;
}

/*
 * Returns whether it is known what the current task, which reads a packet, did while that was in
 * its queue. It is one global function: at each place where it is called, verifiers would take
 * minutes, or refuse it.
 */
GLOBAL(WITH_STAGES)
int reader_part_wait(__u64 queued_ns, __u64 now_ns, __u32 socket, __u64 least_ns, __u32 port)
{
	bool is_short = now_ns - queued_ns < least_ns;

	__u64 task = bpf_get_current_task();
	struct reader *reader = reader_find((const void *)task);
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);

	if (!reader)
		reader_add_current((const void *)task);
	if (!reader || !parts)
		return 0;
	reader->has_read = true;
	reader = reader_in_any_place(reader, (const void *)task);
	if (static_branch(BRANCH_READER_WAITS))
		reader_bound_wait(reader, &queued_ns, &now_ns, socket);
	if (is_short)
		return 0;
	*parts = (struct reader_parts){ .slept_ns = reader->slept_ns };
	if (!reader_go_back(reader, parts, queued_ns, now_ns))
		return 0;
	if (static_branch(BRANCH_OTHERS))
		parts->other = reader->other;
	if (static_branch(BRANCH_READER_WAITS) && parts->longest_sleep_ns >= LONG_SPAN_NS)
		parts_find_waker(parts, reader);
	if (static_branch(BRANCH_READER_WAITS) && port != ANY_PORT)
		reader_keep_wait(parts, port);
	return 1;
}

/*
 * Returns what it did; NULL if that is not known, as it was not followed yet when the packet was
 * queued, or if the packet waited for less than least_ns. The socket is that of a datagram, or
 * NULL: a global function takes no address for a number, but a half of it is one. The longest waits
 * of a port are kept, but not those of ANY_PORT. Holds until this is asked again.
 */
static __always_inline const struct reader_parts *reader_parts(__u64 queued_ns, __u64 now_ns,
							       const struct sock *datagram_sk,
							       __u64 least_ns, __u32 port)
{
	return reader_part_wait(queued_ns, now_ns, address_low(datagram_sk), least_ns, port)
		       ? per_cpu_value(&parts_of_wait)
		       : NULL;
}

#endif
