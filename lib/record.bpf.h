/* SPDX-License-Identifier: GPL-2.0 */
/* The hot path: clock, bucket, count. */
#ifndef NETSTACKLAT_RECORD_BPF_H
#define NETSTACKLAT_RECORD_BPF_H

#include "bucket.h"
#include "clock.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_DISCARD_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} netstack_discards SEC(".maps");

/* Whether the stamp is known to be a transmit time in another clock than CLOCK_REALTIME. */
static __always_inline bool stamped_for_tx(struct sk_buff *skb)
{
	struct sk_buff___5_18 *older = (void *)skb;

	if (bpf_core_field_exists(skb->tstamp_type))
		return BPF_CORE_READ_BITFIELD(skb, tstamp_type);
	if (bpf_core_field_exists(older->mono_delivery_time))
		return BPF_CORE_READ_BITFIELD(older, mono_delivery_time);
	return false;
}

/* Counts a sample beyond the last bound as discarded; or returns false: it did wait that long. */
static __noinline bool discard(struct sk_buff *skb, __u64 latency_ns, enum probe probe)
{
	__u32 key = probe * NR_DISCARDS;
	__u64 *count;

	if (!skb->tstamp)
		key += DISCARD_NO_STAMP;
	else if (stamped_for_tx(skb))
		key += DISCARD_NOT_RX;
	else if ((__s64)latency_ns < 0)
		key += DISCARD_FUTURE;
	else if (latency_ns > bpf_ktime_get_boot_ns())
		key += DISCARD_NOT_RX; /* nothing waits longer than the machine is up */
	else
		return false;

	count = bpf_map_lookup_elem(&netstack_discards, &key);
	if (count)
		(*count)++;
	return true;
}

/*
 * Counts how long ago skb was stamped, in the block of buckets that starts at first_bucket of
 * latency_map.
 *
 * Plain increments are enough: the map is per CPU, the block belongs to one program, and the kernel
 * skips a program that interrupts itself on its CPU (Linux 5.12, ca06f55b9002).
 *
 * A stamp of zero, of the future or of the monotonic clock makes a difference beyond the last
 * bound, as an unsigned number: one compare keeps all of them out of the hot path. A transmit time
 * in TAI may pass for the wall clock, but from ip_local_deliver_finish() and ip6_input_finish() on,
 * the kernel has replaced transmit times (skb_clear_delivery_time(), Linux 5.18, cd14e9b7b8d3):
 * probes before that must look.
 */
static __always_inline int record(void *latency_map, __u32 first_bucket, enum probe probe,
				  struct sk_buff *skb)
{
	__u64 latency_ns = clock_realtime_ns() - skb->tstamp;
	struct bucket *bucket;
	__u32 key;

	if (latency_ns > bucket_le_ns(BUCKET_OVERFLOW - 1) && discard(skb, latency_ns, probe))
		return 0;

	key = first_bucket + bucket_index(latency_ns);
	bucket = bpf_map_lookup_elem(latency_map, &key);
	if (bucket) {
		bucket->count++;
		bucket->sum_ns += latency_ns;
	}
	return 0;
}

#endif
