/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of the kernel, for BPF programs: where tasks were while packets waited for them; see
 * BRANCH_STACKS.
 */
#ifndef NETSTACKLAT_STACK_BPF_H
#define NETSTACKLAT_STACK_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/kernel/per_cpu.bpf.h"
#include "lib/tables/stack.h"

MAP(WITH_STAGES, netstack_stacks, __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NR_STACKS); __type(key, __u32); __type(value, struct stack););

MAP(WITH_STAGES, netstack_stack_waits, __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NR_STACKS); __type(key, struct stack_key);
    __type(value, struct stack_wait););

/*
 * A program's own stack has no room for a struct stack. There are two, as a wake-up may interrupt a
 * release.
 */
PER_CPU_VALUE(WITH_STAGES, stack_at_wakeup, struct stack);
PER_CPU_VALUE(WITH_STAGES, stack_at_release, struct stack);

/* Two of 1024 stacks have the same hash, and so pass for one, in 1 of 8000 runs. */
static __always_inline __u32 stack_hash(const struct stack *stack)
{
	__u64 hash = 0;

	for (int i = 0; i < NR_FRAMES; i++)
		hash = (hash ^ stack->frames[i]) * 0x9e3779b97f4a7c15ULL;
	return hash >> 32 ?: 1;
}

/* Keeps a stack, of which so many bytes were taken. Returns its number; 0 if there are none. */
static __always_inline __u32 stack_keep(struct stack *stack, long size)
{
	__u32 number;

	if (size <= 0)
		return 0;
	for (int i = 0; i < NR_FRAMES; i++)
		if (i * (long)sizeof(*stack->frames) >= size)
			stack->frames[i] = 0;
	number = stack_hash(stack);
	bpf_map_update_elem(&netstack_stacks, &number, stack, BPF_NOEXIST);
	return number;
}

/* The number of the stack in which a task sleeps; 0 if the kernel does not tell. */
static __always_inline __u32 stack_of_sleeper(struct task_struct *task)
{
	struct stack *stack = per_cpu_value(&stack_at_wakeup);

	return stack ? stack_keep(stack, bpf_get_task_stack(task, stack, sizeof(*stack), 0)) : 0;
}

/* The number of the stack of the current task, in a program with this context. */
static __always_inline __u32 stack_of_current(void *context)
{
	struct stack *stack = per_cpu_value(&stack_at_release);

	return stack ? stack_keep(stack, bpf_get_stack(context, stack, sizeof(*stack), 0)) : 0;
}

/* The current process let something wait, in a stack of this number. */
static __noinline int stack_count(enum stack_of of, __u16 port, __u32 number, __u64 ns)
{
	struct stack_key key = {
		.pid = current_pid(),
		.stack = number,
		.port = port,
		.of = of,
	};
	struct stack_wait *wait = bpf_map_lookup_elem(&netstack_stack_waits, &key), first = { 0 };

	if (!wait) {
		bpf_get_current_comm(first.comm, sizeof(first.comm));
		bpf_map_update_elem(&netstack_stack_waits, &key, &first, BPF_NOEXIST);
		wait = bpf_map_lookup_elem(&netstack_stack_waits, &key);
	}
	if (wait) {
		__sync_fetch_and_add(&wait->count, 1);
		__sync_fetch_and_add(&wait->ns, ns);
	}
	return 0;
}

#endif
