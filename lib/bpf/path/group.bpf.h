/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups: the row of buckets that belongs to a packet's group. User space maps the rows into
 * its memory: reading takes no system calls, and only rows in use take time and memory.
 */
#ifndef NETSTACKLAT_GROUP_BPF_H
#define NETSTACKLAT_GROUP_BPF_H

#include "lib/bpf/kernel/cgroup.bpf.h"
#include "lib/bpf/kernel/sock.bpf.h"
#include "lib/bpf/path/hook.bpf.h"
#include "lib/bpf/path/packet.bpf.h"
#include "lib/bpf/path/sequence.bpf.h"
#include "lib/bpf/path/socket.bpf.h"
#include "lib/tables/group_row.h"

/*
 * The loader sets max_entries to the number of rows; for the last map, to that of buckets in all
 * rows.
 */
MAP(WITH_GROUPS, group_row_of, __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1);
    __type(key, struct group_key); __type(value, __u32););

/*
 * The next free rows, in order. A program that takes one puts back the one that is FREE_ROWS behind
 * it. A counter would do if programs could add to it and fetch it in one step, which they can from
 * Linux 5.12 on.
 */
MAP(WITH_GROUPS, group_free_rows, __uint(type, BPF_MAP_TYPE_QUEUE); __uint(max_entries, FREE_ROWS);
    __uint(value_size, sizeof(__u32)););

/* Rows that user space has given back, as their groups count no more. */
MAP(WITH_GROUPS, group_recycled_rows, __uint(type, BPF_MAP_TYPE_QUEUE); __uint(max_entries, 1);
    __uint(value_size, sizeof(__u32)););

MAP(WITH_GROUPS, netstack_groups, __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 1); __type(key, __u32);
    __type(value, struct group_row););

MAP(WITH_GROUPS, netstack_group_latency, __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 1); __type(key, __u32);
    __type(value, struct bucket););

/*
 * A cache in front of the hash, for each probe that counts and each CPU. With ports, and stages, a
 * service of eight connections has some fifty groups. The loader sets max_entries.
 */
struct cached_group {
	struct group_key key;	 /* as of all CPUs, for each has its own cache */
	__u32 epoch;		 /* in which it came here; 0: there is none */
	__u32 buckets[NR_SINCE]; /* the first of each time's; NO_ROW: not found yet */
};

/*
 * User space begins a new epoch, from 1 on, when it takes rows away from groups. Then all groups in
 * the cache are looked up anew.
 */
__u32 group_epoch;

MAP(WITH_GROUPS, group_cache, __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, struct cached_group););

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

/* Takes a row that was never in use, if there still is one, or else one that was given back. */
static __always_inline struct group_row *group_take_row(__u32 *row)
{
	struct group_row *group = NULL;
	__u32 next;

	if (!bpf_map_pop_elem(&group_free_rows, row))
		group = bpf_map_lookup_elem(&netstack_groups, row);
	if (group) {
		next = *row + FREE_ROWS;
		bpf_map_push_elem(&group_free_rows, &next, 0);
		return group;
	}
	if (bpf_map_pop_elem(&group_recycled_rows, row))
		return NULL;
	return bpf_map_lookup_elem(&netstack_groups, row);
}

/* Takes a row for a key, which no other program and no other CPU has. */
static __always_inline __u32 group_new_row(const struct group_key *key, const struct sock *sk)
{
	struct group_row *group;
	__u32 row;

	group = group_take_row(&row);
	if (!group)
		return NO_ROW;
	if (bpf_map_update_elem(&group_row_of, key, &row, BPF_NOEXIST))
		return NO_ROW;
	group->key = *key;
	if (key->pid || key->tid)
		bpf_get_current_comm(group->comm, sizeof(group->comm));
	if (key->socket)
		socket_learn_addresses(sk, &group->addresses);
	group_publish(group);
	return row;
}

static __noinline __u32 group_find_buckets(struct cached_group *cached, enum since since,
					   const struct sock *sk)
{
	__u32 *known, row;
	struct group_key key;

	if (!cached || since >= NR_SINCE)
		return NO_ROW;
	key = cached->key;
	key.cpu = bpf_get_smp_processor_id();
	if (since == SINCE_STAMP)
		key.stage_from = FROM_STAMP;
	known = bpf_map_lookup_elem(&group_row_of, &key);
	row = known ? *known : group_new_row(&key, sk);
	if (row != NO_ROW)
		row *= NR_BUCKETS(config.resolution);
	cached->buckets[since] = row;
	return row;
}

/* The group of a packet, in registers. A key in memory is made only to look it up. */
struct group_attributes {
	__u64 netns, cgroup, socket, process;
	const struct sock *sk;	     /* whose cookie that is */
	struct cached_group *cached; /* see group_find() */
	__u64 *comm;		     /* in memory of its own, for a helper fills it */
	__u32 ifindex;
	__u32 sum; /* of those that mostly differ: the group's place in the cache */
	__u32 tid;
	__u32 port;
	__u32 ip_version;
	__u32 reason;
	__u32 packets;
	__u32 sequence;
	__u32 limit;
	__u32 retransmit;
};

