/* SPDX-License-Identifier: GPL-2.0 */
/* In what context a program runs, for BPF programs. */
#ifndef NETSTACKLAT_CONTEXT_BPF_H
#define NETSTACKLAT_CONTEXT_BPF_H

#include "lib/bpf/kernel/features.bpf.h"

/*
 * Bits of the kernel's preempt count: in an NMI, in an interrupt, and with softirqs served or off.
 */
#define PREEMPT_COUNT_NMI_AND_IRQ 0x00ff0000
#define PREEMPT_COUNT_SOFTIRQ 0x0000ff00

/* struct pcpu_hot: a pointer, and then the preempt count. */
#define PREEMPT_COUNT_IN_PCPU_HOT 8

/*
 * This CPU's variable of the kernel. If it were an extern, libbpf would look for it in the BTF of
 * modules, too, which only root may read.
 */
#define this_cpu_variable(number)                                                             \
	({                                                                                    \
		const void *variable;                                                         \
		asm volatile("%0 = %1 ll" : "=r"(variable) : "i"(VARIABLE_MAGIC + (number))); \
		bpf_this_cpu_ptr(variable);                                                   \
	})

/* The kernel's preempt count; all bits if it is not known where this kernel has it. */
static __always_inline __u32 preempt_count(void)
{
	const struct task_struct___arm64 *task = (const void *)bpf_get_current_task_btf();

	if (bpf_core_field_exists(task->thread_info.preempt.count))
		return task->thread_info.preempt.count;
	if (static_branch(BRANCH_PREEMPT_COUNT))
		return *(const __u32 *)this_cpu_variable(VARIABLE_PREEMPT_COUNT);
	if (static_branch(BRANCH_PCPU_HOT))
		return *(const __u32 *)(this_cpu_variable(VARIABLE_PREEMPT_COUNT) +
					PREEMPT_COUNT_IN_PCPU_HOT);
	return ~0U;
}

/*
 * Returns whether this runs for the current task, and not in an interrupt or softirq, which may be
 * for any task.
 */
static __always_inline bool is_in_task(void)
{
	const struct task_struct___rt *task = (const void *)bpf_get_current_task_btf();
	__u32 count = preempt_count();

	if (bpf_core_field_exists(task->softirq_disable_cnt))
		count |= task->softirq_disable_cnt;
	return !(count & (PREEMPT_COUNT_NMI_AND_IRQ | PREEMPT_COUNT_SOFTIRQ));
}

/* The kernel's numbers of times in its struct kernel_cpustat. */
#define CPUTIME_SOFTIRQ 3
#define CPUTIME_IRQ 4

/* Returns for how long this CPU has served softirqs and interrupts, by the kernel's ticks. */
static __always_inline __u64 cpu_interrupted_ns(void)
{
	const struct kernel_cpustat *times;

	if (!static_branch(BRANCH_CPUSTAT))
		return 0;
	times = this_cpu_variable(VARIABLE_CPUSTAT);
	return times->cpustat[CPUTIME_SOFTIRQ] + times->cpustat[CPUTIME_IRQ];
}

/* The process that runs, as others than the kernel number it. */
static __always_inline __u32 current_pid(void)
{
	return bpf_get_current_pid_tgid() >> 32;
}

#endif
