// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/reader_waits.h"

#include <bpf/bpf.h>

bool reader_waits_find(int map, pid_t pid, struct reader_wait *wait)
{
	__u32 key = pid;

	return !bpf_map_lookup_elem(map, &key, wait);
}

void reader_waits_clear(int map)
{
	__u32 key;

	/* Programs add keys meanwhile, so there is another limit. */
	for (int nr = 0; nr < 2 * NR_READER_WAITS && !bpf_map_get_next_key(map, NULL, &key); nr++)
		bpf_map_delete_elem(map, &key);
}
