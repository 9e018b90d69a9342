/* SPDX-License-Identifier: GPL-2.0 */
/* Prints what --check found: "ok  name  text". */
#ifndef NETSTACKLAT_FINDING_H
#define NETSTACKLAT_FINDING_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/confine/privileges.h"
#include "lib/counts/snapshot.h"
#include "lib/tables/plan.h"

/* The text takes as many lines as it needs. verdict: "ok", "part", "NO", or "" for more text. */
void finding_print(FILE *out, const char *verdict, const char *name, const char *text);

/* Says which capabilities a right takes and, without them, what the run does instead. */
void finding_print_right(FILE *out, enum right right, bool has);

/* Says what CLOCK_TAI is set to, and which clock programs compare stamps with. */
void finding_print_clock(FILE *out, clockid_t clock);

/* Says whether packets had stamps before, by sending one: the kernel does not tell. */
void finding_print_stamps(FILE *out, const struct snapshot *counts);

/* Says when packets are stamped, by a file of sysctl; says nothing if that cannot be read. */
void finding_print_prequeue(FILE *out, const char *path);

/* Says where the programs of a hook are attached, and why not elsewhere. */
void finding_print_hook(FILE *out, enum hook hook, const struct left_out *left_out);

#endif
