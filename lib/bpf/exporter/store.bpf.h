/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts for ebpf_exporter, in place of lib/bpf/path/store.bpf.h. It reads maps that have the names
 * of its metrics, with plain numbers as values, and cuts their keys into labels. It adds up the
 * counts of all CPUs, and of a hook's probes. Each probe has a key of its own, since two probes of
 * one hook may interrupt each other on a CPU.
 */
#ifndef NETSTACKLAT_EXPORTER_STORE_BPF_H
#define NETSTACKLAT_EXPORTER_STORE_BPF_H

#include "lib/bpf/exporter/offset.bpf.h"
#include "lib/tables/discards.h"
#include "lib/tables/exporter_key.h"

/*
 * A hash takes more instructions than an array. But labels are whole bytes of a key, so an array
 * would have thousands of unused entries, and each takes two system calls to read.
 */
#define EXPORTER_MAP(name, nr_slots)                                                         \
	MAP(1, name, __uint(type, BPF_MAP_TYPE_PERCPU_HASH);                                 \
	    __uint(max_entries, (NR_PROBES * (nr_slots))); __type(key, struct exporter_key); \
	    __type(value, __u64);)
EXPORTER_MAP(netstacklat_latency_seconds, EXPORTER_SUM_SLOT + 1);
EXPORTER_MAP(netstacklat_discarded_total, NR_DISCARDS);

static __noinline int exporter_add_entry(void *map, const struct exporter_key *key)
{
	__u64 none = 0;

	return bpf_map_update_elem(map, key, &none, BPF_NOEXIST);
}

/* Returns NULL if this is the first time and the kernel cannot add the entry right now. */
static __always_inline __u64 *exporter_entry(void *map, enum probe probe, __u32 slot)
{
	struct exporter_key key = { probe, slot };
	__u64 *entry = bpf_map_lookup_elem(map, &key);

	if (entry)
		return entry;
	/* Another CPU may be faster. */
	exporter_add_entry(map, &key);
	return bpf_map_lookup_elem(map, &key);
}

static __always_inline bool store_count(enum probe probe, const struct row *row, enum since since,
					__u64 ns, __u32 octave, __u32 weight)
{
	__u64 *count = exporter_entry(&netstacklat_latency_seconds, probe, octave);
	__u64 *sum = exporter_entry(&netstacklat_latency_seconds, probe, EXPORTER_SUM_SLOT);

	if (!count || !sum)
		return false;
	*count += weight;
	*sum += weight * ns;
	return true;
}

static __always_inline __u64 *store_discard_count(enum probe probe, enum discard cause)
{
	return exporter_entry(&netstacklat_discarded_total, probe, cause);
}

#endif
