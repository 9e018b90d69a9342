/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel counts this of each CPU, since boot. */
#ifndef NETSTACKLAT_CPU_COUNTERS_H
#define NETSTACKLAT_CPU_COUNTERS_H

#include <stdint.h>
#include <stdio.h>

struct cpu_counts {
	uint64_t steal_ns; /* for so long, a hypervisor ran something else there */
	/*
	 * It stopped so often to receive because its budget was used up (net.core.netdev_budget and
	 * netdev_budget_usecs). It may have done so at the last packet.
	 */
	uint32_t squeezed;
};

struct cpu_counters {
	uint64_t steal_ns; /* of all CPUs together */
	struct cpu_counts *cpus;
	unsigned int nr;
};

/* The reading is to be freed. What cannot be read is zero. */
struct cpu_counters cpu_counters_read(void);
void cpu_counters_free(struct cpu_counters *counters);

/*
 * Add the counts of a file like /proc/stat, which counts so many ticks a second, or like
 * /proc/net/softnet_stat.
 */
void cpu_counters_add_stat(struct cpu_counters *counters, FILE *file, long ticks_per_s);
void cpu_counters_add_softnet(struct cpu_counters *counters, FILE *file);

/* Returns what a CPU counted between two readings; zero if it is offline. */
struct cpu_counts cpu_counters_since(const struct cpu_counters *now,
				     const struct cpu_counters *before, unsigned int cpu);

#endif
