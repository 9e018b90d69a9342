// SPDX-License-Identifier: GPL-2.0
#include "lib/host/softnet.h"

#include <stdlib.h>
#include <string.h>

/* More than any kernel has, and few enough to have room for all that are below it. */
#define MAX_CPUS 8192

static uint32_t squeezed_on(const struct softnet *softnet, unsigned int cpu)
{
	return cpu < softnet->nr ? softnet->squeezed[cpu] : 0;
}

static void add(struct softnet *softnet, unsigned int cpu, uint32_t squeezed)
{
	uint32_t *larger = softnet->squeezed;

	if (cpu >= MAX_CPUS)
		return;
	if (cpu >= softnet->nr) {
		larger = reallocarray(softnet->squeezed, cpu + 1, sizeof(*larger));
		if (!larger)
			return;
		memset(&larger[softnet->nr], 0, (cpu + 1 - softnet->nr) * sizeof(*larger));
		softnet->squeezed = larger;
		softnet->nr = cpu + 1;
	}
	larger[cpu] = squeezed;
}

/* The third of its numbers, and the CPU's own, which is the 13th since Linux 5.7 (7d58e6555870). */
struct softnet softnet_parse(FILE *file)
{
	struct softnet softnet = { 0 };
	unsigned int squeezed, cpu;
	char line[256];

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%*x %*x %x %*x %*x %*x %*x %*x %*x %*x %*x %*x %x", &squeezed,
			   &cpu) == 2)
			add(&softnet, cpu, squeezed);
	return softnet;
}

struct softnet softnet_read(void)
{
	FILE *file = fopen("/proc/net/softnet_stat", "re");
	struct softnet softnet = { 0 };

	if (!file)
		return softnet;
	softnet = softnet_parse(file);
	fclose(file);
	return softnet;
}

void softnet_free(struct softnet *softnet)
{
	free(softnet->squeezed);
	*softnet = (struct softnet){ 0 };
}

uint32_t softnet_squeezed_since(const struct softnet *now, const struct softnet *before,
				unsigned int cpu)
{
	/* A CPU that went offline is not in there. */
	return cpu < now->nr ? squeezed_on(now, cpu) - squeezed_on(before, cpu) : 0;
}
