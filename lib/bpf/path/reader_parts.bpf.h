/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet's wait for its reader in parts, for BPF programs: the reader slept, was ready, or ran.
 */
#ifndef NETSTACKLAT_READER_PARTS_BPF_H
#define NETSTACKLAT_READER_PARTS_BPF_H

#include "lib/bpf/kernel/context.bpf.h"
#include "lib/bpf/kernel/per_cpu.bpf.h"
#include "lib/bpf/kernel/rounds.bpf.h"
#include "lib/bpf/path/cpu_runs.bpf.h"
#include "lib/bpf/path/reader.bpf.h"

/* The precision of fractions in parts_add_share(). */
#define RATIO_BITS 10

/* The time that a packet was in the queue while its reader did each of these. */
struct reader_parts {
	__u64 from_ns, until_ns; /* the wait that it is about ... */
	__u64 since_ns;		 /* ... and the part of it that is known */
	__u64 ns[NR_READER_DOES];
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

/* This is not on the stack, of which the programs for reads have little left. */
static const volatile struct reader_wait no_wait;

static __always_inline struct reader_wait *reader_wait_at(__u32 port)
{
	struct wait_key key = { .pid = current_pid(), .port = port };
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

/*
 * Adds what the reader did from a change on. If it is the longest sleep, notes in which way it
 * slept, too.
 */
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

/* Adds a time by shares: it is known how long the reader did each in a longer time. */
static __always_inline void parts_add_share(struct reader_parts *parts,
					    const __u64 did_ns[NR_READER_DOES], __u64 ns,
					    __u64 of_ns)
{
	for (int does = 0; does < NR_READER_DOES; does++)
		parts->ns[does] += ((did_ns[does] << RATIO_BITS) / of_ns * ns) >> RATIO_BITS;
}

static __always_inline __u64 parts_known_ns(const struct reader_parts *parts)
{
	return parts->until_ns - parts->since_ns;
}

/*
 * The current task's wait is told apart in steps, each of which finds the task and its parts anew.
 * The first step is a part of its caller; the others are global functions, at which the verifier
 * looks once. Inline, it would look at each loop for each way out of the loop before, and take
 * twice as long or longer. And if the functions called each other, they would not fit on the stack.
 */

/*
 * Returns whether a part of the wait is not known yet. To the verifier, a value that is read anew
 * may be any number. So each round of a loop looks like the round before, at which it has looked
 * already.
 */
static __always_inline bool parts_are_missing(const struct reader_parts *parts)
{
	barrier();
	return parts->since_ns > parts->from_ns;
}

/* Goes from the last change back. Returns whether anything is known of the wait. */
static __always_inline bool parts_add_changes(struct reader_parts *parts,
					      const struct reader *reader, __u64 from_ns,
					      __u64 until_ns)
{
	*parts = (struct reader_parts){
		.from_ns = from_ns,
		.until_ns = until_ns,
		.since_ns = until_ns,
		.slept_ns = reader->slept_ns,
	};
	for (int nr = 0; nr < NR_READER_CHANGES && parts_are_missing(parts); nr++) {
		__u32 place = reader_place(reader, nr);
		__u64 change = reader->changes[place], began_ns = READER_CHANGE_NS(change);

		if (!change)
			return false;
		/*
		 * In each round, the verifier would learn something of the argument, but not of
		 * this member.
		 */
		if (began_ns < parts->from_ns)
			began_ns = parts->from_ns;
		/* It changed meanwhile. */
		if (began_ns > parts->since_ns)
			continue;
		parts_add(parts, change, parts->since_ns - began_ns, reader->asleep_in[place],
			  reader->stacks[place]);
		parts->since_ns = began_ns;
	}
	return true;
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

/* Adds a span, and the sum of what lies between it and what is known. */
static __always_inline void parts_add_span(struct reader_parts *parts,
					   const struct reader_span *span)
{
	__u64 from_ns = READER_CHANGE_NS(span->change), queued_ns = parts->from_ns;
	__u64 span_ns = span->until_ns - from_ns, between_ns = parts->since_ns - span->until_ns;

	for (int does = 0; does < NR_READER_DOES; does++)
		parts->did_ns[does] -= span->did_ns[does];
	parts->did_ns[READER_CHANGE_DOES(span->change)] -= span_ns;
	parts_add_share(parts, parts->did_ns, lesser(between_ns, parts->since_ns - queued_ns),
			between_ns);
	parts->since_ns = queued_ns;
	if (span->until_ns <= queued_ns)
		return;
	parts_add(parts, span->change, lesser(span_ns, span->until_ns - queued_ns), span->asleep_in,
		  span->stack);
	if (from_ns > queued_ns)
		parts->since_ns = from_ns;
	for (int does = 0; does < NR_READER_DOES; does++)
		parts->did_ns[does] = span->did_ns[does];
}

/* The context of the rounds below. */
struct parts_by_spans {
	struct reader_parts *parts;
	struct reader_spans *spans;
};

/* Adds the span so many before the last. Returns 1 if all is known, or there is no such span. */
static long parts_add_span_before(__u32 nr_later, void *context)
{
	const struct parts_by_spans *by = context;
	const struct reader_span *span = span_before(by->spans, nr_later);

	if (!parts_are_missing(by->parts) || !span->until_ns)
		return 1;
	/* Others are among the last changes. */
	if (span->until_ns <= by->parts->since_ns)
		parts_add_span(by->parts, span);
	return 0;
}

/* Goes on by the spans. */
GLOBAL(WITH_STAGES)
int parts_add_spans(void)
{
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);
	const struct reader *reader = reader_of_current();
	struct reader_spans *spans = reader ? reader_spans(reader) : NULL;
	struct parts_by_spans by = { parts, spans };

	if (!parts || !spans)
		return 0;
	parts_go_to_oldest_change(parts, reader);
	for_each_round(static_branch(BRANCH_BPF_LOOP), NR_READER_SPANS, parts_add_span_before, &by);
	return 0;
}

/*
 * Goes back to the oldest mark since the wait began. A mark does not tell what was done for long.
 */
GLOBAL(WITH_STAGES)
int parts_add_marks(void)
{
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);
	const struct reader *reader = reader_of_current();
	struct reader_spans *spans = reader ? reader_spans(reader) : NULL;
	const struct reader_mark *mark;
	__u64 oldest_ns;
	__u32 oldest = 0;

	if (!parts || !spans)
		return 0;
	oldest_ns = parts->since_ns;
	for (__u32 nr = 0; nr < NR_READER_MARKS; nr++) {
		__u64 ns = spans->marks[nr].ns;

		if (ns < parts->from_ns || ns >= oldest_ns)
			continue;
		oldest_ns = ns;
		oldest = mark_number(spans, &spans->marks[nr]);
	}
	if (oldest_ns == parts->since_ns)
		return 0;
	mark = mark_at(spans, oldest);
	for (int does = 0; does < NR_READER_DOES; does++)
		parts->ns[does] += parts->did_ns[does] - mark->did_ns[does];
	parts->since_ns = oldest_ns;
	return 0;
}

/* Finds who ended the longest sleep, and who had the CPU. */
GLOBAL(WITH_STAGES)
int parts_find_others(void)
{
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);
	const struct reader *reader = reader_of_current();
	struct reader_spans *spans;