/*
 * A client has another port for each connection, and each port would take rows of its own. Without
 * stages, nobody asks for it: its code is never reached then, but would take registers from the
 * rest.
 */
static __always_inline bool is_folded(const struct packet *packet, __u32 port)
{
	return WITH_STAGES && static_branch(BRANCH_FOLD_CLIENTS) && !packet_is_dropped(packet) &&
	       port >= config.first_folded_port && socket_is_client(packet->sk);
}

static __always_inline __u32 group_port(const struct packet *packet)
{
	__u32 port = packet_port(packet);

	return is_folded(packet, port) ? 0 : port;
}

static __always_inline __u64 group_socket(const struct packet *packet, struct group_attributes *of)
{
	of->sk = packet->sk;
	return socket_cookie(packet, of->sk);
}

/* Learns the keys of a packet's group. What is unknown at a hook stays zero. */
static __always_inline void group_learn(struct packet *packet, struct group_attributes *of)
{
#define KEY(id, name, needs, kept, tells)                                   \
	packet->keeps = kept;                                               \
	if (packet->has & (needs) && static_branch(BRANCH_KEY(KEY_##id))) { \
		tells                                                       \
	}
#define CPU_KEY(...)
#define IS(member, value) of->sum += of->member = value;
/* One of these must not lead from one port's place in the cache to that of another. */
#define IS_ONE_OF_FEW(member, value) of->sum += (of->member = value) << 8;
#define IS_PROCESS IS(process, packet_process(packet))
#define IS_NAMED                       \
	if (packet_has_reader(packet)) \
		bpf_get_current_comm(of->comm, COMM_SIZE);
#include "lib/tables/keys.def"
}

static __always_inline bool is_same_comm(const char *key, const __u64 *other)
{
	const __u64 *comm = (const __u64 *)key;

	return comm[0] == other[0] && comm[1] == other[1];
}

static __always_inline bool group_is_same(const struct group_attributes *of, __u32 has,
					  const struct group_key *key)
{
#define KEY(id, name, needs, kept, tells)                           \
	if (has & (needs) && static_branch(BRANCH_KEY(KEY_##id))) { \
		tells                                               \
	}
#define CPU_KEY(...)
#define IS_EQUAL(one, other)  \
	if ((one) != (other)) \
		return false;
#define IS(member, value) IS_EQUAL(key->member, of->member)
#define IS_ONE_OF_FEW(member, value) IS(member, value)
#define IS_PROCESS IS_EQUAL(process_number(key->started_ns, key->pid), of->process)
#define IS_NAMED IS_EQUAL(is_same_comm(key->comm, of->comm), true)
#include "lib/tables/keys.def"
	return true;
}

/*
 * Finds the place of a packet's group in the cache: the group of the stage that begins at from or,
 * with FROM_STAMP, of no stage.
 */
static __always_inline void group_find(enum probe probe, __u32 from, struct group_attributes *of)
{
	/*
	 * Clients' ports follow one another, and the kernel prefers even ones. Multiples of the
	 * golden ratio lie far apart, however many there are (Fibonacci hashing). Whatever else
	 * differs must not lead from one port's place to another's.
	 */
	__u32 hash = (of->sum + (from << 8)) * 0x9e3779b1U;
	__u32 slot = config.first_cached[probe] + (hash >> (32 - CACHED_GROUPS_BITS));
	struct cached_group *cached = bpf_map_lookup_elem(&group_cache, &slot);

	of->cached = cached;
	if (!cached ||
	    (cached->epoch == group_epoch && group_is_same(of, probe_has(probe), &cached->key) &&
	     (!WITH_STAGES || cached->key.stage_from == from)))
		return;

	cached->epoch = group_epoch;
	/* A row that is found from here on is out of date if another epoch begins meanwhile. */
	barrier();
	cached->buckets[SINCE_STAMP] = cached->buckets[SINCE_HOOK] = NO_ROW;
	cached->key = (struct group_key){
		.netns = of->netns,
		.cgroup = of->cgroup,
		.socket = of->socket,
		.ifindex = of->ifindex,
		.pid = process_pid(of->process),
		.tid = of->tid,
		.started_ns = process_started_ns(of->process),
		.port = of->port,
		.ip_version = of->ip_version,
		.reason = of->reason,
		.packets = of->packets,
		.sequence = of->sequence,
		.limit = of->limit,
		.retransmit = of->retransmit,
		.probe = probe,
		.stage_from = from,
	};
	__builtin_memcpy(cached->key.comm, of->comm, sizeof(cached->key.comm));
}

/*
 * Returns the first bucket of one time of the group that was found; NO_ROW if there is no room for
 * another row. Stages have rows of their own.
 */
static __always_inline __u32 group_first_bucket(const struct group_attributes *of, enum since since)
{
	__u32 buckets = of->cached ? of->cached->buckets[since] : NO_ROW;

	return buckets == NO_ROW ? group_find_buckets(of->cached, since, of->sk) : buckets;
}

#endif
