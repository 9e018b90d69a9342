/* SPDX-License-Identifier: GPL-2.0 */
/* The cost of a BPF program, as the kernel counts it: pure functions. */
#ifndef NETSTACKLAT_PROGRAM_COUNTS_H
#define NETSTACKLAT_PROGRAM_COUNTS_H

#include <stdint.h>

struct program_counts {
	uint64_t runs;
	uint64_t run_ns; /* of all runs together */
};

/* into += other, and into -= earlier */
void program_counts_add(struct program_counts *into, const struct program_counts *other);
void program_counts_subtract(struct program_counts *into, const struct program_counts *earlier);

/* The mean; 0 without runs. */
double program_ns_per_run(const struct program_counts *counts);

/* Rate and share of what was counted in duration_ns, which is not 0; 1 is all of one CPU. */
double program_runs_per_s(const struct program_counts *counts, uint64_t duration_ns);
double program_cpu_share(const struct program_counts *counts, uint64_t duration_ns);

#endif
