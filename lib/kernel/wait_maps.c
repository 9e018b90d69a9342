// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/wait_maps.h"

#include <bpf/bpf.h>

bool wait_maps_find_read(const struct wait_maps *maps, const struct wait_key *key,
			 struct reader_wait *wait)
{
	return !bpf_map_lookup_elem(maps->reads, key, wait);
}

bool wait_maps_find_answer(const struct wait_maps *maps, const struct wait_key *key,
			   struct task_wait *wait)
{
	return !bpf_map_lookup_elem(maps->answers, key, wait);
}

bool wait_maps_find_accept(const struct wait_maps *maps, const struct wait_key *key,
			   struct task_wait *wait)
{
	return !bpf_map_lookup_elem(maps->accepts, key, wait);
}

bool wait_maps_find_softirq(const struct wait_maps *maps, uint32_t cpu, struct softirq_wait *wait)
{
	return !bpf_map_lookup_elem(maps->softirqs, &cpu, wait);
}

bool wait_maps_next_failure(const struct wait_maps *maps, const struct failure_key *before,
			    struct failure_key *key, struct failure *failure)
{
	return !bpf_map_get_next_key(maps->failures, before, key) &&
	       !bpf_map_lookup_elem(maps->failures, key, failure);
}

bool wait_maps_next_upstream(const struct wait_maps *maps, const struct upstream_key *before,
			     struct upstream_key *key, struct upstream_answers *answers)
{
	return !bpf_map_get_next_key(maps->upstreams, before, key) &&
	       !bpf_map_lookup_elem(maps->upstreams, key, answers);
}

/* Programs add keys meanwhile, so there is another limit. */
static void clear(int map, void *key, int max_entries)
{
	for (int nr = 0; nr < 2 * max_entries && !bpf_map_get_next_key(map, NULL, key); nr++)
		bpf_map_delete_elem(map, key);
}

void wait_maps_clear(const struct wait_maps *maps)
{
	static const struct upstream_key no_room;
	static const struct upstream_answers none;
	struct upstream_key upstream;
	struct failure_key failure;
	struct wait_key key;
	__u32 cpu;

	clear(maps->reads, &key, NR_READER_WAITS);
	clear(maps->answers, &key, NR_READER_WAITS);
	clear(maps->accepts, &key, NR_READER_WAITS);
	clear(maps->softirqs, &cpu, NR_SOFTIRQ_WAITS);
	clear(maps->failures, &failure, NR_FAILURES);
	clear(maps->upstreams, &upstream, NR_UPSTREAMS);
	bpf_map_update_elem(maps->upstreams, &no_room, &none, BPF_ANY);
}
