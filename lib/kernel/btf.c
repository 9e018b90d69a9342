// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/btf.h"

#include <bpf/btf.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/attach.h"

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

const char *kernel_btf_name(const struct btf *btf, __u32 offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "";
}

struct target {
	const char *name;
	const struct attach_kind *kind;
};

static bool is_target(const struct target *target, int btf_kind, const char *name)
{
	size_t prefix = strlen(target->kind->btf_prefix);

	return target->kind->btf_kind == btf_kind &&
	       !strncmp(name, target->kind->btf_prefix, prefix) &&
	       !strcmp(name + prefix, target->name);
}

void kernel_find_targets(const struct btf *btf, int ids[NR_PROBES])
{
	struct target targets[NR_PROBES];

	for (enum probe probe = 0; probe < NR_PROBES; probe++)
		targets[probe] = (struct target){ probe_target(probe),
						  attach_kind_of(probes[probe].section) };
	memset(ids, 0, NR_PROBES * sizeof(*ids));
	for (int id = btf__type_cnt(btf) - 1; id > 0; id--) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = kernel_btf_name(btf, type->name_off);

		for (enum probe probe = 0; probe < NR_PROBES; probe++)
			if (is_target(&targets[probe], btf_kind(type), name))
				ids[probe] = id;
	}
}

bool kernel_has_tracing_sk_storage(const struct btf *btf)
{
	/* This function came in the same commit. */
	return btf__find_by_name_kind(btf, "bpf_sk_storage_tracing_allowed", BTF_KIND_FUNC) > 0;
}

bool kernel_look_for_targets(const char *path, int ids[NR_PROBES])
{
	struct btf *btf = kernel_btf(path);

	if (btf)
		kernel_find_targets(btf, ids);
	btf__free(btf);
	return btf;
}

bool kernel_has_tai_helper(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *helpers = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; helpers && i < btf_vlen(helpers); i++)
		if (!strcmp(kernel_btf_name(btf, btf_enum(helpers)[i].name_off),
			    "BPF_FUNC_ktime_get_tai_ns"))
			return true;
	return false;
}
