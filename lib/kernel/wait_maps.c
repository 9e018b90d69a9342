// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/wait_maps.h"

#include <bpf/bpf.h>

bool wait_maps_find_read(const struct wait_maps *maps, pid_t pid, struct reader_wait *wait)
{
	__u32 key = pid;

	return !bpf_map_lookup_elem(maps->reads, &key, wait);
}

bool wait_maps_find_answer(const struct wait_maps *maps, pid_t pid, uint16_t port,
			   struct answer_wait *wait)
{
	const struct answer_key key = { .pid = pid, .port = port };

	return !bpf_map_lookup_elem(maps->answers, &key, wait);
}

bool wait_maps_find_softirq(const struct wait_maps *maps, uint32_t cpu, struct softirq_wait *wait)
{
	return !bpf_map_lookup_elem(maps->softirqs, &cpu, wait);
}

/* Programs add keys meanwhile, so there is another limit. */
static void clear(int map, void *key, int max_entries)
{
	for (int nr = 0; nr < 2 * max_entries && !bpf_map_get_next_key(map, NULL, key); nr++)
		bpf_map_delete_elem(map, key);
}

void wait_maps_clear(const struct wait_maps *maps)
{
	struct answer_key answer;
	__u32 pid, cpu;

	clear(maps->reads, &pid, NR_READER_WAITS);
	clear(maps->answers, &answer, NR_READER_WAITS);
	clear(maps->softirqs, &cpu, NR_SOFTIRQ_WAITS);
}
