/* SPDX-License-Identifier: GPL-2.0 */
/* The hot path: follow, filter, measure, count. */
#ifndef NETSTACKLAT_RECORD_BPF_H
#define NETSTACKLAT_RECORD_BPF_H

#include "lib/bpf/kernel/clock.bpf.h"
#include "lib/bpf/path/filter.bpf.h"
#include "lib/bpf/path/hook.bpf.h"
#include "lib/bpf/path/journey.bpf.h"
#include "lib/bpf/path/kept.bpf.h"
#include "lib/bpf/path/packet.bpf.h"
#include "lib/bpf/path/sample.bpf.h"
#include "lib/bpf/path/slow.bpf.h"
#include "lib/bpf/path/stage.bpf.h"
#include "lib/bpf/path/stage_drop.bpf.h"
#include "lib/bpf/path/store.bpf.h"
#include "lib/bpf/path/reader_parts.bpf.h"
#include "lib/bpf/path/stack.bpf.h"

/* Counts a sample that is not recorded, in its probe's own program: see count(). */
static __noinline int discard(enum probe probe, enum discard cause)
{
	__u64 *count = store_discard_count(probe, cause);

	if (count)
		(*count)++;
	return 0;
}

/*
 * Returns why a latency beyond the last bound is false; NR_DISCARDS if the packet did wait that
 * long.
 */
static __noinline enum discard why_no_latency(__u64 stamp_ns, __u64 latency_ns)
{
	if (!stamp_ns)
		return DISCARD_NO_STAMP;
	if ((__s64)latency_ns < 0)
		return DISCARD_FUTURE;
	/* Nothing waits longer than the machine is up. */
	if (latency_ns > bpf_ktime_get_boot_ns())
		return DISCARD_NOT_RX;
	if (clocks_were_set_in(latency_ns))
		return DISCARD_CLOCK_CHANGE;
	return NR_DISCARDS;
}

/*
 * Plain increments are enough: the maps are per CPU, or the group's row is; the buckets belong to
 * one program, and the kernel skips a program that interrupts itself on its CPU (Linux 5.12,
 * ca06f55b9002).
 */
static __always_inline int count(enum probe probe, const struct row *row, enum since since,
				 __u64 ns, __u32 octave, __u32 weight)
{
	return store_count(probe, row, since, ns, octave, weight) ? 0
								  : discard(probe, DISCARD_NO_ROOM);
}

static __always_inline void count_stage(enum probe probe, const struct row *row, __u64 stage_ns,
					__u32 weight)
{
	count(probe, row, SINCE_HOOK, stage_ns, bucket_octave(stage_ns), weight);
}

/*
 * This is a global function, which gets the row as a number. Inline, and called three times, the
 * verifier would look at each octave for each octave of the calls before, which took Linux 7.2 five
 * seconds.
 */
GLOBAL(WITH_STAGES) int count_part(__u32 number, __u64 ns)
{
	struct row row = row_of_number(number);

	if (!row_is_missing(&row))
		count_stage(0, &row, ns, 1);
	return 0;
}

static __always_inline __u32 number_of_part(enum probe probe, __u32 from,
					    struct group_attributes *of)
{
	if (WITH_GROUPS)
		group_find(probe, from, of);
	return number_of_stage(probe, from, of);
}

/* Counts what the packet's reader did meanwhile: all parts or, if a row is missing, none. */
static __always_inline struct row count_parts(enum probe probe, __u32 is_ipv6,
					      const struct reader_parts *parts,
					      struct group_attributes *of)
{
	__u32 asleep = number_of_part(probe, STAGE_FROM(PART_ASLEEP, is_ipv6), of);
	__u32 ready = number_of_part(probe, STAGE_FROM(PART_READY, is_ipv6), of);
	__u32 running = number_of_part(probe, STAGE_FROM(PART_RUNNING, is_ipv6), of);

