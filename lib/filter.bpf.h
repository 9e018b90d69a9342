/* SPDX-License-Identifier: GPL-2.0 */
/* Which packets are asked for. The loader creates and fills only the maps that are needed. */
#ifndef NETSTACKLAT_FILTER_BPF_H
#define NETSTACKLAT_FILTER_BPF_H

#include "cgroup.bpf.h"
#include "packet.bpf.h"

/* Sets of numbers, see netstacklat.h. */
#define SET(name)                                 \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__type(key, __u32);               \
		__type(value, __u64);             \
	} name SEC(".maps")
SET(filter_ports);
SET(filter_pids);
/* One set after the other, each of config.filter.interface_words: of each network namespace. */
SET(filter_interfaces);

/* Which of the sets is for a network namespace, counted from 1; 0 for none. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} filter_netns SEC(".maps");

/* The cgroups that were named. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u8);
} filter_cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, char[COMM_SIZE]);
	__type(value, __u8);
} filter_comms SEC(".maps");

/*
 * Whether a cgroup is or is below one that was named never changes, as cgroups do not move. Found
 * by the last bits of its id: ~ of the id of one that is, or the id of one that is not, in one word
 * for CPUs to replace at once. No cgroup has the id 0, and so is not one of those.
 */
#define NR_CGROUP_VERDICTS 4096
__u64 cgroup_verdicts[NR_CGROUP_VERDICTS];

static __always_inline bool is_in_map(void *set, __u64 offset)
{
	__u32 key = offset / SET_WORD_BITS;
	__u64 *word;

	/* Less than the first became more than any. */
	if (offset >> 32)
		return false;
	word = bpf_map_lookup_elem(set, &key);
	return word && *word >> offset % SET_WORD_BITS & 1;
}

static __always_inline bool is_in_set(void *set, __s64 value, __s64 number)
{
	return SET_HAS_MAP(value) ? is_in_map(set, number - SET_LOWEST(value)) : number == value;
}

/* Which of the namespaces that are asked for it is, counted from 1; 0 for none. */
static __always_inline __u32 netns_number(__u64 netns)
{
	__u64 offset = netns - SET_LOWEST(config.filter.netns);
	__u32 key = offset, *number;

	if (offset >> 32)
		return 0;
	number = bpf_map_lookup_elem(&filter_netns, &key);
	return number ? *number : 0;
}

static __always_inline bool is_in_interfaces(__u32 netns_number, __u64 ifindex)
{
	if (ifindex >= (__u64)config.filter.interface_words * SET_WORD_BITS)
		return false;
	ifindex += (netns_number - 1ULL) * config.filter.interface_words * SET_WORD_BITS;
	return is_in_map(&filter_interfaces, ifindex);
}

static __always_inline bool filter_finds_cgroup(const struct sock *sk)
{
	bool typed = cgroup_is_typed(sk);
	const struct cgroup *cgroup = cgroup_of(sk);

	for (int depth = 0; depth < MAX_CGROUP_DEPTH && cgroup; depth++) {
		__u64 id = cgroup_id(cgroup, typed);

		if (bpf_map_lookup_elem(&filter_cgroups, &id))
			return true;
		cgroup = cgroup_parent(cgroup, typed);
	}
	return false;
}

static __noinline bool filter_learns_cgroup(const struct sock *sk, __u64 id)
{
	bool found = filter_finds_cgroup(sk);

	cgroup_verdicts[id % NR_CGROUP_VERDICTS] = found ? ~id : id;
	return found;
}

static __always_inline bool filter_passes_cgroup(const struct packet *packet)
{
	__u64 id = cgroup_id_of(packet->sk), verdict = cgroup_verdicts[id % NR_CGROUP_VERDICTS];

	return verdict == ~id || (verdict != id && filter_learns_cgroup(packet->sk, id));
}

static __always_inline bool filter_passes_comm(void)
{
	/* All of it is compared, and Linux 6.1 does not fill what is behind the name. */
	__u64 comm[COMM_SIZE / sizeof(__u64)] = { 0 }, only = config.filter.comm[0];

	bpf_get_current_comm(comm, sizeof(comm));
	if (only)
		return comm[0] == only && comm[1] == config.filter.comm[1];
	return bpf_map_lookup_elem(&filter_comms, comm);
}

/* An interface's number says nothing without its network namespace. */
static __always_inline bool filter_passes_device(const struct packet *packet, __u32 *left)
{
	__s64 netns = packet_netns(packet), only = config.filter.netns;
	__u32 number = 1;

	if (SET_HAS_MAP(only) ? !(number = netns_number(netns)) : netns != only)
		return false;
	if (!feature_takes(left, FEATURE_FILTER(FACT_INTERFACE)))
		return true;
	only = config.filter.interface;
	return SET_HAS_MAP(only) ? is_in_interfaces(number, packet_ifindex(packet))
				 : packet_ifindex(packet) == only;
}

/* Takes the filters off the features that are left. A hook is never asked what it does not know. */
static __always_inline bool filter_passes(const struct packet *packet, __u32 *left)
{
	if (feature_takes(left, FEATURE_FILTER(FACT_QUEUE_LENGTH)) && packet->has & HAS_SOCKET &&
	    !packet_finds_queued(packet, config.filter.min_queue_length))
		return false;
	if (feature_takes(left, FEATURE_FILTER(FACT_IP_VERSION)) &&
	    packet_protocol(packet) != config.filter.protocol)
		return false;
	if (feature_takes(left, FEATURE_FILTER(FACT_COMM)) && packet->has & HAS_READER &&
	    !filter_passes_comm())
		return false;
	if (feature_takes(left, FEATURE_FILTER(FACT_PID)) && packet->has & HAS_READER &&
	    !is_in_set(&filter_pids, config.filter.pid, packet_pid(packet)))
		return false;
	if (feature_takes(left, FEATURE_FILTER(FACT_PORT)) && packet->has & HAS_PORT &&
	    !is_in_set(&filter_ports, config.filter.port, packet_port(packet)))
		return false;
	if (feature_takes(left, FEATURE_FILTER(FACT_CGROUP)) && packet->has & HAS_SOCKET &&
	    !filter_passes_cgroup(packet))
		return false;
	if (feature_takes(left, FEATURE_FILTER(FACT_NETNS)) && !filter_passes_device(packet, left))
		return false;
	return true;
}

#endif
