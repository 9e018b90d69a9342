/* SPDX-License-Identifier: GPL-2.0 */
/* The last tasks that each CPU ran, for BPF programs, and whether softirqs interrupted them. */
#ifndef NETSTACKLAT_CPU_RUNS_BPF_H
#define NETSTACKLAT_CPU_RUNS_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/kernel/per_cpu.bpf.h"
#include "lib/tables/slow_packet.h"
#include "lib/tables/units.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___named {
	int pid;
	char comm[COMM_SIZE];
};
#pragma clang attribute pop

/* The last runs of tasks on a CPU. */
struct cpu_runs {
	__u64 switched_ns;	   /* since when it runs what it runs now */
	__u64 interrupted_ns;	   /* how long it had served softirqs until then ... */
	__u64 last_interrupted_ns; /* ... and of that, while it ran the one before */
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

/* The kernel counts interruptions in ticks, and one tick may meet a softirq by chance. */
#define LONG_INTERRUPTION_NS (10 * NS_PER_MS)

static __always_inline void other_fill_in_softirqs(struct slow_other *other, __u64 ran_ns)
{
	other->ran_ns = ran_ns;
	other->pid = 0;
	other->tid = IS_SOFTIRQS;
}

/* Returns whether softirqs or interrupts took most of a time. */
static __always_inline bool cpu_was_interrupted(__u64 interrupted_ns, __u64 ns)
{
	return interrupted_ns >= LONG_INTERRUPTION_NS && 2 * interrupted_ns > ns;
}

/*
 * The same for a task that has run for so long. If softirqs interrupted it for most of that time,
 * they are told instead: to the scheduler, the task ran all the while.
 */
static __always_inline void other_fill_in_run(struct slow_other *other, struct task_struct *task,
					      __u64 ran_ns, __u64 interrupted_ns)
{
	if (cpu_was_interrupted(interrupted_ns, ran_ns))
		other_fill_in_softirqs(other, interrupted_ns < ran_ns ? interrupted_ns : ran_ns);
	else
		other_fill_in(other, task, ran_ns);
}

/* Notes that another task has this CPU from now on. Returns since when the previous one had it. */
static __always_inline __u64 cpu_switches(struct cpu_runs *runs, struct task_struct *prev,
					  __u64 now_ns)
{
	__u64 began_ns, interrupted_ns;

	if (!runs)
		return now_ns;
	began_ns = runs->switched_ns ?: now_ns;
	runs->switched_ns = now_ns;
	interrupted_ns = cpu_interrupted_ns();
	if (runs->interrupted_ns)
		runs->last_interrupted_ns = interrupted_ns - runs->interrupted_ns;
	runs->interrupted_ns = interrupted_ns;
	if (prev->tgid && (now_ns - began_ns >= runs->longest.ran_ns ||
			   now_ns - runs->longest_ended_ns > LONGEST_IS_OLD_NS)) {
		other_fill_in_run(&runs->longest, prev, now_ns - began_ns,
				  runs->last_interrupted_ns);
		runs->longest_ended_ns = now_ns;
	}
	return began_ns;
}

#endif
