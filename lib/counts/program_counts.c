// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/program_counts.h"

#include "lib/tables/units.h"

void program_counts_add(struct program_counts *into, const struct program_counts *other)
{
	into->runs += other->runs;
	into->run_ns += other->run_ns;
}

void program_counts_subtract(struct program_counts *into, const struct program_counts *earlier)
{
	into->runs -= earlier->runs;
	into->run_ns -= earlier->run_ns;
}

double program_ns_per_run(const struct program_counts *counts)
{
	return counts->runs ? (double)counts->run_ns / counts->runs : 0;
}

double program_runs_per_s(const struct program_counts *counts, uint64_t duration_ns)
{
	return (double)counts->runs * NS_PER_S / duration_ns;
}

double program_cpu_share(const struct program_counts *counts, uint64_t duration_ns)
{
	return (double)counts->run_ns / duration_ns;
}
