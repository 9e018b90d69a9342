/* SPDX-License-Identifier: GPL-2.0 */
/* Finds who has a CPU while NET_RX is raised and does not run, for BPF programs. */
#ifndef NETSTACKLAT_SOFTIRQ_BPF_H
#define NETSTACKLAT_SOFTIRQ_BPF_H

#include "lib/bpf/hooks/span.bpf.h"
#include "lib/bpf/path/wakeup.bpf.h"
#include "lib/tables/softirq_wait.h"
#include "lib/tables/units.h"

MAP(WITH_STAGES, netstack_softirq_waits, __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NR_SOFTIRQ_WAITS); __type(key, __u32); __type(value, struct softirq_wait););

/* The task that had this CPU for longest while NET_RX was raised. */
PER_CPU_VALUE(WITH_STAGES, softirq_others, struct slow_other);

/* Nobody asks why NET_RX waited for less. */
#define LONG_WAIT_NS (100 * NS_PER_US)

static __always_inline bool softirq_is_late(__u64 raised_ns, __u64 now_ns)
{
	return raised_ns && now_ns - raised_ns >= LONG_WAIT_NS;
}

/* Returns for how long a task has run here while NET_RX was raised. */
static __always_inline __u64 softirq_ran_ns(__u64 raised_ns, __u64 now_ns)
{
	const struct cpu_runs *runs = per_cpu_value(&runs_of_cpus);

	return now_ns - (runs && runs->switched_ns > raised_ns ? runs->switched_ns : raised_ns);
}

/* A task leaves its CPU, before that is noted elsewhere. */
static __always_inline void softirq_note_run(struct task_struct *task)
{
	const struct spans *spans = per_cpu_value(&spans_of_cpus);
	struct slow_other *other;
	__u64 now_ns, ran_ns;

	/*
	 * Mostly, NET_RX is not raised. Seeing that takes fewer instructions than reading the
	 * clock.
	 */
	if (!spans || !spans->softirq_net_rx_ns || !task->tgid)
		return;
	now_ns = bpf_ktime_get_ns();
	other = per_cpu_value(&softirq_others);
	if (!other || !softirq_is_late(spans->softirq_net_rx_ns, now_ns))
		return;
	ran_ns = softirq_ran_ns(spans->softirq_net_rx_ns, now_ns);
	if (ran_ns > other->ran_ns)
		other_fill_in(other, task, ran_ns);
}

static const volatile char ksoftirqd[] = "ksoftirqd/";

/* Only the kernel's own threads have this flag; others may take this name. */
static __always_inline bool is_ksoftirqd(const char comm[COMM_SIZE])
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return comm_begins_with(comm, ksoftirqd, sizeof(ksoftirqd) - 1) &&
	       BPF_CORE_READ(task, flags) & PF_KTHREAD;
}

/* The softirq interrupts a task, which ran meanwhile, too, unless it is ksoftirqd. */
static __always_inline void softirq_note_current(struct softirq_wait *wait, __u64 ran_ns)
{
	__u64 id = bpf_get_current_pid_tgid();
	char comm[COMM_SIZE];

	bpf_get_current_comm(comm, sizeof(comm));
	if (is_ksoftirqd(comm)) {
		__builtin_memcpy(wait->thread, comm, sizeof(comm));
		return;
	}
	if (!id || ran_ns <= wait->other.ran_ns)
		return;
	wait->other.ran_ns = ran_ns;
	wait->other.pid = id >> 32;
	wait->other.tid = id;
	__builtin_memcpy(wait->other.comm, comm, sizeof(comm));
}

/* Returns whether it was later on this CPU than this. */
static __always_inline bool softirq_was_later(__u32 cpu, __u64 wait_ns)
{
	const struct softirq_wait *wait = bpf_map_lookup_elem(&netstack_softirq_waits, &cpu);

	return wait && wait->wait_ns >= wait_ns;
}

/* NET_RX was raised then, and begins to run now. If it was never later, keeps why. */
static __noinline int softirq_keep_wait(__u64 raised_ns, __u64 now_ns)
{
	struct slow_other *other = per_cpu_value(&softirq_others);
	struct softirq_wait new = { .wait_ns = now_ns - raised_ns };
	__u32 cpu = bpf_get_smp_processor_id();

	if (!other)
		return 0;
	new.other = *other;
	other->ran_ns = 0;
	other->tid = 0;
	if (softirq_was_later(cpu, new.wait_ns))
		return 0;
	softirq_note_current(&new, softirq_ran_ns(raised_ns, now_ns));
	bpf_map_update_elem(&netstack_softirq_waits, &cpu, &new, BPF_ANY);
	return 0;
}

/* The same for a thread that polls, and has a CPU now. */
static __noinline int softirq_keep_wait_of_thread(struct task_struct *task, __u64 wait_ns)
{
	const struct task_struct___named *named = (const void *)task;
	const struct reader *reader = reader_find(task);
	struct softirq_wait new = { .wait_ns = wait_ns };
	__u32 cpu = bpf_get_smp_processor_id();

	if (!reader || softirq_was_later(cpu, wait_ns))
		return 0;
	new.other = reader->other;
	bpf_probe_read_kernel(new.thread, sizeof(new.thread), named->comm);
	bpf_map_update_elem(&netstack_softirq_waits, &cpu, &new, BPF_ANY);
	return 0;
}

/* Such a thread receives as NET_RX does, and a wake-up tells it to. */
static __always_inline int softirq_count_thread(struct task_struct *task, __u64 wait_ns)
{
	if (!is_asked_for(PROBE_softirq_entry, TASK_COUNT))
		return 0;
	if (wait_ns >= LONG_WAIT_NS)
		softirq_keep_wait_of_thread(task, wait_ns);
	return record_wait(PROBE_softirq_entry, &(struct packet){ .has = 0 }, wait_ns);
}

#endif
