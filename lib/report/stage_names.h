/* SPDX-License-Identifier: GPL-2.0 */
/* The names of stages, and of the tables that they stand in. */
#ifndef NETSTACKLAT_STAGE_NAMES_H
#define NETSTACKLAT_STAGE_NAMES_H

#include "lib/report/report.h"

/*
 * Tables of stages are in an array, in the order in which they are shown: by what is known of their
 * packets, first nothing, then IP version and protocol. Tables of one way follow each other.
 */
struct stage_table {
	const char *name;
	const char *way; /* "in", "application", "out" or "network", the same pointer for each */
	unsigned int ip_version; /* 0: of any, or of sockets */
	unsigned int paths;	 /* PATH_*, a bit each */
	unsigned int of_sockets; /* ways of sockets, a bit each; 0: it is of packets */
};
extern const struct stage_table stage_tables[];

/* The one that a stage stands in. */
const struct stage_table *stage_table(const struct group *stage);

/* Returns whether its time is spent here, not in the network. */
bool stage_is_of_host(const struct group *stage);

/*
 * The names of a stage's begin and end, and what lies in between: of hooks, or "stamp"; of sockets,
 * what they did before ("read"); with --wakeups, also what a reader does ("udp-socket-woken",
 * "udp-socket-running").
 */
#define STAGE_NAME_SIZE 32
struct stage_names {
	char from[STAGE_NAME_SIZE], to[STAGE_NAME_SIZE];
	const char *before;
};
struct stage_names stage_names_of(const struct report *report, __u8 from, enum hook to);

#endif
