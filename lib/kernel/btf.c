// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/btf.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The name of a probe's target among the kernel's types. */
struct target {
	char name[64];
	int btf_kind;
	enum probe probe;
};

static int compare_targets(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_name(const void *name, const void *target)
{
	return strcmp(name, ((const struct target *)target)->name);
}

/* Compares by their names. */
static void list_targets(struct target targets[NR_PROBES])
{
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		const struct attach_kind *kind = attach_kind_of(probes[probe].section);

		targets[probe].probe = probe;
		targets[probe].btf_kind = kind->btf_kind;
		snprintf(targets[probe].name, sizeof(targets[probe].name), "%s%s", kind->btf_prefix,
			 probe_target(probe));
	}
	qsort(targets, NR_PROBES, sizeof(*targets), compare_targets);
}

/* Returns the first probe of a name, as several may be at one function. NULL if there is none. */
static const struct target *find_target(const struct target targets[NR_PROBES], const char *name)
{
	const struct target *found =
		bsearch(name, targets, NR_PROBES, sizeof(*targets), compare_name);

	while (found && found > targets && !strcmp(found[-1].name, name))
		found--;
	return found;
}

void kernel_find_targets(const struct btf *btf, int ids[NR_PROBES])
{
	struct target targets[NR_PROBES];

	list_targets(targets);
	memset(ids, 0, NR_PROBES * sizeof(*ids));
	for (int id = btf__type_cnt(btf) - 1; id > 0; id--) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = kernel_btf_name(btf, type->name_off);
		const struct target *target = NULL;

		if (btf_is_func(type) || btf_is_typedef(type))
			target = find_target(targets, name);
		for (; target && target < targets + NR_PROBES && !strcmp(target->name, name);
		     target++)
			if (target->btf_kind == btf_kind(type))
				ids[target->probe] = id;
	}
}

void kernel_find_variables(const struct btf *btf, __s32 ids[NR_VARIABLES], bool on[NR_BRANCHES])
{
	static const struct {
		enum kernel_variable variable;
		const char *name;
		enum branch branch;
	} known[] = {
		{ VARIABLE_PREEMPT_COUNT, "__preempt_count", BRANCH_PREEMPT_COUNT },
		{ VARIABLE_PREEMPT_COUNT, "pcpu_hot", BRANCH_PCPU_HOT },
		{ VARIABLE_CPUSTAT, "kernel_cpustat", BRANCH_CPUSTAT },
	};

	memset(ids, 0, NR_VARIABLES * sizeof(*ids));
	/* Since Linux 5.10 (63d9b80dcf2c). */
	if (!kernel_has_helper(btf, "BPF_FUNC_this_cpu_ptr"))
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		__s32 id;

		if (ids[known[i].variable])
			continue;
		id = btf__find_by_name_kind(btf, known[i].name, BTF_KIND_VAR);
		if (id < 0)
			continue;
		ids[known[i].variable] = id;
		on[known[i].branch] = true;
	}
}

unsigned int kernel_nr_arguments(const struct btf *btf, int function)
{
	const struct btf_type *type = btf__type_by_id(btf, function);

	if (type && btf_is_func(type))
		type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) ? btf_vlen(type) : 0;
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

bool kernel_has_helper(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *helpers = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (int i = 0; helpers && i < btf_vlen(helpers); i++)
		if (!strcmp(kernel_btf_name(btf, btf_enum(helpers)[i].name_off), name))
			return true;
	return false;
}
