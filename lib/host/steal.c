// SPDX-License-Identifier: GPL-2.0
#include "lib/host/steal.h"

#include <inttypes.h>
#include <unistd.h>

#include "lib/tables/units.h"

bool steal_parse(FILE *file, long ticks_per_s, uint64_t *ns)
{
	uint64_t ticks;

	/* proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
	if (fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
		return false;
	*ns = ticks * (NS_PER_S / ticks_per_s);
	return true;
}

bool steal_read(uint64_t *ns)
{
	FILE *file = fopen("/proc/stat", "re");
	bool found = file && steal_parse(file, sysconf(_SC_CLK_TCK), ns);

	if (file)
		fclose(file);
	return found;
}
