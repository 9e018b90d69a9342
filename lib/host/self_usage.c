// SPDX-License-Identifier: GPL-2.0
#include "lib/host/self_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/tables/units.h"

/* All pages, and then those that are resident (proc_pid_statm(5)). */
static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages;

	if (!file || fscanf(file, "%*u %" SCNu64, &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

struct self_usage self_usage_now(void)
{
	struct timespec cpu = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct self_usage){
		.cpu_ns = cpu.tv_sec * NS_PER_S + cpu.tv_nsec,
		.resident_bytes = resident_bytes(),
	};
}