	if (!parts || !reader)
		return 0;
	if (static_branch(BRANCH_OTHERS))
		parts->other = reader->other;
	if (!static_branch(BRANCH_READER_WAITS) || parts->longest_sleep_ns < LONG_SPAN_NS)
		return 0;
	spans = reader_spans(reader);
	for (int nr = 0; spans && nr < NR_READER_SPANS; nr++)
		if (spans->last[nr].change == parts->longest_sleep) {
			parts->waker = spans->last[nr].waker;
			return 0;
		}
	return 0;
}

/* Takes the time before all that is kept to be like the time after. */
GLOBAL(WITH_STAGES)
int parts_add_rest(void)
{
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);

	if (parts && parts_are_missing(parts) && parts_known_ns(parts))
		parts_add_share(parts, parts->ns, parts->since_ns - parts->from_ns,
				parts_known_ns(parts));
	return 0;
}

/* Keeps them, if they are of the longest waits at a port. */
GLOBAL(WITH_STAGES)
int parts_keep(__u32 port)
{
	const struct reader_parts *parts = per_cpu_value(&parts_of_wait);

	if (parts)
		reader_keep_wait(parts, port);
	return 0;
}

/* Takes all steps but the first. Keeps the longest waits of a port, but not those of ANY_PORT. */
static __always_inline const struct reader_parts *parts_go_on(__u32 port)
{
	const struct reader_parts *parts = per_cpu_value(&parts_of_wait);

	if (!parts)
		return NULL;
	if (parts_are_missing(parts)) {
		parts_add_spans();
		parts_add_marks();
		parts_add_rest();
	}
	if (static_branch(BRANCH_OTHERS) || static_branch(BRANCH_READER_WAITS))
		parts_find_others();
	if (static_branch(BRANCH_READER_WAITS) && port != ANY_PORT)
		parts_keep(port);
	return parts;
}

