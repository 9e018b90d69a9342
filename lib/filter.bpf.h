/* SPDX-License-Identifier: GPL-2.0 */
/* Which packets are asked for. The loader creates and fills only the maps that are needed. */
#ifndef NETSTACKLAT_FILTER_BPF_H
#define NETSTACKLAT_FILTER_BPF_H

#include "cgroup.bpf.h"
#include "packet.bpf.h"

const volatile struct filter_values filter_values;

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
/* One set after the other, each of filter_values.interface_words: of each network namespace. */
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
 * by the last bits of its id; id << 1 and the answer share one word, which CPUs replace at once.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NR_CGROUP_VERDICTS);
	__type(key, __u32);
	__type(value, __u64);
} cgroup_verdicts SEC(".maps");

static __always_inline bool is_in_set(void *set, __u64 offset)
{
	__u32 key = offset / SET_WORD_BITS;
	__u64 *word;

	/* Less than the first became more than any. */
	if (offset >> 32)
		return false;
	word = bpf_map_lookup_elem(set, &key);
	return word && *word >> offset % SET_WORD_BITS & 1;
}

/* An interface's number says nothing without its network namespace. */
static __always_inline bool filter_passes_device(const struct packet *packet, __u32 features)
{
	__u64 offset = packet_netns(packet) - filter_values.first_netns, bit;
	__u32 key = offset, *number;

	if (offset >> 32)
		return false;
	number = bpf_map_lookup_elem(&filter_netns, &key);
	if (!number || !*number)
		return false;
	if (!(features & FEATURE_FILTER(FACT_INTERFACE)))
		return true;

	bit = packet_ifindex(packet);
	if (bit >= (__u64)filter_values.interface_words * SET_WORD_BITS)
		return false;
	bit += (*number - 1ULL) * filter_values.interface_words * SET_WORD_BITS;
	return is_in_set(&filter_interfaces, bit);
}

static __noinline bool filter_finds_cgroup(const struct sock *sk)
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

static __always_inline bool filter_passes_cgroup(const struct packet *packet)
{
	__u64 id = cgroup_id_of(packet->sk), *verdict;
	__u32 key = id % NR_CGROUP_VERDICTS;

	verdict = bpf_map_lookup_elem(&cgroup_verdicts, &key);
	if (!verdict)
		return false;
	if (*verdict >> 1 != id)
		*verdict = id << 1 | filter_finds_cgroup(packet->sk);
	return *verdict & 1;
}

static __always_inline bool filter_passes_comm(void)
{
	char comm[COMM_SIZE];

	bpf_get_current_comm(comm, sizeof(comm));
	return bpf_map_lookup_elem(&filter_comms, comm);
}

/* The cheapest first. What a hook does not know never comes here: see hooks.def. */
static __always_inline bool filter_passes(const struct packet *packet, __u32 features)
{
	if (features & FEATURE_FILTER(FACT_IP_VERSION) &&
	    packet_ip_version(packet) != filter_values.ip_version)
		return false;
	if (features & FEATURE_FILTER(FACT_NETNS) && !filter_passes_device(packet, features))
		return false;
	if (packet->has & HAS_SOCKET) {
		if (features & FEATURE_FILTER(FACT_QUEUE_LENGTH) &&
		    packet_queue_length(packet) < filter_values.min_queue_length)
			return false;
		if (features & FEATURE_FILTER(FACT_PORT) &&
		    !is_in_set(&filter_ports, packet_port(packet) - filter_values.first_port))
			return false;
		if (features & FEATURE_FILTER(FACT_CGROUP) && !filter_passes_cgroup(packet))
			return false;
	}
	if (packet->has & HAS_READER) {
		if (features & FEATURE_FILTER(FACT_PID) &&
		    !is_in_set(&filter_pids, packet_pid(packet) - filter_values.first_pid))
			return false;
		if (features & FEATURE_FILTER(FACT_COMM) && !filter_passes_comm())
			return false;
	}
	return true;
}

#endif
