/* SPDX-License-Identifier: GPL-2.0 */
/* The hot path: filter, clock, bucket, group, count. */
#ifndef NETSTACKLAT_RECORD_BPF_H
#define NETSTACKLAT_RECORD_BPF_H

#include "lib/bpf/clock.bpf.h"
#include "lib/bpf/hook.bpf.h"
#include "lib/bpf/kept.bpf.h"
#include "lib/bpf/packet.bpf.h"
#include "lib/bpf/row.bpf.h"
#if FOR_EBPF_EXPORTER
#include "lib/bpf/offset.bpf.h"
#endif
#if WITH_FILTERS
#include "lib/bpf/filter.bpf.h"
#else
#define filter_passes(packet, left) ((void)(left), true)
#endif
#if WITH_STAGES
#include "lib/bpf/stage.bpf.h"
#endif
#if WITH_SLOW
#include "lib/bpf/slow.bpf.h"
#else
#define slow_tells_all() false
#endif

#if !FOR_EBPF_EXPORTER
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_DISCARD_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} netstack_discards SEC(".maps");

static __always_inline __u64 *discard_count(enum probe probe, enum discard cause)
{
	__u32 key = probe * NR_DISCARDS + cause;

	return bpf_map_lookup_elem(&netstack_discards, &key);
}
#endif

/* Counts samples that are not recorded. */
static __noinline int discard_many(enum probe probe, enum discard cause, __u32 nr)
{
	__u64 *count = discard_count(probe, cause);

	if (count)
		*count += nr;
	return 0;
}

static __always_inline int discard(enum probe probe, enum discard cause)
{
	return discard_many(probe, cause, 1);
}

/* Why a latency beyond the last bound is false; NR_DISCARDS if the packet did wait that long. */
static __noinline enum discard why_no_latency(__u64 stamp_ns, __u64 latency_ns)
{
	if (!stamp_ns)
		return DISCARD_NO_STAMP;
	if ((__s64)latency_ns < 0)
		return DISCARD_FUTURE;
	/* Nothing waits longer than the machine is up. */
	if (latency_ns > bpf_ktime_get_boot_ns())
		return DISCARD_NOT_RX;
#if FOR_EBPF_EXPORTER
	if (clocks_were_set_in(latency_ns))
		return DISCARD_CLOCK_CHANGE;
#endif
	return NR_DISCARDS;
}

/*
 * Plain increments are enough: the maps are per CPU, or the group's row is; the buckets belong to
 * one program, and the kernel skips a program that interrupts itself on its CPU (Linux 5.12,
 * ca06f55b9002).
 */
static __always_inline int count(const struct row *row, enum since since, __u64 ns, __u32 octave)
{
#if FOR_EBPF_EXPORTER
	return exporter_count(row->first, ns, octave) ? 0 : discard(row->first, DISCARD_NO_ROOM);
#else
	struct bucket *bucket = row_bucket(row, since, ns, octave);

	if (bucket) {
		bucket->count++;
		bucket->sum_ns += ns;
	}
	return 0;
#endif
}

static __always_inline __u64 latency_of(const struct packet *packet, __u64 now_ns)
{
	return now_ns - clock_offset_ns - packet_stamp_ns(packet);
}

/*
 * Counts how long ago the packet was stamped.
 *
 * A stamp of zero, of the future or of the monotonic clock makes a difference beyond the last
 * bound, as an unsigned number: only what is in the last bucket is looked at twice. A transmit time
 * in TAI may pass for the wall clock, see packet_stamp_is_for_tx().
 */
