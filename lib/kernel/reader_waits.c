// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/reader_waits.h"

#include <bpf/bpf.h>

bool reader_waits_find(const struct reader_wait_maps *maps, pid_t pid, struct reader_wait *wait)
{
	__u32 key = pid;

	return !bpf_map_lookup_elem(maps->reads, &key, wait);
}

bool reader_waits_find_answer(const struct reader_wait_maps *maps, pid_t pid, uint16_t port,
			      struct answer_wait *wait)
{
	const struct answer_key key = { .pid = pid, .port = port };

	return !bpf_map_lookup_elem(maps->answers, &key, wait);
}

/* Programs add keys meanwhile, so there is another limit. */
static void clear(int map, void *key)
{
	for (int nr = 0; nr < 2 * NR_READER_WAITS && !bpf_map_get_next_key(map, NULL, key); nr++)
		bpf_map_delete_elem(map, key);
}

void reader_waits_clear(const struct reader_wait_maps *maps)
{
	struct answer_key answer;
	__u32 pid;

	clear(maps->reads, &pid);
	clear(maps->answers, &answer);
}
