// SPDX-License-Identifier: GPL-2.0
#include "lib/host/cpu_counters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/file_number.h"
#include "lib/tables/units.h"

/* More CPUs than any kernel has, and few enough to have room for all numbers below it. */
#define MAX_CPUS 8192

/*
 * Returns a CPU's counts, which begin at zero; NULL without memory, or if there can be no such CPU.
 */
static struct cpu_counts *counts_of(struct cpu_counters *counters, unsigned int cpu)
{
	struct cpu_counts *larger;

	if (cpu < counters->nr)
		return &counters->cpus[cpu];
	if (cpu >= MAX_CPUS)
		return NULL;
	larger = reallocarray(counters->cpus, cpu + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	memset(&larger[counters->nr], 0, (cpu + 1 - counters->nr) * sizeof(*larger));
	counters->cpus = larger;
	counters->nr = cpu + 1;
	return &larger[cpu];
}

/* proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
#define UP_TO_STEAL " %*u %*u %*u %*u %*u %*u %*u %" SCNu64

void cpu_counters_add_stat(struct cpu_counters *counters, FILE *file, long ticks_per_s)
{
	const uint64_t tick_ns = NS_PER_S / ticks_per_s;
	struct cpu_counts *counts;
	unsigned int cpu;
	uint64_t ticks;
	char line[256];

	while (fgets(line, sizeof(line), file) && !strncmp(line, "cpu", strlen("cpu"))) {
		if (sscanf(line, "cpu " UP_TO_STEAL, &ticks) == 1 && line[strlen("cpu")] == ' ')
			counters->steal_ns = ticks * tick_ns;
		else if (sscanf(line, "cpu%u" UP_TO_STEAL, &cpu, &ticks) == 2 &&
			 (counts = counts_of(counters, cpu)))
			counts->steal_ns = ticks * tick_ns;
	}
}

/*
 * The column of squeezes, and the column of the CPU's number, which is there since Linux 5.7
 * (7d58e6555870).
 */
void cpu_counters_add_softnet(struct cpu_counters *counters, FILE *file)
{
	unsigned int squeezed, cpu;
	struct cpu_counts *counts;
	char line[256];

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%*x %*x %x %*x %*x %*x %*x %*x %*x %*x %*x %*x %x", &squeezed,
			   &cpu) == 2 &&
		    (counts = counts_of(counters, cpu)))
			counts->squeezed = squeezed;
}

struct cpu_counters cpu_counters_read(void)
{
	FILE *stat = fopen("/proc/stat", "re"), *softnet = fopen("/proc/net/softnet_stat", "re");
	struct cpu_counters counters = { 0 };

	if (stat) {
		cpu_counters_add_stat(&counters, stat, sysconf(_SC_CLK_TCK));
		fclose(stat);
	}
	if (softnet) {
		cpu_counters_add_softnet(&counters, softnet);
		fclose(softnet);
	}
	return counters;
}

void cpu_counters_free(struct cpu_counters *counters)
{
	free(counters->cpus);
	*counters = (struct cpu_counters){ 0 };
}

struct cpu_counts cpu_counters_since(const struct cpu_counters *now,
				     const struct cpu_counters *before, unsigned int cpu)
{
	struct cpu_counts counts = cpu < now->nr ? now->cpus[cpu] : (struct cpu_counts){ 0 };

	if (cpu >= now->nr || cpu >= before->nr)
		return counts;
	counts.steal_ns = number_since(before->cpus[cpu].steal_ns, counts.steal_ns);
	/* It may wrap. */
	counts.squeezed -= before->cpus[cpu].squeezed;
	return counts;
}
