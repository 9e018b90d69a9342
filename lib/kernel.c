// SPDX-License-Identifier: GPL-2.0
#include "kernel.h"

#include <bpf/btf.h>
#include <string.h>

struct btf *kernel_btf(const char *path)
{
	return path ? btf__parse(path, NULL) : btf__load_vmlinux_btf();
}

bool kernel_has_function(const struct btf *btf, const char *function)
{
	return btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) > 0;
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
