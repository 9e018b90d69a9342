/* SPDX-License-Identifier: GPL-2.0 */
/* The names of groups: numbers where there are none. */
#ifndef NETSTACKLAT_LABELS_H
#define NETSTACKLAT_LABELS_H

#include <linux/limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/base/printable.h"
#include "lib/counts/groups.h"
#include "lib/host/reasons.h"

struct label {
	const char *name;
	const char *value;
	bool is_number;
};

/* There is at most one for each key, and four more that follow from others. */
#define MAX_LABELS (NR_KEYS + 6)
/* Two IPv6 addresses with ports are the longest. The name of a thread or an interface, each byte of
 * which may be escaped, is shorter. */
#define LABEL_TEXT_SIZE (2 * (INET6_ADDRSTRLEN + sizeof("[]:65535")))
_Static_assert(PRINTABLE_SIZE(COMM_SIZE - 1) <= LABEL_TEXT_SIZE, "so is the name of a thread");

/*
 * The values are in texts, or on loan until the labels of another group are asked for. They are
 * printable, and no name can be spelled like a number that stands for another one.
 */
struct labels {
	unsigned int nr;
	struct label labels[MAX_LABELS];
	char texts[MAX_LABELS][LABEL_TEXT_SIZE];
};

/* Remembers names, as looking them up takes system calls. NULL with errno set. */
struct label_names;
struct label_names *label_names_new(void);
void label_names_free(struct label_names *names);

/*
 * Takes the names of reasons, which must live as long. Without them, reasons are called by numbers.
 */
void label_names_set_reasons(struct label_names *names, struct reason_names *reasons);

/*
 * Sets whether cgroups and namespaces are called by their numbers, as their names may be long. The
 * default is by name.
 */
void label_names_use_numbers(struct label_names *names, bool numbers);

/*
 * Call this before each report: interfaces and namespaces may have been renamed, or be gone. Those
 * that are gone are called by their numbers. But a cgroup keeps its path until another one has it.
 */
void label_names_refresh(struct label_names *names);

/*
 * Call this for each group before the labels of any are asked for, and then once for all: a cgroup
 * that is new may have the path of one that is gone, which then must not be called by it any more.
 * Looks up each cgroup once, for they are never renamed. Those that are new while too much time
 * goes into that are called by their numbers until a later report.
 */
void label_names_add(struct label_names *names, const struct group *group);
void label_names_look_up(struct label_names *names);

/*
 * Call this after each report: it closes the sockets by which names were looked up, which would
 * keep network namespaces alive.
 */
void label_names_release(struct label_names *names);

/*
 * The labels of a group that is made by keys (a bit each), without keys that are unknown at its
 * hook.
 */
void labels_of(struct label_names *names, const struct group *group, unsigned int by,
	       struct labels *labels);

/* Returns whether a group has no labels: its hook knows none of the keys that are grouped by. */
bool group_is_nameless(const struct group *group, unsigned int by);

/* A value as it stands between the quotation marks of labels_text(). */
void label_value_print(FILE *out, const char *value);

/*
 * Labels as Prometheus writes them: 'interface="eth0",port="80"', to be freed by the caller. NULL
 * without memory.
 */
char *labels_text(const struct labels *labels);

#endif
