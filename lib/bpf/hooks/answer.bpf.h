/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time that an application takes to answer, for BPF programs; and what a thread did between a
 * read and the answer, or while a connection waited to be accepted.
 */
#ifndef NETSTACKLAT_ANSWER_BPF_H
#define NETSTACKLAT_ANSWER_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/path/record.bpf.h"
#include "lib/bpf/path/reader_parts.bpf.h"
#include "lib/tables/tcp_times.h"
#include "lib/tables/units.h"

static __always_inline int record_socket_ns(enum probe probe, const struct sock *sk, __u64 ns)
{
	return record_ns(probe, &(struct packet){ .sk = sk, .has = probe_has(probe) }, ns);
}

#define TASK_WAIT_MAP(name)                                                     \
	MAP(WITH_STAGES, name, __uint(type, BPF_MAP_TYPE_LRU_HASH);             \
	    __uint(max_entries, NR_READER_WAITS); __type(key, struct wait_key); \
	    __type(value, struct task_wait);)
TASK_WAIT_MAP(netstack_answer_waits);
TASK_WAIT_MAP(netstack_accept_waits);

/* Nobody asks why a shorter wait took its time. */
#define LONG_ANSWER_NS NS_PER_MS

/*
 * Keeps what the current thread did since then, if no wait at this port was longer. Returns what it
 * did; NULL if that is not known, or if nobody asks for it.
 */
static __always_inline const struct reader_parts *task_keep_wait(void *waits, __u16 port,
								 __u64 since_ns, __u64 now_ns)
{
	struct wait_key key = { .pid = current_pid(), .port = port };
	const struct task_wait *longest = bpf_map_lookup_elem(waits, &key);
	struct task_wait new = {
		.ns = now_ns - since_ns,
		.nr_unasked = longest ? longest->nr_unasked : 0,
	};
	const bool is_longest = !longest || longest->ns < new.ns;
	const struct reader_parts *parts;

	if (!is_longest && !static_branch(BRANCH_STACKS))
		return NULL;
	parts = reader_parts(since_ns, now_ns, NULL, 0, ANY_PORT);
	/* The rest is taken to be as what is known. */
	if (!parts || !is_longest || parts_known_ns(parts) < new.ns / 2)
		return parts;
	new.asleep_ns = parts->longest_sleep_ns;
	new.all_asleep_ns = parts->ns[READER_SLEEPS];
	new.ready_ns = parts->ns[READER_WAITS_FOR_CPU];
	new.running_ns = parts->ns[READER_RUNS];
	new.other = parts->other;
	new.waker = parts->waker;
	new.asleep_in = parts->asleep_in;
	bpf_map_update_elem(waits, &key, &new, BPF_ANY);
	return parts;
}

/* Each answer that is late counts for its stacks. */
static __noinline int answer_keep_wait(__u16 port, __u64 read_ns, __u64 now_ns)
{
	const struct reader_parts *parts =
		task_keep_wait(&netstack_answer_waits, port, read_ns, now_ns);

	if (parts && static_branch(BRANCH_STACKS) &&
	    parts->longest_sleep_ns >= config.least_parts_ns)
		stack_count(STACK_OF_ANSWER, port, parts->stack, parts->ns[READER_SLEEPS]);
	return 0;
}

/* Notes that so many late answers at this port were none. */
static __noinline int answers_were_none(__u16 port, __u32 nr)
{
	struct wait_key key = { .pid = current_pid(), .port = port };
	struct task_wait *wait = bpf_map_lookup_elem(&netstack_answer_waits, &key);

	if (wait)
		wait->nr_unasked += nr;
	return 0;
}

static __noinline int accept_keep_wait(__u16 port, __u64 queued_ns, __u64 now_ns)
{
	task_keep_wait(&netstack_accept_waits, port, queued_ns, now_ns);
	return 0;
}

static __always_inline bool is_long_wait(struct packet *packet, __u64 ns)
{
	return with_reader_waits() && ns > LONG_ANSWER_NS &&
	       !is_folded(packet, packet->sk->__sk_common.skc_num) && filter_passes(packet);
}

/* Counts the time between a read and the answer. A client may think for as long as it likes. */
static __always_inline int record_answer(enum probe probe, const struct sock *sk, __u64 read_ns,
					 __u64 now_ns)
{
	struct packet packet = { .sk = sk, .has = probe_has(probe) };

	if (is_long_wait(&packet, now_ns - read_ns))
		answer_keep_wait(sk->__sk_common.skc_num, read_ns, now_ns);
	if (!sample_takes(probe, now_ns - read_ns, now_ns))
		return 0;
	return record_socket_ns(probe, sk, now_ns - read_ns);
}

/*
 * Returns whether the application may have waited for room in the send buffer: the peer has not
 * acknowledged all of it yet.
 */
static __always_inline bool has_unacknowledged(struct sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	return tp && tp->snd_una != tp->write_seq;
}

/* Returns whether a pause is no longer than twice one in which nothing was read. */
static __always_inline bool is_as_unasked(const struct pauses *pauses, __u64 pause_ns)
{
	return pause_ns <= 2 * pauses->unasked_ns;
}

/*
 * Notes that an application writes, and that it may have read before. Returns when it read the
 * request that this answers; 0 if it answers none. A function of its own takes no room on the stack
 * of the caller, which keeps the wait.
 */
static __noinline __u64 note_pause(struct sock *sk, struct pauses *pauses, __u64 read_ns,
				   __u64 now_ns)
{
	__u64 before_ns = pauses->written_ns ?: read_ns, pause_ns = now_ns - before_ns;

	pauses->written_ns = now_ns;
	if (!before_ns || pause_ns < config.least_parts_ns)
		return read_ns;
	/* A write right behind a read answers that read, whatever the pause before was. */
	if (read_ns && now_ns - read_ns < config.least_parts_ns)
		return read_ns;
	if (read_ns && is_as_unasked(pauses, pause_ns))
		return 0;
	if (read_ns) {
		pauses->nr_late++;
		if (pause_ns > pauses->longest_ns)
			pauses->longest_ns = pause_ns;
		return read_ns;
	}
	if (has_unacknowledged(sk))
		return 0;
	pauses->unasked_ns = pause_ns;
	if (pauses->nr_late && is_as_unasked(pauses, pauses->longest_ns))
		answers_were_none(sk->__sk_common.skc_num, pauses->nr_late);
	pauses->nr_late = pauses->longest_ns = 0;
	return 0;
}

/* An application writes: counts how long its peer has waited, if that asked for anything. */
static __always_inline int answer_is_sent(enum probe probe, struct sock *sk, struct answer *answer,
					  __u64 now_ns)
{
	__u64 read_ns = answer->read_ns;

	answer->read_ns = 0;
	if (with_reader_waits())
		read_ns = note_pause(sk, &answer->pauses, read_ns, now_ns);
	return read_ns ? record_answer(probe, sk, read_ns, now_ns)
		       : discard(probe, DISCARD_FILTERED);
}

/* This lies between a handshake and accept(2). */
static __always_inline int record_accept(enum probe probe, const struct sock *sk, __u64 queued_ns,
					 __u64 now_ns)
{
	struct packet packet = { .sk = sk, .has = probe_has(probe) };

	if (is_long_wait(&packet, now_ns - queued_ns))
		accept_keep_wait(sk->__sk_common.skc_num, queued_ns, now_ns);
	return record_socket_ns(probe, sk, now_ns - queued_ns);
}

#endif
