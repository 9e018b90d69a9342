/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs are asked to do, for BPF programs. */
#ifndef NETSTACKLAT_FEATURES_BPF_H
#define NETSTACKLAT_FEATURES_BPF_H

/*
 * The variant that this object is (lib/tables/variants.def): 0 or 1 each. The less a variant can
 * do, the fewer registers its programs have to save.
 */
#if !defined(WITH_FILTERS) || !defined(WITH_GROUPS) || !defined(WITH_STAGES) || !defined(WITH_SLOW)
#error "compile with -DWITH_FILTERS=, -DWITH_GROUPS=, -DWITH_STAGES= and -DWITH_SLOW=0 or 1"
#endif

/*
 * Each mention of a volatile constant is a load. The verifier knows its value, and drops the
 * branches that it rules out. ebpf_exporter configures nothing: for it, the build does.
 */
#ifdef FOR_EBPF_EXPORTER
const volatile struct config config = { .tasks = EXPORTER_TASKS };
#else
#define FOR_EBPF_EXPORTER 0
const volatile struct config config;
#endif

static __always_inline __u32 features_asked_for(void)
{
	return WITH_FILTERS || WITH_GROUPS ? config.features : 0;
}

/* No verifier accepts a program that comes here. */
static __always_inline void refuse_to_load(void)
{
	asm volatile("r0 = *(u64 *)(r10 + 0)" ::: "r0");
}

/*
 * Whether a feature is among those left; if so, takes it off. Features must be asked for from the
 * highest bit down, or else the program does not load. This allows for a compare, which leaves no
 * instruction behind where the verifier knows how it ends; testing a bit would leave two.
 */
static __always_inline bool feature_is_on(__u32 *left, __u32 feature)
{
	if (*left >= 2 * feature)
		refuse_to_load();
	if (*left < feature)
		return false;
	*left -= feature;
	return true;
}

#endif