	if (asleep == NO_ROW || ready == NO_ROW || running == NO_ROW)
		return (struct row){ .first = NO_ROW };
	count_part(asleep, parts->ns[READER_SLEEPS]);
	count_part(ready, parts->ns[READER_WAITS_FOR_CPU]);
	count_part(running, parts->ns[READER_RUNS]);
	return row_of_number(running);
}

/* Returns whether it is known where a packet was before; if not, it is counted in no stage. */
static __always_inline bool is_paired(enum probe probe, const struct packet *packet)
{
	return config.stage_blocks[probe][LAST_HOOK_FROM(packet->before)];
}

/* Returns whether the packet was sent before, by a device above this one. That is no stage. */
static __always_inline bool is_sent_again(enum probe probe, const struct packet *packet)
{
	return packet->has & HAS_SENT &&
	       LAST_PLACE(packet->before) >= PLACE(probe_table[probe].hook);
}

/*
 * Returns what its reader did since the hook before; NULL if nobody asks for that, or if it is not
 * known.
 */
static __always_inline const struct reader_parts *parts_of_stage(enum probe probe,
								 const struct packet *packet)
{
	const struct reader_parts *parts;
	__u32 port;

	if (!(packet->has & HAS_READER) || !static_branch(BRANCH_WAKEUPS) ||
	    !is_paired(probe, packet) || !packet_has_reader(packet))
		return NULL;
	port = static_branch(BRANCH_KEY(KEY_PORT)) ? group_port(packet) : 0;
	parts = reader_parts(LAST_HOOK_NS(packet->before), packet->now_ns,
			     packet->has & HAS_SKB ? packet->sk : NULL, config.least_parts_ns,
			     port);
	if (parts && static_branch(BRANCH_STACKS))
		stack_count(STACK_OF_READER, port, parts->stack, parts->ns[READER_SLEEPS]);
	return parts;
}

/*
 * Counts how long ago the packet was at the hook before, if there is one, or what its reader did
 * since then. Returns the row where it was counted, which is missing if there is none.
 */
static __always_inline struct row count_stages(enum probe probe, const struct packet *packet,
					       const struct reader_parts *parts,
					       struct group_attributes *of)
{
	__u32 from = LAST_HOOK_FROM(packet->before), is_ipv6 = packet->before & 1;
	__u64 before_ns = LAST_HOOK_NS(packet->before);
	struct row row;

	if (parts)
		return count_parts(probe, is_ipv6, parts, of);
	row = row_of_stage(probe, from, of);
	if (!row_is_missing(&row))
		count_stage(probe, &row, packet->now_ns - before_ns, packet->weight);
	return row;
}

/*
 * Counts how long ago the packet was stamped. A stamp of zero, of the future or of the monotonic
 * clock makes a difference beyond the last bound, as an unsigned number. So only a latency in the
 * last bucket is looked at twice. A transmit time in TAI may pass for the wall clock, see
 * packet_learn_stamp().
 */
static __always_inline int count_latency(enum probe probe, const struct packet *packet,
					 const struct row *row)
{
	__u64 latency_ns = packet->latency_ns;
	__u32 octave = bucket_octave(latency_ns);

	if (packet->has & HAS_NEW_STAMP && !offset_fits(packet->stamp_ns, latency_ns))
		return discard(probe, DISCARD_CLOCK_CHANGE);
	if (HAS_DEFAULT_RESOLUTION ? latency_ns >= LAST_BUCKET_NS : octave > NR_OCTAVES) {
		enum discard cause = why_no_latency(packet->stamp_ns, latency_ns);

		if (cause < NR_DISCARDS)
			return discard(probe, cause);
	}
	return count(probe, row, SINCE_STAMP, latency_ns, octave, packet->weight);
}

/* No stamp of what is sent tells when it was received. */
static __always_inline bool lacks_stamp(const struct packet *packet)
{
	return WITH_STAGES &&
	       (packet->has & HAS_SENT ||
		(packet->has & HAS_ANY_STAMP && !packet->stamp_ns && !packet->arrived_ns));
}

