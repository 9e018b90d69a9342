/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files for ebpf_exporter (https://github.com/cloudflare/ebpf_exporter), see
 * doc/ebpf_exporter.md: its configuration, and what is in the BPF object for it, which it loads and
 * attaches as a whole.
 */
#ifndef NETSTACKLAT_EBPF_EXPORTER_H
#define NETSTACKLAT_EBPF_EXPORTER_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/tables/config.h"

/*
 * Chooses hooks, as a list of names and patterns does, or those that are on by default for an empty
 * list; but for a list of hooks and of single kernel functions to do without. Sets what the
 * programs are to do (TASK_*); 0 for those that are not to be in the object. What cannot be is
 * explained on stderr, and returns false.
 */
bool exporter_choose(const char *hooks, const char *without, __u32 tasks[NR_PROBES]);

/* The configuration, in YAML. */
void exporter_print_config(FILE *out, const __u32 tasks[NR_PROBES]);

/* The same for the compiler, to be included before netstacklat.bpf.c. */
void exporter_print_programs(FILE *out, const __u32 tasks[NR_PROBES]);

#endif
