/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose packets: the row of buckets that belongs to a packet's group. User space maps the rows into
 * its memory, so that reading takes no system calls, and time and memory only for rows in use.
 */
#ifndef NETSTACKLAT_GROUP_BPF_H
#define NETSTACKLAT_GROUP_BPF_H

#include "cgroup.bpf.h"
#include "packet.bpf.h"

/* The loader sets max_entries of all but the cache: rows, and for the last one, rows of buckets. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct group_key);
	__type(value, __u32);
} group_row_of SEC(".maps");

/* The numbers of the rows that are free, in order. Linux 5.10 cannot count and fetch in one step.
 */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__uint(value_size, sizeof(__u32));
} group_free_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct group_row);
} netstack_groups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bucket);
} netstack_group_latency SEC(".maps");

/* In front of the hash: a few groups of each probe, which are all that there are on most CPUs. */
#define NR_CACHED_GROUPS 16
struct cached_group {
	struct group_key key;
	__u32 row_plus_1;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_PROBES *NR_CACHED_GROUPS);
	__type(key, __u32);
	__type(value, struct cached_group);
} group_cache SEC(".maps");

/* What is unknown at this hook stays zero. */
static __always_inline void group_key_set(struct group_key *key, const struct packet *packet,
					  __u32 features)
{
	if (features & FEATURE_GROUP(FACT_INTERFACE))
		key->ifindex = packet_ifindex(packet);
	if (features & FEATURE_GROUP(FACT_NETNS))
		key->netns = packet_netns(packet);
	if (features & FEATURE_GROUP(FACT_CGROUP))
		key->cgroup = packet->has & HAS_SOCKET ? cgroup_id_of(packet->sk) : 0;
	if (features & FEATURE_GROUP(FACT_PORT))
		key->port = packet_port(packet);
	if (features & FEATURE_GROUP(FACT_PID))
		key->pid = packet_pid(packet);
	if (features & FEATURE_GROUP(FACT_COMM) && packet->has & HAS_READER)
		bpf_get_current_comm(key->comm, sizeof(key->comm));
	if (features & FEATURE_GROUP(FACT_IP_VERSION))
		key->ip_version = packet_ip_version(packet);
}

/* Of all but the CPU. The length is a multiple of 8. */
static __always_inline bool group_key_equals(const struct group_key *a, const struct group_key *b)
{
	const __u64 *x = (const void *)a, *y = (const void *)b;
	__u64 difference = 0;

#pragma unroll
	for (__u32 i = 0; i < sizeof(*a) / sizeof(*x); i++)
		difference |= x[i] ^ y[i];
	return !difference;
}
_Static_assert(sizeof(struct group_key) == 32 + COMM_SIZE,
	       "keys have no padding, whose bytes would be compared, too");

/* Takes a free row. No other program and no other CPU has this key. */
static __always_inline __u32 group_new_row(const struct group_key *key)
{
	struct group_row *group;
	__u32 row;

	if (bpf_map_pop_elem(&group_free_rows, &row))
		return NO_ROW;
	group = bpf_map_lookup_elem(&netstack_groups, &row);
	if (!group || bpf_map_update_elem(&group_row_of, key, &row, BPF_NOEXIST))
		return NO_ROW;
	group->key = *key;
	if (key->pid)
		bpf_get_current_comm(group->comm, sizeof(group->comm));
	group->in_use = 1;
	return row;
}

static __noinline __u32 group_find_row(struct group_key *key, struct cached_group *cached)
{
	__u32 *known, row;

	if (!key || !cached)
		return NO_ROW;
	cached->key = *key;
	/* Of the cache, each CPU has its own. */
	key->cpu = bpf_get_smp_processor_id();
	known = bpf_map_lookup_elem(&group_row_of, key);
	row = known ? *known : group_new_row(key);
	cached->row_plus_1 = row + 1;
	return row;
}

/* NO_ROW if there is no room for another one. */
static __always_inline __u32 group_row(enum probe probe, const struct packet *packet,
				       __u32 features)
{
	struct group_key key = { .probe = probe };
	struct cached_group *cached;
	__u32 slot;

	group_key_set(&key, packet, features);
	slot = key.ifindex + key.netns + key.cgroup + key.port + key.pid;
	slot = probe * NR_CACHED_GROUPS + slot % NR_CACHED_GROUPS;
	cached = bpf_map_lookup_elem(&group_cache, &slot);
	if (!cached)
		return NO_ROW;
	if (cached->row_plus_1 && group_key_equals(&cached->key, &key))
		return cached->row_plus_1 - 1;
	return group_find_row(&key, cached);
}

#endif
