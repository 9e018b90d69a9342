/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that read, and what each did of late, for BPF programs: it slept, was ready and waited
 * for a CPU, or ran. This is known of tasks that have read before, and of those that they have
 * made. With BRANCH_READER_WAITS, it is known of all tasks that were woken since the start: some
 * read only once, or for the first time when they are late.
 */
#ifndef NETSTACKLAT_READER_BPF_H
#define NETSTACKLAT_READER_BPF_H

#include "lib/bpf/kernel/address.bpf.h"
#include "lib/bpf/kernel/features.bpf.h"
#include "lib/tables/reader_wait.h"
#include "lib/tables/units.h"

#define READER_SET_BITS 10
#define NR_READER_WAYS 4

enum reader_does { READER_RUNS, READER_SLEEPS, READER_WAITS_FOR_CPU, NR_READER_DOES = 4 };

/* Powers of two. */
#define NR_READER_CHANGES 16
#define NR_READER_SPANS 16
#define CHANGES_PER_SPAN 32
#define NR_READER_MARKS 16

/* Spans of at least this are kept for longer than other changes. */
#define LONG_SPAN_NS (4 * NS_PER_MS)
/* Marks are this far apart, and so go back for a second. */
#define MARK_NS (64 * NS_PER_MS)

/* When it began, and what, in the two lowest bits; 0: nothing is known that long ago. */
#define READER_CHANGE(ns, does) ((ns) << 2 | (does))
#define READER_CHANGE_NS(change) ((change) >> 2)
#define READER_CHANGE_DOES(change) ((change)&3)

/* A time in which it did one thing, and how long it had done each thing before. */
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
	__u64 nr_changes;
	__u64 changes[NR_READER_CHANGES];   /* the last ones */
	__u16 asleep_in[NR_READER_CHANGES]; /* of those that are sleeps: ASLEEP_IN() */
	__u32 stacks[NR_READER_CHANGES];    /* of those that were long; see BRANCH_STACKS */
	__u64 did_ns[NR_READER_DOES];	    /* how long it did each until the last change */
	__u64 marked_ns;		    /* when the last mark was made */
	struct slow_other other;	    /* that had this CPU instead; see BRANCH_OTHERS */
};

/* There is room for 4096 tasks. */
#define NR_READERS (NR_READER_WAYS << READER_SET_BITS)
static struct reader readers[1 << READER_SET_BITS][NR_READER_WAYS];

/* A time, and how long it had done each until then. */
struct reader_mark {
	__u64 ns;
	__u64 did_ns[NR_READER_DOES];
};

/* The reader's last long spans, each CHANGES_PER_SPANth span, and its last marks. */
struct reader_spans {
	__u64 nr;
	struct reader_span last[NR_READER_SPANS];
	__u64 nr_marks;
	struct reader_mark marks[NR_READER_MARKS];
};

/* A map of its own, as Linux 5.10 takes no more than 4 MiB of variables. */
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
 * Returns the same reader, but the verifier no longer knows its place in the set. So the verifier
 * looks once at all that follows, and not for each place. To it, a difference of pointers may be
 * any number.
 */
static __always_inline struct reader *reader_in_any_place(struct reader *reader, const void *task)
{
	struct reader *set = reader_set(task);
	__u32 place;

	barrier_var(reader);
	place = ((__u64)reader - (__u64)set) / sizeof(*reader);
	return &set[place % NR_READER_WAYS];
}

/* Returns the reader that the current task is; NULL if it is none. */
static __always_inline struct reader *reader_of_current(void)
{
	const void *task = (const void *)bpf_get_current_task();
	struct reader *reader = reader_find(task);

	return reader ? reader_in_any_place(reader, task) : NULL;
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

/* A mark's number. The verifier does not know it: see reader_in_any_place(). */
static __always_inline __u32 mark_number(const struct reader_spans *spans,
					 const struct reader_mark *mark)
{
	barrier_var(mark);
	return ((__u64)mark - (__u64)spans->marks) / sizeof(*mark);
}

static __always_inline struct reader_mark *mark_at(struct reader_spans *spans, __u32 nr)
{
	barrier_var(nr);
	return &spans->marks[nr & (NR_READER_MARKS - 1)];
}

static __always_inline void reader_keep_mark(struct reader *reader, __u64 now_ns)
{
	struct reader_spans *spans = reader_spans(reader);
	struct reader_mark *mark;

	if (!spans)
		return;
	reader->marked_ns = now_ns;
	mark = mark_at(spans, spans->nr_marks++);
	mark->ns = now_ns;
	for (int does = 0; does < NR_READER_DOES; does++)
		mark->did_ns[does] = reader->did_ns[does];
}

/*
 * A task that waits for a disk time and again has more changes than are kept. Of all these, long
 * spans are kept, and the time in between as a sum, and so is all before that.
 */
static __always_inline void reader_sum_up(struct reader *reader, __u64 now_ns)
{
	__u64 change = reader_last_change(reader), ns = now_ns - READER_CHANGE_NS(change);

	if (!change)
		return;
	if (ns >= LONG_SPAN_NS || !(reader->nr_changes % CHANGES_PER_SPAN))
		reader_keep_span(reader, now_ns);
	reader->did_ns[READER_CHANGE_DOES(change)] += ns;
	if (now_ns - reader->marked_ns >= MARK_NS)
		reader_keep_mark(reader, now_ns);
}

/*
 * The task's own CPU adds all changes but one: that it is woken. A waker adds that only if it sees
 * that the task sleeps, which is the last that the task's CPU has added.
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
	for (int nr = 0; spans && nr < NR_READER_MARKS; nr++)
		spans->marks[nr].ns = 0;
}

/* Returns whether the first of two is to make room for another task, and not the second. */
static __always_inline bool reader_goes_before(const struct reader *reader,
					       const struct reader *other)
{
	return reader->has_read != other->has_read ? other->has_read
						   : reader->slept_ns < other->slept_ns;
}

/*
 * Takes the place of a task that never read or, if all have, of the one that fell asleep longest
 * ago. A task that never read takes no place from one that has.
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
	reader->marked_ns = 0;
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

#endif
