// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/btf_reasons.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "lib/kernel/btf.h"

#define CORE_ENUM "skb_drop_reason"
/*
 * Subsystems have enums of their own, whose names end in the same way. Their numbers are in the
 * upper half.
 */
#define ENUM_SUFFIX "_drop_reason"
#define IS_OF_SUBSYSTEM(number) ((number) >> 16)

static bool is_reasons(const struct btf *btf, const struct btf_type *type)
{
	const char *name = kernel_btf_name(btf, type->name_off);
	size_t length = strlen(name), suffix = strlen(ENUM_SUFFIX);

	return btf_is_enum(type) && length >= suffix &&
	       !strcmp(name + length - suffix, ENUM_SUFFIX);
}

/* Other enums also have results there that are no drops, and are the same in each. */
static int add_enum(struct reason_names *names, const struct btf *btf, const struct btf_type *type)
{
	bool is_core = !strcmp(kernel_btf_name(btf, type->name_off), CORE_ENUM);
	int err = 0;

	for (int i = 0; i < btf_vlen(type) && !err; i++) {
		const struct btf_enum *value = &btf_enum(type)[i];

		if (is_core || IS_OF_SUBSYSTEM((uint32_t)value->val))
			err = reason_names_add(names, value->val,
					       kernel_btf_name(btf, value->name_off));
	}
	return err;
}

int kernel_add_reasons(struct reason_names *names, const struct btf *btf, unsigned int first)
{
	int err = 0;

	for (unsigned int id = first; id < btf__type_cnt(btf) && !err; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (is_reasons(btf, type))
			err = add_enum(names, btf, type);
	}
	return err;
}

#define MODULES "/sys/kernel/btf"

static int add_module(struct reason_names *names, struct btf *kernel, const char *module)
{
	char path[sizeof(MODULES) + NAME_MAX + 1];
	struct btf *btf;
	int err;

	snprintf(path, sizeof(path), MODULES "/%s", module);
	btf = btf__parse_split(path, kernel);
	/* It may have been unloaded just now. */
	err = btf ? kernel_add_reasons(names, btf, btf__type_cnt(kernel)) : 0;
	btf__free(btf);
	return err;
}

static int add_modules(struct reason_names *names, struct btf *kernel)
{
	DIR *modules = opendir(MODULES);
	struct dirent *module;
	int err = 0;

	while (modules && !err && (module = readdir(modules)))
		if (*module->d_name != '.' && strcmp(module->d_name, "vmlinux"))
			err = add_module(names, kernel, module->d_name);
	if (modules)
		closedir(modules);
	return err;
}

struct reason_names *kernel_reason_names(const char *btf_path)
{
	struct btf *btf = kernel_btf(btf_path);
	struct reason_names *names;
	bool tells_why;
	int err;

	if (!btf)
		return NULL;
	tells_why = btf__find_by_name_kind(btf, CORE_ENUM, BTF_KIND_ENUM) > 0;
	names = reason_names_new(tells_why ? NULL : "/proc/kallsyms");
	err = names ? kernel_add_reasons(names, btf, 1) : -errno;
	if (!err)
		err = add_modules(names, btf);
	btf__free(btf);
	malloc_trim(0);
	if (!err)
		return names;
	reason_names_free(names);
	errno = -err;
	return NULL;
}
