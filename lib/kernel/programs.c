// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/programs.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "netstacklat.counts.skel.h"
#include "netstacklat.filter_stages.skel.h"
#include "netstacklat.filters.skel.h"
#include "netstacklat.group_stages.skel.h"
#include "netstacklat.groups.skel.h"
#include "netstacklat.stages.skel.h"

/* Gives back the pages of an object that was read. If need be, they come again from the file. */
static void release_pages(const void *object, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE), before = -(uintptr_t)object % page;

	if (size >= before + page)
		madvise((char *)object + before, (size - before) / page * page, MADV_DONTNEED);
}

/* bpftool makes a type and functions for each variant; these macros make them alike. */
#define VARIANT(name, ...)                                                                         \
	static int open_##name(struct programs *programs, const struct bpf_object_open_opts *opts) \
	{                                                                                          \
		struct netstacklat_##name *skeleton = netstacklat_##name##__open_opts(opts);       \
                                                                                                   \
		if (!skeleton)                                                                     \
			return -errno;                                                             \
		release_pages(skeleton->skeleton->data, skeleton->skeleton->data_sz);              \
		programs->skeleton = skeleton;                                                     \
		programs->object = skeleton->obj;                                                  \
		programs->config = &skeleton->rodata->config;                                      \
		programs->slow_config = &skeleton->rodata->slow;                                   \
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	static int load_##name(struct programs *programs)                                          \
	{                                                                                          \
		struct netstacklat_##name *skeleton = programs->skeleton;                          \
		int err = netstacklat_##name##__load(skeleton);                                    \
                                                                                                   \
		programs->clock_offset_ns = &skeleton->bss->clock_offset_ns;                       \
		programs->tai_ahead_ns = &skeleton->bss->tai_ahead_ns;                             \
		programs->startup = &skeleton->bss->startup;                                       \
		programs->group_epoch = &skeleton->bss->group_epoch;                               \
		programs->cgroup_verdicts = skeleton->bss->cgroup_verdicts;                        \
		return err;                                                                        \
	}                                                                                          \
                                                                                                   \
	static void free_##name(struct programs *programs)                                         \
	{                                                                                          \
		netstacklat_##name##__destroy(programs->skeleton);                                 \
	}
#include "lib/tables/variants.def"

static const struct {
	bool filters, groups, stages, slow;
	int (*open)(struct programs *programs, const struct bpf_object_open_opts *opts);
	int (*load)(struct programs *programs);
	void (*free)(struct programs *programs);
} variants[NR_VARIANTS] = {
#define VARIANT(name, filters, groups, stages, slow) \
	[VARIANT_##name] = { filters, groups, stages, slow, open_##name, load_##name, free_##name },
#include "lib/tables/variants.def"
};

enum variant variant_for(bool filters, bool groups, bool stages, bool slow)
{
	enum variant variant = 0;

	while ((filters && !variants[variant].filters) || (groups && !variants[variant].groups) ||
	       (stages && !variants[variant].stages) || (slow && !variants[variant].slow))
		variant++;
	return variant;
}

int programs_open(struct programs *programs, enum variant variant,
		  const struct bpf_object_open_opts *opts)
{
	*programs = (struct programs){ .variant = variant };
	return variants[variant].open(programs, opts);
}

int programs_load(struct programs *programs)
{
	return variants[programs->variant].load(programs);
}

void programs_free(struct programs *programs)
{
	if (programs->skeleton)
		variants[programs->variant].free(programs);
	programs->skeleton = NULL;
}

struct bpf_map *programs_map(const struct programs *programs, enum object_map map)
{
	const char *name = map_name(map);

	return name ? bpf_object__find_map_by_name(programs->object, name) : NULL;
}

int programs_map_fd(const struct programs *programs, enum object_map map)
{
	const struct bpf_map *found = programs_map(programs, map);

	return found && bpf_map__autocreate(found) ? bpf_map__fd(found) : -1;
}
