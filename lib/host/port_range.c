// SPDX-License-Identifier: GPL-2.0
#include "lib/host/port_range.h"

#include <stdio.h>

void local_port_range(uint16_t *first, uint16_t *last)
{
	FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	unsigned int from, to;

	if (!file)
		return;
	if (fscanf(file, "%5u %5u", &from, &to) == 2) {
		*first = from;
		*last = to;
	}
	fclose(file);
}
