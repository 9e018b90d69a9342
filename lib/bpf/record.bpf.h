/* SPDX-License-Identifier: GPL-2.0 */
/* The hot path: filter, clock, bucket, group, count. */
#ifndef NETSTACKLAT_RECORD_BPF_H
#define NETSTACKLAT_RECORD_BPF_H

#include "lib/bpf/clock.bpf.h"
#include "lib/bpf/hook.bpf.h"
#include "lib/bpf/kept.bpf.h"
#include "lib/bpf/packet.bpf.h"
#include "lib/tables/bucket.h"
#if WITH_FILTERS
#include "lib/bpf/filter.bpf.h"
#endif
#if WITH_GROUPS
#include "lib/bpf/group.bpf.h"
#endif

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_DISCARD_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} netstack_discards SEC(".maps");

/* Counts a sample that is not recorded. */
static __noinline int discard(enum probe probe, enum discard cause)
{
	__u32 key = probe * NR_DISCARDS + cause;
	__u64 *count = bpf_map_lookup_elem(&netstack_discards, &key);

	if (count)
		(*count)++;
	return 0;
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
	return NR_DISCARDS;
}

static __always_inline int count(void *latency_map, __u32 key, __u64 latency_ns)
{
	struct bucket *bucket = bpf_map_lookup_elem(latency_map, &key);

	if (bucket) {
		bucket->count++;
		bucket->sum_ns += latency_ns;
	}
	return 0;
}

/*
 * Counts how long ago the packet was stamped, in its probe's block of buckets of the hook's map, or
 * in those of its group.
 *
 * Plain increments are enough: the maps are per CPU, or the group's row is; the buckets belong to
 * one program, and the kernel skips a program that interrupts itself on its CPU (Linux 5.12,
 * ca06f55b9002).
 *
 * A stamp of zero, of the future or of the monotonic clock makes a difference beyond the last
 * bound, as an unsigned number: only what is in the last bucket is looked at twice. A transmit time
 * in TAI may pass for the wall clock, but from ip_local_deliver_finish() and ip6_input_finish() on,
 * the kernel has replaced transmit times (skb_clear_delivery_time(), Linux 5.18, cd14e9b7b8d3):
 * programs before that must look.
 */
static __always_inline int record(enum probe probe, struct packet packet)
{
	void *map = hook_latency_map(probe_hook(probe));
	__u32 left = features_asked_for(), first = 0, octave;
	__u64 now_ns, latency_ns, in_bucket_ns;

	packet.has = hook_has(probe_hook(probe));
	packet_assert_complete(&packet);
#if WITH_FILTERS
	if (!filter_passes(&packet, &left))
		return discard(probe, DISCARD_FILTERED);
#endif

	/* Before the group, which takes long to find when it is new. */
	now_ns = clock_realtime_ns();
#if WITH_GROUPS
	map = &netstack_group_latency;
	first = group_first_bucket(probe, &packet, &left);
	if (first == NO_ROW)
		return discard(probe, DISCARD_NO_ROOM);
#else
	first = probe_block(probe) * NR_BUCKETS(left);
#endif

	latency_ns = in_bucket_ns = now_ns - packet_stamp_ns(&packet);
	octave = bucket_octave(latency_ns);
	if (octave > NR_OCTAVES) {
		enum discard cause = why_no_latency(packet_stamp_ns(&packet), latency_ns);

		if (cause < NR_DISCARDS)
			return discard(probe, cause);
		in_bucket_ns = LAST_BUCKET_NS;
	}

	/* The feature that is left at last is the resolution. */
	return count(map, first + bucket_in_octave(in_bucket_ns, octave, left), latency_ns);
}

/* The same at return, for a packet that was kept at entry. */
static __always_inline int record_kept(enum probe probe, const struct sk_buff *skb,
				       const struct sock *sk)
{
	const struct kept_packet *kept = release_packet(skb);

	if (!kept)
		return discard(probe, DISCARD_RECURSION_MISS);
	return record(probe, (struct packet){ .kept = kept, .sk = sk });
}

#endif
