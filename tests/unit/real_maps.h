/* SPDX-License-Identifier: GPL-2.0 */
/* Maps of one hook, udp-start, in which no program counts but the test. */
#ifndef NETSTACKLAT_REAL_MAPS_H
#define NETSTACKLAT_REAL_MAPS_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/counters.h"

#define MAX_CPUS 1024

static int nr_cpus;
static struct map_fds maps;

static inline int make_map(size_t value_size, int nr)
{
	return bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "test", sizeof(__u32), value_size, nr,
			      NULL);
}

static inline int make_maps(void **state)
{
	(void)state;
	nr_cpus = libbpf_num_possible_cpus();
	maps = (struct map_fds){ .stages = { .latency = -1, .unpaired = -1, .drops = -1 },
				 .slow_packets = -1,
				 .slow_counts = -1 };
	memset(maps.latency, -1, sizeof(maps.latency));
	memset(maps.programs, -1, sizeof(maps.programs));
	maps.latency[HOOK_udp_start] =
		make_map(sizeof(struct bucket), hook_nr_probes(HOOK_udp_start) * NR_BUCKETS(0));
	maps.discards = make_map(sizeof(__u64), NR_DISCARD_COUNTS);
	return nr_cpus > 0 && nr_cpus <= MAX_CPUS ? 0 : -1;
}

static inline int close_maps(void **state)
{
	(void)state;
	close(maps.latency[HOOK_udp_start]);
	close(maps.discards);
	return 0;
}

/* So many so far: at the second of the hook's probes, 1 on the last CPU and the others on CPU 0. */
static inline void set_count(unsigned int bucket, uint64_t count)
{
	const __u32 key = NR_BUCKETS(0) + bucket;
	struct bucket values[MAX_CPUS] = { 0 };

	values[0] = (struct bucket){ count - 1, 1000 * (count - 1) };
	values[nr_cpus - 1].count += 1;
	values[nr_cpus - 1].sum_ns += 1000;
	assert_int_equal(bpf_map_update_elem(maps.latency[HOOK_udp_start], &key, values, 0), 0);
}

/* Users who are not root may make none. */
static inline bool may_make_maps(void)
{
	int map = make_map(sizeof(__u64), 1);

	close(map);
	return map >= 0;
}

#endif
