/* SPDX-License-Identifier: GPL-2.0 */
/* The variants of the BPF object, as one type. Only this module knows their skeletons. */
#ifndef NETSTACKLAT_PROGRAMS_H
#define NETSTACKLAT_PROGRAMS_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "lib/kernel/maps.h"

enum variant {
#define VARIANT(name, ...) VARIANT_##name,
#include "lib/tables/variants.def"
	NR_VARIANTS
};

struct programs {
	enum variant variant;
	void *skeleton;
	struct bpf_object *object;
	/* Fill it in before loading. */
	struct config *config;
	struct slow_config *slow_config;
	/* Shared with the programs, once loaded. */
	__s64 *clock_offset_ns;
	__s64 *tai_ahead_ns;
	struct startup *startup;
	__u32 *group_epoch;
	__u64 *cgroup_verdicts; /* NR_CGROUP_VERDICTS; in variants without filters, none */
};

/* The least that can do this. */
enum variant variant_for(bool filters, bool groups, bool stages, bool slow);

/*
 * Open and load an object, and free it, opened or not. The first two return 0 or a negative errno.
 */
int programs_open(struct programs *programs, enum variant variant,
		  const struct bpf_object_open_opts *opts);
int programs_load(struct programs *programs);
void programs_free(struct programs *programs);

/* A map of the object; NULL for those that the variant does not have. */
struct bpf_map *programs_map(const struct programs *programs, enum object_map map);

/*
 * Returns the file descriptor of a map, or -1 if there is none: the variant lacks the map (NULL),
 * or it was not created (autocreate is off). Since libbpf 1.4, bpf_map__fd() alone does not tell:
 * it gives such a map a placeholder's descriptor.
 */
int programs_map_fd(const struct programs *programs, enum object_map map);

#endif