static __always_inline int record_latency(enum probe probe, const struct packet *packet,
					  const struct row *row, __u64 latency_ns)
{
	__u32 octave = bucket_octave(latency_ns);

#if FOR_EBPF_EXPORTER
	if (packet->has & HAS_NEW_STAMP && !offset_fits(packet_stamp_ns(packet), latency_ns))
		return discard(probe, DISCARD_CLOCK_CHANGE);
#endif
	if (octave > NR_OCTAVES) {
		enum discard cause = why_no_latency(packet_stamp_ns(packet), latency_ns);

		if (cause < NR_DISCARDS)
			return discard(probe, cause);
	}
	return count(row, SINCE_STAMP, latency_ns, octave);
}

#if WITH_STAGES
/* Counts how long a stage took, of a packet that comes from there. *row is where, then. */
static __always_inline int record_stage(enum probe probe, __u32 from, __u64 stage_ns,
					__u32 features, __u32 left, const struct group_facts *facts,
					struct row *row)
{
	*row = row_of_stage(probe, from, features, left, facts);
	if (row_is_missing(row))
		return stage_is_unpaired(probe);
	return count(row, SINCE_HOOK, stage_ns, bucket_octave(stage_ns));
}

/* Counts how long ago the packet was at the hook before, if there is one before this. */
static __always_inline void record_stages(enum probe probe, __u64 before, __u64 now_ns,
					  __u32 features, __u32 left,
					  const struct group_facts *facts, struct row *row)
{
	__u32 from = LAST_HOOK_FROM(before), is_ipv6 = before & 1;
	struct reader_parts parts;

	if (!(hook_has(probe_hook(probe)) & HAS_READER) || !config.wakeups ||
	    !config.stage_blocks[probe][from] ||
	    !reader_slept(LAST_HOOK_NS(before), now_ns, &parts)) {
		record_stage(probe, from, now_ns - LAST_HOOK_NS(before), features, left, facts,
			     row);
		return;
	}
	record_stage(probe, STAGE_FROM(PART_ASLEEP, is_ipv6), parts.asleep_ns, features, left,
		     facts, row);
	record_stage(probe, STAGE_FROM(PART_READY, is_ipv6), parts.ready_ns, features, left, facts,
		     row);
	record_stage(probe, STAGE_FROM(PART_RUNNING, is_ipv6), parts.running_ns, features, left,
		     facts, row);
}

static __always_inline bool is_on_path(enum probe probe)
{
	return hook_paths(probe_hook(probe)) != PATH_NONE;
}
#endif

static __always_inline bool is_asked_for(enum probe probe, __u32 task)
{
	return config.tasks[probe] & task;
}

/*
 * Whether a program may be there for what others need, while its own hook is off. A switch, for
 * clang's BPF backend hides chains of == and || from the optimiser: each costs 1 to 4 instructions.
 */
static __always_inline bool probe_may_be_off(enum probe probe)
{
	switch (probe) {
	case PROBE_netif_receive_skb:
	case PROBE_tcp_data_queue:
	case PROBE_tcp_queue_rcv:
	case PROBE_udp_queue_rcv_one_skb:
	case PROBE_udpv6_queue_rcv_one_skb:
		return true;
	default:
		return false;
	}
}

/* With stages, there are others that are only followed to where filters know what they ask for. */
static __always_inline bool is_counted(enum probe probe)
{
	return !(probe_may_be_off(probe) || (WITH_FILTERS && WITH_STAGES)) ||
	       is_asked_for(probe, TASK_COUNT);
}

/* With --slow=0: tells of a packet where it is not counted. */
static __always_inline int trace(enum probe probe, struct packet *packet)
{
#if WITH_SLOW && WITH_STAGES
	__u32 left = features_asked_for();

	packet->has = hook_has(probe_hook(probe));
	if (filter_passes(packet, &left))
		slow_tell_of(probe, packet, clock_ns(), NO_LATENCY, 0);
#endif
	return 0;
}

/*
 * Counts a packet, if that is asked for. Once it is known to be of interest, the clock is read
 * first, as a group that is new takes long to find.
 */
