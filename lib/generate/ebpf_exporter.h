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
 * Chooses hooks by a list of names and patterns; an empty list means those that are on by default.
 * Leaves out another list's hooks and kernel functions. Sets what the programs are to do (TASK_*),
 * with 0 for programs that are not in the object. Says on stderr what cannot be done, and returns
 * false.
 */
bool exporter_choose(const char *hooks, const char *without, __u32 tasks[NR_PROBES]);

/* The configuration, in YAML. */
void exporter_print_config(FILE *out, const __u32 tasks[NR_PROBES]);

/* The same for the compiler, to be included before netstacklat.bpf.c. */
void exporter_print_programs(FILE *out, const __u32 tasks[NR_PROBES]);

#endif
