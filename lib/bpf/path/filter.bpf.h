/* SPDX-License-Identifier: GPL-2.0 */
/* The packets that are asked for. The loader creates and fills only the maps that are needed. */
#ifndef NETSTACKLAT_FILTER_BPF_H
#define NETSTACKLAT_FILTER_BPF_H

#include "lib/bpf/kernel/cgroup.bpf.h"
#include "lib/bpf/path/packet.bpf.h"
#include "lib/bpf/path/sequence.bpf.h"

/* The values that pass, see struct filter_values. */
#define FILTER_HASH(name, key_type)                                                      \
	MAP(WITH_FILTERS, name, __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); \
	    __type(key, key_type); __type(value, __u8);)
FILTER_HASH(filter_netns, __u64);
FILTER_HASH(filter_interfaces, struct interface_key);
FILTER_HASH(filter_cgroups, __u64);
FILTER_HASH(filter_pids, __u32);
FILTER_HASH(filter_comms, char[COMM_SIZE]);

MAP(WITH_FILTERS, filter_ports, __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NR_PORTS / PORTS_PER_WORD); __type(key, __u32); __type(value, __u64););

MAP(WITH_FILTERS, filter_remotes, __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(map_flags, BPF_F_NO_PREALLOC); __uint(max_entries, 1); __type(key, struct remote_key);
    __type(value, __u8););

static __always_inline bool filter_passes_INTERFACE(const struct packet *packet)
{
	struct interface_key key = { packet_netns(packet), packet_ifindex(packet) };
	__u32 only = config.filter.ifindex;

	if (only)
		return key.ifindex == only && key.netns == config.filter.netns;
	return bpf_map_lookup_elem(&filter_interfaces, &key);
}

static __always_inline bool filter_passes_NETNS(const struct packet *packet)
{
	__u64 netns = packet_netns(packet), only = config.filter.netns;

	if (only)
		return netns == only;
	return bpf_map_lookup_elem(&filter_netns, &netns);
}

/* See lib/tables/config.h. */
__u64 cgroup_verdicts[WITH_FILTERS ? NR_CGROUP_VERDICTS : 1];

/* Looks from the root down, as users may nest their own cgroups without end. */
static __always_inline bool filter_finds_cgroup(const struct cgroup *cgroup)
{
	for (int level = 0; level < NR_CGROUP_LEVELS; level++) {
		__u64 id = cgroup_ancestor_id(cgroup, level);

		if (!id)
			return false;
		if (bpf_map_lookup_elem(&filter_cgroups, &id))
			return true;
	}
	return false;
}

static __noinline bool filter_learns_cgroup(const struct cgroup *cgroup, __u64 id)
{
	bool found = filter_finds_cgroup(cgroup);

	cgroup_verdicts[id % NR_CGROUP_VERDICTS] = found ? ~id : id;
	return found;
}

static __always_inline bool filter_passes_CGROUP(const struct packet *packet)
{
	__u64 id = packet_cgroup_id(packet), verdict = cgroup_verdicts[id % NR_CGROUP_VERDICTS];

	return verdict == ~id || (verdict != id && filter_learns_cgroup(packet_cgroup(packet), id));
}

static __always_inline bool filter_passes_PORT(const struct packet *packet)
{
	__u32 port = packet_port(packet), only = config.filter.port, key;
	__u64 *word;

	if (only)
		return port == only;
	key = port / PORTS_PER_WORD;
	word = bpf_map_lookup_elem(&filter_ports, &key);
	return word && *word >> port % PORTS_PER_WORD & 1;
}

static __always_inline bool filter_passes_PID(const struct packet *packet)
{
	__u32 pid = packet_pid(packet), only = config.filter.pid;

	if (only)
		return pid == only;
	return bpf_map_lookup_elem(&filter_pids, &pid);
}

static __always_inline bool filter_passes_COMM(const struct packet *packet)
{
	/* The whole array is compared, and Linux 6.1 does not fill what is behind the name. */
	__u64 comm[COMM_SIZE / sizeof(__u64)] = { 0 }, only = config.filter.comm[0];

	if (packet_has_reader(packet))
		bpf_get_current_comm(comm, sizeof(comm));
	if (only)
		return comm[0] == only && comm[1] == config.filter.comm[1];
	return bpf_map_lookup_elem(&filter_comms, comm);
}

static __always_inline bool filter_passes_IP_VERSION(const struct packet *packet)
{
	return packet_protocol(packet) == config.filter.protocol;
}

static __always_inline bool filter_passes_SEQUENCE(const struct packet *packet)
{
	return config.filter.sequences >> packet_sequence(packet) & 1;
}

static __always_inline bool filter_passes_QUEUE_LENGTH(const struct packet *packet)
{
	return packet_finds_queued(packet, config.filter.min_queue_length);
}

static __always_inline bool filter_passes_REMOTE(const struct packet *packet)
{
	struct remote_key key = packet_remote(packet);

	return bpf_map_lookup_elem(&filter_remotes, &key);
}

/*
 * Returns whether all filters let a packet pass. User space leaves out hooks where one cannot tell.
 */
static __always_inline bool filter_passes(struct packet *packet)
{
	if (!WITH_FILTERS)
		return true;
#define FILTER(id, option, needs, kept)                                           \
	packet->keeps = kept;                                                     \
	if (packet->has & (needs) && static_branch(BRANCH_FILTER(FILTER_##id)) && \
	    !filter_passes_##id(packet))                                          \
		return false;
#include "lib/tables/filters.def"
	return true;
}

#endif
