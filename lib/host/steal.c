// SPDX-License-Identifier: GPL-2.0
#include "lib/host/steal.h"

#include <inttypes.h>
#include <unistd.h>

#include "lib/tables/units.h"

uint64_t steal_parse(FILE *file, long ticks_per_s)
{
	uint64_t ticks;

	/* proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
	if (fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
		return 0;
	return ticks * (NS_PER_S / ticks_per_s);
}

uint64_t steal_ns(void)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t ns = file ? steal_parse(file, sysconf(_SC_CLK_TCK)) : 0;

	if (file)
		fclose(file);
	return ns;
}
