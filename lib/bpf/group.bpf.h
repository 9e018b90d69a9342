/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose packets: the row of buckets that belongs to a packet's group. User space maps the rows into
 * its memory: reading takes no system calls, and only rows in use take time and memory.
 */
#ifndef NETSTACKLAT_GROUP_BPF_H
#define NETSTACKLAT_GROUP_BPF_H

#include "lib/bpf/cgroup.bpf.h"
#include "lib/bpf/packet.bpf.h"

/* The loader sets max_entries: the number of rows or, of the last map, of buckets in all rows. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct group_key);
	__type(value, __u32);
} group_row_of SEC(".maps");

/*
 * The numbers of free rows, in order. A counter would do if programs could add to it and fetch it
 * in one step, which they can from Linux 5.12 on.
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

/* A cache in front of the hash, for each probe and CPU: most of them see only a few groups. */
#define NR_CACHED_GROUPS 16
struct cached_group {
	struct group_key key;
	__u32 buckets_plus_1; /* as group_first_bucket() returns them; 0 for none */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, (NR_PROBES * NR_CACHED_GROUPS));
	__type(key, __u32);
	__type(value, struct cached_group);
} group_cache SEC(".maps");

/*
 * User space reads what is in a row once it sees that the row is in use. Stores of x86 keep their
 * order if the compiler does; others need an atomic exchange (Linux 5.12, 5ffa25502b5a), which
 * orders all that comes before it, too.
 */
static __always_inline void group_publish(struct group_row *group)
{
#ifdef __TARGET_ARCH_x86
	barrier();
	group->in_use = 1;
#else
	__sync_lock_test_and_set(&group->in_use, 1);
#endif
}

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
	group_publish(group);
	return row;
}

static __noinline __u32 group_find_buckets(struct group_key *key, struct cached_group *cached)
{
	__u32 *known, row, buckets;

	if (!key || !cached)
		return NO_ROW;
	cached->key = *key;
	/* Not in the cache, of which each CPU has its own. */
	key->cpu = bpf_get_smp_processor_id();
	known = bpf_map_lookup_elem(&group_row_of, key);
	row = known ? *known : group_new_row(key);
	buckets = row == NO_ROW ? NO_ROW : row * NR_BUCKETS(config.features & FEATURE_RESOLUTION);
	cached->buckets_plus_1 = buckets + 1;
	return buckets;
}

/* What a packet is grouped by, in registers: a key in memory is made only to look it up. */
struct group_facts {
	__u64 netns, cgroup, process;
	__u64 *comm; /* in memory of its own, for a helper fills it */
	__u32 ifindex;
	__u32 sum; /* of those that mostly differ: the group's place in the cache */
	__u32 port;
	__u32 ip_version;
	__u32 reason;
	__u32 packets;
};

/*
 * For each fact, what it adds to the facts of a packet, and whether a group has the same. What is
 * unknown at a hook stays zero.
 */
static __always_inline void group_learn_INTERFACE(const struct packet *packet,
						  struct group_facts *facts)
{
	/* Interfaces are numbered by network namespace. */
	facts->sum += facts->netns = packet_netns(packet);
	facts->sum += facts->ifindex = packet_ifindex(packet);
}

static __always_inline bool group_same_INTERFACE(const struct group_facts *facts,
						 const struct group_key *key)
{
	return key->ifindex == facts->ifindex && key->netns == facts->netns;
}

static __always_inline void group_learn_NETNS(const struct packet *packet,
					      struct group_facts *facts)
{
	facts->sum += facts->netns = packet_netns(packet);
}

static __always_inline bool group_same_NETNS(const struct group_facts *facts,
					     const struct group_key *key)
{
	return key->netns == facts->netns;
}

static __always_inline void group_learn_CGROUP(const struct packet *packet,
					       struct group_facts *facts)
{
	if (packet->has & HAS_SOCKET)
		facts->sum += facts->cgroup = cgroup_id_of(packet->sk);
}

static __always_inline bool group_same_CGROUP(const struct group_facts *facts,
					      const struct group_key *key)
{
	return key->cgroup == facts->cgroup;
}

static __always_inline void group_learn_PORT(const struct packet *packet, struct group_facts *facts)
{
	facts->sum += facts->port = packet_port(packet);
}

static __always_inline bool group_same_PORT(const struct group_facts *facts,
					    const struct group_key *key)
{
	return key->port == facts->port;
}

static __always_inline void group_learn_PID(const struct packet *packet, struct group_facts *facts)
{
	facts->sum += facts->process = packet_process(packet);
}

static __always_inline bool group_same_PID(const struct group_facts *facts,
					   const struct group_key *key)
{
	return !facts->process || process_number(key->started_ns, key->pid) == facts->process;
}

