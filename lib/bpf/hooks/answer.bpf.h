/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that a socket took, for BPF programs; and in what a thread slept between a read and the
 * answer.
 */
#ifndef NETSTACKLAT_ANSWER_BPF_H
#define NETSTACKLAT_ANSWER_BPF_H

#include "lib/bpf/path/record.bpf.h"
#include "lib/bpf/path/wakeup.bpf.h"
#include "lib/tables/units.h"

static __always_inline int record_socket_ns(enum probe probe, const struct sock *sk, __u64 ns)
{
	return record_ns(probe, &(struct packet){ .sk = sk, .has = probe_has(probe) }, ns);
}

MAP(WITH_STAGES, netstack_answer_waits, __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, NR_READER_WAITS); __type(key, struct wait_key);
    __type(value, struct answer_wait););

/*
 * Keeps what the current thread did since it read: of its longest answer and, for its stacks, of
 * each one that is late.
 */
static __noinline int answer_keep_wait(__u16 port, __u64 read_ns, __u64 now_ns)
{
	struct wait_key key = { .pid = bpf_get_current_pid_tgid() >> 32, .port = port };
	struct answer_wait new = { .answer_ns = now_ns - read_ns }, *wait;
	const struct reader_parts *parts;
	bool is_longest;

	wait = bpf_map_lookup_elem(&netstack_answer_waits, &key);
	is_longest = !wait || wait->answer_ns < new.answer_ns;
	if (!is_longest && !static_branch(BRANCH_STACKS))
		return 0;
	parts = reader_parts(read_ns, now_ns, NULL, 0, ANY_PORT);
	if (!parts)
		return 0;
	if (static_branch(BRANCH_STACKS) && parts->longest_sleep_ns >= config.least_parts_ns)
		stack_count(STACK_OF_ANSWER, port, parts->stack, parts->ns[READER_SLEEPS]);
	if (!is_longest)
		return 0;
	new.asleep_ns = parts->longest_sleep_ns;
	new.asleep_in = parts->asleep_in;
	bpf_map_update_elem(&netstack_answer_waits, &key, &new, BPF_ANY);
	return 0;
}

/* Nobody asks why a shorter answer took its time. */
#define LONG_ANSWER_NS NS_PER_MS

/* This lies between a read and the answer. A client may think for as long as it likes. */
static __always_inline int record_answer(enum probe probe, const struct sock *sk, __u64 read_ns,
					 __u64 now_ns)
{
	struct packet packet = { .sk = sk, .has = probe_has(probe) };
	__u16 port = sk->__sk_common.skc_num;

	if (WITH_STAGES && static_branch(BRANCH_READER_WAITS) &&
	    now_ns - read_ns > LONG_ANSWER_NS && !is_folded(&packet, port) &&
	    filter_passes(&packet))
		answer_keep_wait(port, read_ns, now_ns);
	return record_socket_ns(probe, sk, now_ns - read_ns);
}

#endif