static __always_inline int record(enum probe probe, struct packet *packet)
{
	__u64 now_ns, latency_ns, comm[COMM_SIZE / sizeof(__u64)] = { 0 };
#if WITH_STAGES || WITH_SLOW
	bool lacks_stamp = false;
	__u64 before = 0;
#endif
	__u32 left = features_asked_for(), features;
	struct group_facts facts = { .comm = comm };
	bool is_for_tx;
	struct row row = { 0 };

	packet->has = hook_has(probe_hook(probe));
	packet_assert_complete(packet);
	is_for_tx = packet_stamp_is_for_tx(packet);
#if WITH_STAGES
	/* Once for journey and latency saves 5 to 10 instructions. */
	if (packet->has & HAS_SKB && !packet->kept && IS_LEFT_OUT(packet->stamp_ns))
		packet->stamp_ns = is_for_tx ? 0 : (__u64)packet->skb->tstamp;
	lacks_stamp = packet->has & HAS_ANY_STAMP && !packet->stamp_ns;
	now_ns = clock_ns();
	/* What is counted is followed, too: to ask for less first saves up to 11 instructions. */
	if (!is_counted(probe)) {
		if (is_on_path(probe))
			journey_step(probe, packet, now_ns, is_asked_for(probe, TASK_FOLLOW));
		return 0;
	}
	if (is_on_path(probe))
		before = journey_step(probe, packet, now_ns, true);
	else if (WITH_SLOW && packet->is_dropped)
		before = journey_end(packet);
	if (probe == PROBE_netif_receive_skb && before) {
		if (slow_tells_all())
			trace(probe, packet);
		return discard(probe, DISCARD_FILTERED);
	}
#else
	if (!is_counted(probe))
		return 0;
	if (is_for_tx)
		return discard(probe, DISCARD_NOT_RX);
#endif
	if (!filter_passes(packet, &left))
		return discard(probe, DISCARD_FILTERED);
#if !WITH_STAGES
	now_ns = clock_ns();
#endif
#if WITH_SLOW
	latency_ns = latency_of(packet, now_ns);
	slow_look(probe, packet, now_ns, latency_ns, before, lacks_stamp);
#endif
	features = left;
	group_learn(packet, &left, &facts);
#if WITH_STAGES
	/* No hook comes before the first. */
	if (is_on_path(probe) && probe != PROBE_netif_receive_skb)
		record_stages(probe, before, now_ns, features, left, &facts, &row);
	if (lacks_stamp)
		return discard(probe,
			       packet_stamp_is_for_tx(packet) ? DISCARD_NOT_RX : DISCARD_NO_STAMP);
#endif
	/* In a block, it is that of the stage. */
	if (!WITH_BLOCKS || row_is_missing(&row)) {
		row = row_of(probe, features, left, &facts);
		if (row_is_missing(&row))
			return discard(probe, DISCARD_NO_ROOM);
	}
	if (!WITH_SLOW)
		latency_ns = latency_of(packet, now_ns);
	return record_latency(probe, packet, &row, latency_ns);
}

/* Counts a time that does not end now, or is not a packet's. */
static __always_inline int record_ns(enum probe probe, struct packet *packet, __u64 ns)
{
	__u64 comm[COMM_SIZE / sizeof(__u64)] = { 0 };
	__u32 left = features_asked_for(), features;
	struct group_facts facts = { .comm = comm };
	struct row row;

	if (!filter_passes(packet, &left))
		return discard(probe, DISCARD_FILTERED);
	features = left;
	group_learn(packet, &left, &facts);
	row = row_of(probe, features, left, &facts);
	if (row_is_missing(&row))
		return discard(probe, DISCARD_NO_ROOM);
	return count(&row, SINCE_STAMP, ns, bucket_octave(ns));
}

/* Where a packet was last, for programs that keep it without being a hook on its way. */
static __always_inline __u64 last_hook_of(struct sk_buff *skb)
{
#if WITH_STAGES
	return journey_last_or_begin(skb);
#endif
	return 0;
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