static __always_inline void group_learn_COMM(const struct packet *packet, struct group_facts *facts)
{
	if (packet->has & HAS_READER)
		bpf_get_current_comm(facts->comm, COMM_SIZE);
}

static __always_inline bool group_same_COMM(const struct group_facts *facts,
					    const struct group_key *key)
{
	const __u64 *comm = (const __u64 *)key->comm;

	return comm[0] == facts->comm[0] && comm[1] == facts->comm[1];
}

/* All rows are of one CPU, anyway. */
static __always_inline void group_learn_CPU(const struct packet *packet, struct group_facts *facts)
{
}

static __always_inline bool group_same_CPU(const struct group_facts *facts,
					   const struct group_key *key)
{
	return true;
}

static __always_inline void group_learn_IP_VERSION(const struct packet *packet,
						   struct group_facts *facts)
{
	if (packet->has & (HAS_SKB | HAS_SOCKET))
		facts->ip_version = packet_ip_version(packet);
}

static __always_inline bool group_same_IP_VERSION(const struct group_facts *facts,
						  const struct group_key *key)
{
	return key->ip_version == facts->ip_version;
}

static __always_inline void group_learn_REASON(const struct packet *packet,
					       struct group_facts *facts)
{
	facts->sum += facts->reason = packet->reason;
}

static __always_inline bool group_same_REASON(const struct group_facts *facts,
					      const struct group_key *key)
{
	return key->reason == facts->reason;
}

static __always_inline void group_learn_PACKETS(const struct packet *packet,
						struct group_facts *facts)
{
	facts->sum += facts->packets = packet->packets;
}

static __always_inline bool group_same_PACKETS(const struct group_facts *facts,
					       const struct group_key *key)
{
	return key->packets == facts->packets;
}

/* There are no groups by these. */
#define group_learn_QUEUE_LENGTH(packet, facts)
#define group_same_QUEUE_LENGTH(facts, key) true
#define group_learn_REMOTE(packet, facts)
#define group_same_REMOTE(facts, key) true

/* Facts of one hook. Other programs do not look: even that would cost them registers. */
#define IS_UNKNOWN(has, needs) (!((needs) & ~(HAS_REASON | HAS_POLL)) && !((has) & (needs)))

/* Takes the facts to group by off the features that are left. */
static __always_inline void group_learn(const struct packet *packet, __u32 *left,
					struct group_facts *facts)
{
#define FACT(id, name, option, needs)                               \
	if (IS_UNKNOWN(packet->has, needs)) {                       \
		*left &= FEATURE_GROUP(FACT_##id) - 1;              \
	} else if (feature_is_on(left, FEATURE_GROUP(FACT_##id))) { \
		group_learn_##id(packet, facts);                    \
	}
#include "lib/tables/facts.def"
}

static __always_inline bool group_is_same(const struct group_facts *facts, __u32 has, __u32 left,
					  const struct group_key *key)
{
#define FACT(id, name, option, needs)                                                            \
	if (IS_UNKNOWN(has, needs))                                                              \
		left &= FEATURE_GROUP(FACT_##id) - 1;                                            \
	else if (feature_is_on(&left, FEATURE_GROUP(FACT_##id)) && !group_same_##id(facts, key)) \
		return false;
#include "lib/tables/facts.def"
	return true;
}

/*
 * The first of the buckets of a packet's row, or NO_ROW if there is no room for another one. Stages
 * have rows of their own: from is what they begin with, or 0.
 */
static __always_inline __u32 group_first_bucket(enum probe probe, __u32 from, __u32 by,
						const struct group_facts *facts)
{
	__u32 slot = probe * NR_CACHED_GROUPS + (facts->sum + from) % NR_CACHED_GROUPS;
	struct cached_group *cached = bpf_map_lookup_elem(&group_cache, &slot);
	struct group_key key;

	if (!cached)
		return NO_ROW;
	if (cached->buckets_plus_1 &&
	    group_is_same(facts, hook_has(probe_hook(probe)), by, &cached->key) &&
	    (!WITH_STAGES || cached->key.stage_from == from))
		return cached->buckets_plus_1 - 1;

	key = (struct group_key){
		.netns = facts->netns,
		.cgroup = facts->cgroup,
		.ifindex = facts->ifindex,
		.pid = process_pid(facts->process),
		.started_ns = process_started_ns(facts->process),
		.port = facts->port,
		.ip_version = facts->ip_version,
		.reason = facts->reason,
		.packets = facts->packets,
		.probe = probe,
		.stage_from = from,
	};
	__builtin_memcpy(key.comm, facts->comm, sizeof(key.comm));
	return group_find_buckets(&key, cached);
}

#endif