/* Counts a packet that has no stamp, where another has one. */
static __always_inline int discard_unstamped(enum probe probe, const struct packet *packet)
{
	if (packet->has & HAS_SENT)
		return 0;
	return discard(probe, packet_stamp_is_for_tx(packet) ? DISCARD_NOT_RX : DISCARD_NO_STAMP);
}

/* No hook comes before the first. */
static __always_inline bool has_stage(enum probe probe, const struct packet *packet)
{
	return probe_journey(probe) > JOURNEY_BEGINS && !is_sent_again(probe, packet);
}

/* Counts both times in one block, that of its stage if there is one. */
static __always_inline int count_in_block(enum probe probe, struct packet *packet)
{
	struct group_attributes none = { 0 };
	struct row row = { 0 };

	packet->weight = 1;
	if (has_stage(probe, packet)) {
		row = count_stages(probe, packet, parts_of_stage(probe, packet), &none);
		if (row_is_missing(&row))
			count_unpaired(probe);
	}
	if (lacks_stamp(packet))
		return discard_unstamped(probe, packet);
	if (row_is_missing(&row))
		row = row_of(probe, &none);
	if (row_is_missing(&row))
		return discard(probe, DISCARD_NO_ROOM);
	return count_latency(probe, packet, &row);
}

/*
 * Returns whether this time is asked for at this probe. Where both times are counted, each takes a
 * row.
 */
static __always_inline bool counts_since_stamp(void)
{
	return !WITH_GROUPS || !WITH_STAGES || static_branch(BRANCH_SINCE_STAMP);
}

static __always_inline bool counts_since_hook(void)
{
	return WITH_STAGES && (!WITH_GROUPS || static_branch(BRANCH_SINCE_HOOK));
}

/*
 * The longest of a packet's times that are counted here. A time that is not known is beyond all
 * bounds.
 */
static __always_inline __u64 longest_ns(const struct packet *packet)
{
	__u64 since_hook_ns = packet->now_ns - LAST_HOOK_NS(packet->before);

	if (!counts_since_hook())
		return packet->latency_ns;
	if (!counts_since_stamp() || packet->latency_ns < since_hook_ns)
		return since_hook_ns;
	return packet->latency_ns;
}

/* Only samples need the longest time, which takes 8 instructions to find. */
static __always_inline bool is_sample(enum probe probe, const struct packet *packet)
{
	return !with_samples() || sample_takes(probe, longest_ns(packet), packet->now_ns);
}

static __always_inline __u32 weight_of(enum probe probe, const struct packet *packet)
{
	return with_samples() ? sample_weight(probe, longest_ns(packet)) : 1;
}

/*
 * Counts each time in a row of its own. If there is no row left for one of them, the packet is
 * discarded once, and counted in neither.
 */
static __always_inline int count_in_rows(enum probe probe, struct packet *packet)
{
	__u64 comm[COMM_SIZE / sizeof(__u64)] = { 0 };
	struct group_attributes of = { .comm = comm };
	const struct reader_parts *parts = NULL;
	struct row row = { .first = NO_ROW }, stage;
	bool in_stage = counts_since_hook() && has_stage(probe, packet);

	/* The reader is noted first, as it reads what is no sample, too. */
	if (in_stage)
		parts = parts_of_stage(probe, packet);
	/*
	 * A packet with parts is always a sample, as it is late. Asking for the parts first has the
	 * program fit on the stack of Linux 6.1.
	 */
	if (!parts && !is_sample(probe, packet))
		return 0;
	packet->weight = parts ? 1 : weight_of(probe, packet);
	if (WITH_GROUPS) {
		group_learn(packet, &of);
		group_find(probe, in_stage && !parts ? LAST_HOOK_FROM(packet->before) : FROM_STAMP,
			   &of);
	}
	if (counts_since_stamp() && !lacks_stamp(packet)) {
		row = row_of(probe, &of);
		if (row_is_missing(&row))
			return discard(probe, DISCARD_NO_ROOM);
	}
	if (in_stage) {
		stage = count_stages(probe, packet, parts, &of);
		if (row_is_missing(&stage) && is_paired(probe, packet))
			return discard(probe, DISCARD_NO_ROOM);
		if (row_is_missing(&stage))
			count_unpaired(probe);
	}
	if (!counts_since_stamp())
		return 0;
	if (lacks_stamp(packet))
		return discard_unstamped(probe, packet);
	/*
	 * The row is never missing here, but the verifier of Linux 5.10 does not see that the two
	 * looks for a stamp agree.
	 */
	if (row_is_missing(&row))
		return discard(probe, DISCARD_NO_ROOM);
	return count_latency(probe, packet, &row);
}

