// SPDX-License-Identifier: GPL-2.0
#include "kernel.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <unistd.h>

int kernel_map_fd(const struct bpf_map *map)
{
	return bpf_map__autocreate(map) ? bpf_map__fd(map) : -1;
}

struct btf *kernel_btf(const char *path)
{
	return path ? btf__parse(path, NULL) : btf__load_vmlinux_btf();
}

bool kernel_has_btf(void)
{
	struct btf *btf;

	if (!access("/sys/kernel/btf/vmlinux", R_OK))
		return true;
	btf = kernel_btf(NULL);
	btf__free(btf);
	return btf;
}

static void note_function(const char *name, int id, int ids[NR_PROBES])
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		const char *function = probes[probe].function;

		/* Most differ at once, and there are 60000 names to compare. */
		if (*function == *name && !strcmp(function, name))
			ids[probe] = id;
	}
}

void kernel_find_functions(const struct btf *btf, int ids[NR_PROBES])
{
	memset(ids, 0, NR_PROBES * sizeof(*ids));
	for (int id = btf__type_cnt(btf) - 1; id > 0; id--) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_func(type))
			note_function(btf__name_by_offset(btf, type->name_off), id, ids);
	}
}

bool kernel_has_tai_helper(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *helpers = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; helpers && i < btf_vlen(helpers); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(helpers)[i].name_off),
			    "BPF_FUNC_ktime_get_tai_ns"))
			return true;
	return false;
}
