/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan of a measurement: the command line makes it, the loader carries it out, and reports say
 * what it asks for.
 */
#ifndef NETSTACKLAT_PLAN_H
#define NETSTACKLAT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/tables/bucket.h"
#include "lib/tables/config.h"
#include "lib/tables/hooks.h"

/* The values that pass a filter: keys of its map (lib/tables/config.h). */
struct filter_keys {
	void *keys;
	size_t nr;
};

struct filters {
	/* A bit each. Interfaces imply their netns, without that bit. */
	unsigned int active;
	struct filter_keys keys[NR_FILTERS];
	uint32_t min_queue_length;
	uint8_t ip_version; /* 4 or 6 */
};

struct plan {
	bool hooks[NR_HOOKS];	 /* those to count at */
	bool stages;		 /* also from hook to hook ... */
	bool followed[NR_HOOKS]; /* ... of these, with those that do not count */
	bool wakeups;		 /* with stages, count the parts of what waits for readers ... */
	uint64_t least_parts_ns; /* ... of those that wait for as long as this; and ... */
	bool reader_waits;	 /* ... keep of each process why it read late ... */
	bool stacks;		 /* ... and in what code of the kernel */
	bool drops;		 /* with stages, count what is dropped on its way ... */
	bool all_drops;		 /* ... and, by groups, what carries no receive stamp, too */
	bool include_hol_delay;	 /* count TCP data that waited behind a lost segment, too */
	uint64_t timely_ns;	 /* with stages and groups, of many packets that take less, count
				    samples; 0: count all */
	unsigned int resolution; /* of the histograms, see bucket.h */
	const char *btf_path;	 /* of a file with the kernel's BTF; NULL: the kernel has it */
	struct filters filters;	 /* zero for none */
	unsigned int group_by;	 /* keys, a bit each; 0 for no groups */
	unsigned int max_groups; /* rows for them, see group_row.h */
	bool slow;		 /* report slow packets one by one: */
	bool trace;		 /* each at each place, also on the way out; or ... */
	uint64_t slow_ns;	 /* ... those that are as slow as this, ... */
	uint32_t slow_limit;	 /* ... up to so many a second */
	bool overhead;		 /* time the programs */

	/* Keys, a bit each, and times that some hooks go without, if there are groups. */
	unsigned int keys_left_out[NR_HOOKS];
	bool since_left_out[NR_HOOKS][NR_SINCE];
	/* Clients' ports are 0 from this one on in groups by port; 0: they are not. */
	uint16_t first_folded_port;
};

#endif
