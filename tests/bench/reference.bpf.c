// SPDX-License-Identifier: GPL-2.0
/*
 * What netstacklat's programs are held against: a program that does nothing, the least that the job
 * takes, and two usual ways to do it.
 */
/* For the clock, as the variant that only counts reads it. */
#define WITH_FILTERS 0
#define WITH_GROUPS 0
#define WITH_STAGES 0
#define WITH_SLOW 0

#include "vmlinux_local.h"
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "netstacklat.h"
#include "lib/bpf/kernel/clock.bpf.h"

#define NR_SLOTS 36
#define PROGRAM(name) \
	SEC("fentry/udp_queue_rcv_one_skb") int BPF_PROG(name, struct sock *sk, struct sk_buff *skb)

__u64 last_latency_ns;

static __always_inline __u64 latency_of(const struct sk_buff *skb)
{
	return clock_ns() - clock_offset_ns - skb->tstamp;
}

/* Position of the highest bit, by halves, as textbooks have it. */
static __always_inline __u32 slot_of(__u64 ns)
{
	__u32 slot = 0;

#pragma unroll
	for (int shift = 32; shift; shift /= 2)
		if (ns >> shift) {
			ns >>= shift;
			slot += shift;
		}
	return slot < NR_SLOTS - 2 ? slot : NR_SLOTS - 2;
}

PROGRAM(empty)
{
	return 0;
}

/* Stamp and clock. */
PROGRAM(stamp_and_clock)
{
	last_latency_ns = latency_of(skb);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SLOTS);
	__type(key, __u32);
	__type(value, __u64);
} slots SEC(".maps");

/* A lookup for the slot, and one for the sum. */
PROGRAM(two_array_lookups)
{
	__u64 latency_ns = latency_of(skb), *value;
	__u32 key = slot_of(latency_ns);

	value = bpf_map_lookup_elem(&slots, &key);
	if (value)
		(*value)++;
	key = NR_SLOTS - 1;
	value = bpf_map_lookup_elem(&slots, &key);
	if (value)
		*value += latency_ns;
	return 0;
}

struct slot_key {
	__u64 cgroup;
	__u32 hook;
	__u32 ifindex;
	__u32 slot;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct slot_key);
	__type(value, __u64);
} hashed_slots SEC(".maps");

static __always_inline void add(struct slot_key *key, __u64 amount)
{
	__u64 *value = bpf_map_lookup_elem(&hashed_slots, key), zero = 0;

	if (!value) {
		bpf_map_update_elem(&hashed_slots, key, &zero, BPF_NOEXIST);
		value = bpf_map_lookup_elem(&hashed_slots, key);
	}
	if (value)
		*value += amount;
}

/* The same, in a hash with the group in its key. */
PROGRAM(two_hash_lookups)
{
	__u64 latency_ns = latency_of(skb);
	struct slot_key key = { .ifindex = skb->skb_iif, .slot = slot_of(latency_ns) };

	add(&key, 1);
	key.slot = NR_SLOTS - 1;
	add(&key, latency_ns);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
