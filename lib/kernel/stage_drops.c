// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/stage_drops.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stage_drops {
	int map;
	int nr_cpus; /* possible ones: each key has a value for each */
	size_t nr;   /* of keys that were read */
	struct stage_drop keys[NR_STAGE_DROPS];
	__u64 values[]; /* of one key */
};

struct stage_drops *stage_drops_new(int map)
{
	int nr_cpus = libbpf_num_possible_cpus();
	struct stage_drops *drops;

	if (nr_cpus < 0) {
		errno = -nr_cpus;
		return NULL;
	}
	drops = calloc(1, sizeof(*drops) + nr_cpus * sizeof(*drops->values));
	if (drops) {
		drops->map = map;
		drops->nr_cpus = nr_cpus;
	}
	return drops;
}

void stage_drops_free(struct stage_drops *drops)
{
	free(drops);
}

int stage_drops_prepare(int map)
{
	static const struct stage_drop no_room;
	struct stage_drops *drops = stage_drops_new(map);
	int err = drops ? bpf_map_update_elem(map, &no_room, drops->values, BPF_ANY) : -errno;

	stage_drops_free(drops);
	return err;
}

/* The map never has more keys than there is room for here, as no key is ever deleted. */
static size_t place_of(struct stage_drops *drops, const struct stage_drop *key)
{
	size_t place = 0;

	while (place < drops->nr && memcmp(&drops->keys[place], key, sizeof(*key)))
		place++;
	if (place == drops->nr)
		drops->keys[drops->nr++] = *key;
	return place;
}

int stage_drops_read(struct stage_drops *drops, uint64_t counts[NR_STAGE_DROPS])
{
	struct stage_drop key;
	const struct stage_drop *before = NULL;
	int err;

	memset(counts, 0, NR_STAGE_DROPS * sizeof(*counts));
	for (; !(err = bpf_map_get_next_key(drops->map, before, &key)); before = &key) {
		uint64_t *count = &counts[place_of(drops, &key)];

		err = bpf_map_lookup_elem(drops->map, &key, drops->values);
		if (err)
			return err;
		for (int cpu = 0; cpu < drops->nr_cpus; cpu++)
			*count += drops->values[cpu];
	}
	return err == -ENOENT ? 0 : err;
}

const struct stage_drop *stage_drops_keys(const struct stage_drops *drops)
{
	return drops->keys;
}