/*
 * Finds when a packet waits for its reader, and not behind others that the reader takes one by one:
 * until the reader takes the first of these, or since it took the one before, whichever is longer.
 * Segments of TCP are read together.
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
 * A reader runs, or did until now. If it was interrupted for most of that time, takes the end of it
 * for a wait for the CPU: to the scheduler, it ran all the while. Returns whether it was
 * interrupted.
 */
static __always_inline bool reader_note_interrupted(struct reader *reader, __u64 interrupted_ns,
						    __u64 now_ns)
{
	__u64 ran_ns = now_ns - READER_CHANGE_NS(reader_last_change(reader));

	if (READER_CHANGE_DOES(reader_last_change(reader)) != READER_RUNS ||
	    !cpu_was_interrupted(interrupted_ns, ran_ns))
		return false;
	interrupted_ns = lesser(interrupted_ns, ran_ns);
	reader_changes(reader, now_ns - interrupted_ns, READER_WAITS_FOR_CPU, 0);
	if (interrupted_ns >= reader->ready_ns) {
		reader->ready_ns = interrupted_ns;
		other_fill_in_softirqs(&reader->other, interrupted_ns);
	}
	return true;
}

/* The same for the current task, which goes on to run. */
static __always_inline void current_note_interrupted(struct reader *reader, __u64 now_ns)
{
	struct cpu_runs *runs = per_cpu_value(&runs_of_cpus);
	__u64 interrupted_ns;

	if (!runs || !runs->interrupted_ns)
		return;
	interrupted_ns = cpu_interrupted_ns() - runs->interrupted_ns;
	if (!reader_note_interrupted(reader, interrupted_ns, now_ns))
		return;
	runs->interrupted_ns += interrupted_ns;
	reader_changes(reader, now_ns, READER_RUNS, 0);
}

/*
 * The current task reads a packet. Returns whether the packet waited for least_ns or longer and
 * something is known of what its reader did. The first step of finding that is done then.
 */
GLOBAL(WITH_STAGES)
int reader_reads(__u64 queued_ns, __u64 now_ns, __u32 socket, __u64 least_ns)
{
	bool is_short = now_ns - queued_ns < least_ns;
	const void *task = (const void *)bpf_get_current_task();
	struct reader_parts *parts = per_cpu_value(&parts_of_wait);
	struct reader *reader = reader_find(task);

	if (!reader)
		reader_add_current(task);
	if (!reader || !parts)
		return 0;
	reader->has_read = true;
	reader = reader_in_any_place(reader, task);
	if (static_branch(BRANCH_READER_WAITS))
		reader_bound_wait(reader, &queued_ns, &now_ns, socket);
	if (is_short)
		return 0;
	if (static_branch(BRANCH_OTHERS))
		current_note_interrupted(reader, bpf_ktime_get_ns());
	return parts_add_changes(parts, reader, queued_ns, now_ns);
}

/*
 * Returns what the reader did. Returns NULL if that is not known, as the reader was not followed
 * yet when the packet was queued, or if the packet waited for less than least_ns. datagram_sk is
 * the socket of a datagram, or NULL: a global function takes no address as a number, but takes half
 * of one. The result holds until the next call.
 */
static __always_inline const struct reader_parts *reader_parts(__u64 queued_ns, __u64 now_ns,
							       const struct sock *datagram_sk,
							       __u64 least_ns, __u32 port)
{
	return reader_reads(queued_ns, now_ns, address_low(datagram_sk), least_ns)
		       ? parts_go_on(port)
		       : NULL;
}

#endif
