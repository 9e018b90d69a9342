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

/* The numbers of free rows, in order: before Linux 5.12, none can be counted and fetched at once.
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
	__u32 buckets_plus_1; /* as group_buckets() returns them; 0 for none */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, (NR_PROBES * NR_CACHED_GROUPS));
	__type(key, __u32);
	__type(value, struct cached_group);
} group_cache SEC(".maps");

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

static __noinline __u32 group_find_buckets(struct group_key *key, struct cached_group *cached)
{
	__u32 *known, row, buckets;

	if (!key || !cached)
		return NO_ROW;
	cached->key = *key;
	/* Of the cache, each CPU has its own. */
	key->cpu = bpf_get_smp_processor_id();
	known = bpf_map_lookup_elem(&group_row_of, key);
	row = known ? *known : group_new_row(key);
	buckets = row == NO_ROW ? NO_ROW : row * NR_BUCKETS(config.features & FEATURE_RESOLUTION);
	cached->buckets_plus_1 = buckets + 1;
	return buckets;
}

/*
 * The first of the buckets of a packet's row, or NO_ROW if there is no room for another one. Takes
 * the facts to group by off the features that are left; what is unknown at this hook stays zero.
 * The facts are compared one by one, so that each stays in a register: there is a key only if it
 * must be looked up.
 */
static __always_inline __u32 group_buckets(enum probe probe, const struct packet *packet,
					   __u32 *left)
{
	__u64 netns = 0, cgroup = 0, comm[COMM_SIZE / sizeof(__u64)] = { 0 };
	__u32 ifindex = 0, pid = 0, compared = *left, slot = 0;
	struct group_key key;
	struct cached_group *cached;
	const __u64 *cached_comm;
	__u8 ip_version = 0;
	__u16 port = 0;

	if (feature_takes(left, FEATURE_GROUP(FACT_IP_VERSION)))
		ip_version = packet_ip_version(packet);
	/* All that follows is of one CPU, anyway. */
	feature_takes(left, FEATURE_GROUP(FACT_CPU));
	if (feature_takes(left, FEATURE_GROUP(FACT_COMM)) && packet->has & HAS_READER)
		bpf_get_current_comm(comm, sizeof(comm));
	if (feature_takes(left, FEATURE_GROUP(FACT_PID)))
		slot += pid = packet_pid(packet);
	if (feature_takes(left, FEATURE_GROUP(FACT_PORT)))
		slot += port = packet_port(packet);
	if (feature_takes(left, FEATURE_GROUP(FACT_CGROUP)) && packet->has & HAS_SOCKET)
		slot += cgroup = cgroup_id_of(packet->sk);
	if (feature_takes(left, FEATURE_GROUP(FACT_NETNS)))
		slot += netns = packet_netns(packet);
	if (feature_takes(left, FEATURE_GROUP(FACT_INTERFACE)))
		slot += ifindex = packet_ifindex(packet);

	slot = probe * NR_CACHED_GROUPS + slot % NR_CACHED_GROUPS;
	cached = bpf_map_lookup_elem(&group_cache, &slot);
	if (!cached)
		return NO_ROW;
	cached_comm = (const __u64 *)cached->key.comm;

#define SAME(fact, is_equal) (!feature_takes(&compared, FEATURE_GROUP(FACT_##fact)) || (is_equal))
	if (cached->buckets_plus_1 && SAME(IP_VERSION, cached->key.ip_version == ip_version) &&
	    SAME(CPU, true) && SAME(COMM, cached_comm[0] == comm[0] && cached_comm[1] == comm[1]) &&
	    SAME(PID, cached->key.pid == pid) && SAME(PORT, cached->key.port == port) &&
	    SAME(CGROUP, cached->key.cgroup == cgroup) && SAME(NETNS, cached->key.netns == netns) &&
	    SAME(INTERFACE, cached->key.ifindex == ifindex))
		return cached->buckets_plus_1 - 1;

	key = (struct group_key){
		.netns = netns,
		.cgroup = cgroup,
		.ifindex = ifindex,
		.pid = pid,
		.port = port,
		.ip_version = ip_version,
		.probe = probe,
	};
	__builtin_memcpy(key.comm, comm, sizeof(key.comm));
	return group_find_buckets(&key, cached);
}

#endif
