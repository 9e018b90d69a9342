/* SPDX-License-Identifier: GPL-2.0 */
/* The names of stages, and of the tables that they stand in. */
#ifndef NETSTACKLAT_STAGE_NAMES_H
#define NETSTACKLAT_STAGE_NAMES_H

#include "lib/report/report.h"

/*
 * The table that a stage stands in, numbered in the order in which they are shown: by what is known
 * of its packets, at first nothing, then their IP version and protocol.
 */
size_t stage_table(const struct group *stage);
const char *stage_table_name(size_t table);

/*
 * The way that a table is of, "in", "application", "out" or "network"; all of one way follow each
 * other.
 */
const char *stage_table_way(size_t table);

/* Returns whether its time is spent here, not in the network. */
bool stage_is_of_host(const struct group *stage);

/*
 * The names of where a stage begins and ends, and what lies in between: of hooks or "stamp"; of
 * sockets, what they did before ("read"); with --wakeups, also of what a reader does
 * ("udp-socket-woken", "udp-socket-running").
 */
#define STAGE_NAME_SIZE 32
struct stage_names {
	char from[STAGE_NAME_SIZE], to[STAGE_NAME_SIZE];
	const char *before;
};
struct stage_names stage_names_of(const struct report *report, __u8 from, enum hook to);

#endif
