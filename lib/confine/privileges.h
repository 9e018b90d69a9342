/* SPDX-License-Identifier: GPL-2.0 */
/* The rights that this process keeps, once it has done what takes most. */
#ifndef NETSTACKLAT_PRIVILEGES_H
#define NETSTACKLAT_PRIVILEGES_H

#include <stdbool.h>
#include <stdint.h>

/* Root becomes this user and group, which are nobody's on all distributions, and in the kernel. */
#define NOBODY 65534

/* The work that takes capabilities. */
enum right {
	RIGHT_TO_COUNT,
	RIGHT_TO_READ_MAPS, /* that are open, where users may make no bpf() calls */
	RIGHT_TO_FILTER_NETNS,
	RIGHT_TO_FIND_NAMES,
	RIGHT_TO_FIND_FACTS,
	RIGHT_TO_FIND_SYMBOLS,
	RIGHT_TO_NAME_STACKS,
	RIGHT_TO_TIME_PROGRAMS,
	RIGHT_TO_WRITE_FILE,
	RIGHT_TO_REMOVE_SOCKET,
	NR_RIGHTS,
};

struct right_needs {
	uint64_t capabilities; /* a bit each */
	const char *name;      /* of what asks for it */
	const char *otherwise; /* what a run does without them; NULL: it fails */
};
extern const struct right_needs rights[NR_RIGHTS];

/* Returns whether all of these are in effect. */
bool privileges_have(uint64_t capabilities);

/*
 * Both give up what they do for good: nothing that is executed gets more. Both return 0 or, after
 * saying what failed, a negative errno.
 */

/*
 * Gives up all rights except to read and change open BPF maps: root, with its groups, and all
 * capabilities but CAP_BPF. In a container that may not change users, root stays root, without
 * capabilities.
 */
int privileges_drop(void);

/* Gives up all capabilities but some, a bit each, and stays who it is. */
int privileges_keep(uint64_t capabilities);

#endif