/* Reports a packet where it is not counted, with --trace. */
static __always_inline int trace(enum probe probe, struct packet *packet)
{
	if (!WITH_STAGES || !static_branch(BRANCH_TRACE))
		return 0;
	packet_begin(packet, probe);
	packet->now_ns = clock_ns();
	packet->before = 0;
	if (filter_passes(packet))
		slow_report_packet(probe, packet, NO_LATENCY);
	return 0;
}

/* A packet is dropped. Its journey ends here, but no stage does. */
static __always_inline void follow_to_drop(enum probe probe, struct packet *packet)
{
	if (static_branch(BRANCH_SLOW) || is_asked_for(probe, TASK_FOLLOW))
		packet->before = journey_end(packet);
	if (is_asked_for(probe, TASK_FOLLOW) && filter_passes(packet))
		stage_drop(packet->before, packet->reason);
	/* Where it is dropped is asked for, and not how late. */
	if (static_branch(BRANCH_ALL_DROPS) && !packet->stamp_ns)
		packet->arrived_ns = packet->now_ns;
}

/* Finds where a packet was before, and when; it is here now. */
static __always_inline void follow(enum probe probe, struct packet *packet)
{
	packet_learn_stamp(packet);
	packet->now_ns = clock_ns();
	if (probe_journey(probe) != JOURNEY_NONE)
		packet->before = journey_step(probe, packet);
	else if (packet_is_dropped(packet))
		follow_to_drop(probe, packet);
}

/* Returns whether the same packet comes by for the second time, from a bridge. */
static __always_inline bool is_repeated(enum probe probe, const struct packet *packet)
{
	return WITH_STAGES && probe_journey(probe) == JOURNEY_BEGINS && packet->before;
}

/*
 * Returns whether the packet is one of several segments that were cut out of a counted packet in a
 * queue.
 */
static __always_inline bool is_segment(const struct packet *packet)
{
	return WITH_STAGES && packet->has & HAS_DEPARTURE &&
	       LAST_PLACE(packet->before) == PLACE(IS_SEGMENT);
}

/* Returns NR_DISCARDS for a packet that is counted. */
static __always_inline enum discard why_not_counted(enum probe probe, struct packet *packet)
{
	if (!WITH_STAGES && packet_stamp_is_for_tx(packet))
		return DISCARD_NOT_RX;
	if (is_segment(packet))
		return DISCARD_SEGMENT;
	if (is_repeated(probe, packet) || !filter_passes(packet))
		return DISCARD_FILTERED;
	return NR_DISCARDS;
}

static __always_inline bool needs_latency(void)
{
	return counts_since_stamp() || (WITH_SLOW && static_branch(BRANCH_SLOW));
}

/* Takes the time before the group is looked for, as finding a new group takes long. */
static __always_inline void measure(struct packet *packet)
{
	if (!WITH_STAGES) {
		packet->now_ns = clock_ns();
		packet_learn_stamp(packet);
	}
	if (!needs_latency())
		return;
	if (WITH_STAGES && packet->arrived_ns)
		packet->latency_ns = packet->now_ns - packet->arrived_ns;
	else
		packet->latency_ns = packet->now_ns - clock_offset_ns - packet->stamp_ns;
}

