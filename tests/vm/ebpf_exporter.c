// SPDX-License-Identifier: GPL-2.0
/*
 * Does with a BPF object what ebpf_exporter does: loads all of it with plain libbpf, attaches all
 * of its programs, and reads maps with values of 8 bytes.
 *
 * usage: ebpf_exporter OBJECT MAP...
 *
 * Says "attached", waits for the end of its input, and prints a line for each entry: the map, the
 * key in hex, and the value of each CPU.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_KEY_SIZE 8

static void attach_all(struct bpf_object *object)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			err(1, "cannot attach %s", bpf_program__name(program));
}

static void print_entry(const struct bpf_map *map, const unsigned char *key, const __u64 *values)
{
	printf("%s ", bpf_map__name(map));
	for (__u32 i = 0; i < bpf_map__key_size(map); i++)
		printf("%02x", key[i]);
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		printf(" %" PRIu64, (uint64_t)values[cpu]);
	putchar('\n');
}

static void print_map(const struct bpf_map *map)
{
	__u64 *values = calloc(libbpf_num_possible_cpus(), sizeof(*values));
	unsigned char key[MAX_KEY_SIZE];
	void *before = NULL;

	if (bpf_map__type(map) != BPF_MAP_TYPE_PERCPU_HASH || bpf_map__value_size(map) != 8 ||
	    bpf_map__key_size(map) > MAX_KEY_SIZE)
		errx(1, "%s is of a kind that this cannot read", bpf_map__name(map));
	while (!bpf_map_get_next_key(bpf_map__fd(map), before, key)) {
		if (bpf_map_lookup_elem(bpf_map__fd(map), key, values))
			err(1, "cannot read %s", bpf_map__name(map));
		print_entry(map, key, values);
		before = key;
	}
	free(values);
}

static void print_maps(const struct bpf_object *object, char *const *names)
{
	for (; *names; names++) {
		const struct bpf_map *map = bpf_object__find_map_by_name(object, *names);

		if (!map)
			errx(1, "there is no map %s", *names);
		print_map(map);
	}
	puts("end");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct bpf_object *object = bpf_object__open(argc > 1 ? argv[1] : "");

	if (!object || bpf_object__load(object))
		err(1, "cannot load the object");
	attach_all(object);
	puts("attached");
	fflush(stdout);
	while (getchar() != EOF)
		print_maps(object, argv + 2);
	bpf_object__close(object);
	return 0;
}
