/* SPDX-License-Identifier: GPL-2.0 */
/* The features of this object, and the tasks of its programs, for BPF programs. */
#ifndef NETSTACKLAT_FEATURES_BPF_H
#define NETSTACKLAT_FEATURES_BPF_H

#include "lib/tables/config.h"

/*
 * The variant that this object is (lib/tables/variants.def): 0 or 1 each, for plain ifs. The less a
 * variant can do, the fewer registers its programs have to save.
 */
#ifndef WITH_FILTERS
#error "compile with -DWITH_FILTERS=, -DWITH_GROUPS=, -DWITH_STAGES= and -DWITH_SLOW=0 or 1"
#endif

/* The object for ebpf_exporter has maps of its own, and is configured by the build alone. */
#ifndef FOR_EBPF_EXPORTER
#define FOR_EBPF_EXPORTER 0
#define FOR_NETSTACKLAT 1
#define EXPORTER_BRANCHES \
	{                 \
	}
#else
/*
 * ebpf_exporter attaches all programs of an object. Without "used", the build leaves static ones
 * out.
 */
#undef SEC
#define SEC(name) __attribute__((section(name)))
#endif

/*
 * A map that only objects with a feature have: MAP(WITH_STAGES, name, __uint(...); ...). Elsewhere
 * it is declared, for code that the compiler drops.
 */
#define MAP_IF_0(name, ...) \
	extern struct {     \
		__VA_ARGS__ \
	} name
#define MAP_IF_1(name, ...) \
	struct {            \
		__VA_ARGS__ \
	} name SEC(".maps")
#define MAP_IF(feature, name, ...) MAP_IF_##feature(name, __VA_ARGS__)
#define MAP(feature, name, ...) MAP_IF(feature, name, __VA_ARGS__)

/*
 * A function that the verifier looks at once, not at each place where it is called, in objects with
 * a feature; elsewhere, the compiler drops it. Before Linux 5.12 (e5069b9c23b3), its arguments are
 * numbers.
 */
#define GLOBAL_IF_0 static
#define GLOBAL_IF_1
#define GLOBAL_IF(feature) GLOBAL_IF_##feature
#define GLOBAL(feature) GLOBAL_IF(feature) __noinline

/*
 * Each use of a volatile constant is a load. The verifier knows its value, and drops the branches
 * that it rules out.
 */
const volatile struct config config;

/* The builds with the fewest instructions have the default resolution alone. */
#define HAS_DEFAULT_RESOLUTION (!WITH_FILTERS && !WITH_GROUPS)

static __always_inline __u32 resolution(void)
{
	return HAS_DEFAULT_RESOLUTION ? DEFAULT_RESOLUTION : config.resolution;
}

/*
 * See enum branch. The loader knows the branch by the number that it is compared with. Each answer
 * has a jump of its own, so that no other code leads to the dead one: the loader removes the
 * compare, the dead jump and, where its code follows, the other jump.
 */
static __always_inline bool static_branch(__u32 branch)
{
	static const bool exporter_branches[NR_BRANCHES] = EXPORTER_BRANCHES;

	if (FOR_EBPF_EXPORTER)
		return exporter_branches[branch];
	asm goto("if %[zero] != %[number] goto +1; goto +1; goto %l[no]" ::[zero] "r"(0ULL),
		 [number] "i"(STATIC_BRANCH_MAGIC + branch)::no);
	return true;
no:
	return false;
}

/* Returns whether it is kept what tasks do while others wait for them, for a verdict. */
static __always_inline bool with_reader_waits(void)
{
	return WITH_STAGES && static_branch(BRANCH_READER_WAITS);
}

/*
 * Returns whether programs may read the current task's members directly, and not by a helper: Linux
 * 5.11 and later (3ca1032ab7ab).
 */
static __always_inline bool current_task_is_typed(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf);
}

#endif