static __always_inline void report_if_slow(enum probe probe, const struct packet *packet)
{
	if (WITH_SLOW && static_branch(BRANCH_SLOW))
		slow_look(probe, packet, lacks_stamp(packet) ? NO_LATENCY : packet->latency_ns);
}

/* A packet comes to a hook. */
static __always_inline int record(enum probe probe, struct packet *packet)
{
	enum discard cause;

	packet_begin(packet, probe);
	packet_assert_complete(packet);
	if (WITH_STAGES)
		follow(probe, packet);
	if ((!WITH_STAGES && packet->has & HAS_SENT) || !is_asked_for(probe, TASK_COUNT))
		return 0;

	cause = why_not_counted(probe, packet);
	if (is_repeated(probe, packet))
		trace(probe, packet);
	if (cause < NR_DISCARDS)
		return discard(probe, cause);

	measure(packet);
	report_if_slow(probe, packet);
	return WITH_BLOCKS ? count_in_block(probe, packet) : count_in_rows(probe, packet);
}

/* A segment that takes this long to get to its socket has waited for a task that held the lock. */
#define LONG_IN_BACKLOG_NS NS_PER_MS

/*
 * A segment comes to its socket. If it had to wait for the lock, that is in the task that releases
 * it.
 */
static __always_inline int record_for_socket(enum probe probe, struct packet *packet, void *context)
{
	__u64 ns;

	record(probe, packet);
	if (!WITH_STAGES || !static_branch(BRANCH_STACKS) || !is_paired(probe, packet))
		return 0;
	ns = packet->now_ns - LAST_HOOK_NS(packet->before);
	if (ns >= LONG_IN_BACKLOG_NS && filter_passes(packet))
		stack_count(STACK_OF_HOLDER, packet_port(packet), stack_of_current(context), ns);
	return 0;
}

/* A packet comes to a device, on its way out. */
static __always_inline int record_sent(enum probe probe, struct packet *packet)
{
	return sent_may_be_ip(packet->skb) ? record(probe, packet)
					   : discard(probe, DISCARD_FILTERED);
}

/* A packet is put on a CPU's backlog. If it has no receive stamp, its wait counts from here on. */
static __always_inline int wait_in_backlog(enum probe probe, struct packet *packet)
{
	if (!WITH_STAGES)
		return 0;
	packet_begin(packet, probe);
	if (packet_stamp_is_for_tx(packet))
		journey_begin(journey_place(packet->skb), packet->skb, packet->skb->tstamp,
			      LAST_HOOK(bpf_ktime_get_ns(), STAGE_FROM(IN_BACKLOG, 0)));
	return trace(probe, packet);
}

/* Counts a time that does not end now, or is not a packet's. */
static __always_inline int record_ns(enum probe probe, struct packet *packet, __u64 ns)
{
	__u64 comm[COMM_SIZE / sizeof(__u64)] = { 0 };
	struct group_attributes of = { .comm = comm };
	struct row row;

	if (!filter_passes(packet))
		return discard(probe, DISCARD_FILTERED);
	if (WITH_GROUPS) {
		group_learn(packet, &of);
		group_find(probe, FROM_STAMP, &of);
	}
	row = row_of(probe, &of);
	if (row_is_missing(&row))
		return discard(probe, DISCARD_NO_ROOM);
	return count(probe, &row, SINCE_STAMP, ns, bucket_octave(ns), sample_weight(probe, ns));
}

/* The same at return, for a packet that was kept before. */
static __always_inline int record_kept(enum probe probe, struct sk_buff *skb, const struct sock *sk)
{
	const struct kept_packet *kept = release_packet(skb);

	if (!kept)
		return discard(probe, DISCARD_RECURSION_MISS);
	return record(probe, &(struct packet){ .skb = skb, .kept = kept, .sk = sk });
}

#endif
