// SPDX-License-Identifier: GPL-2.0
#include "lib/host/conntrack.h"

#include <stdlib.h>

#include "lib/host/file_number.h"

bool conntrack_parse_dropped(FILE *file, uint64_t *dropped)
{
	char *line = NULL;
	size_t size = 0;
	int column = getline(&line, &size, file) > 0 ? file_column(line, "drop") : -1;

	*dropped = 0;
	/* Its numbers are hexadecimal. */
	while (column >= 0 && getline(&line, &size, file) > 0)
		*dropped += file_column_number(line, column, 16);
	free(line);
	return column >= 0;
}

bool conntrack_count_dropped(uint64_t *dropped)
{
	FILE *file = fopen("/proc/thread-self/net/stat/nf_conntrack", "re");
	bool found = file && conntrack_parse_dropped(file, dropped);

	if (file)
		fclose(file);
	return found;
}

uint32_t conntrack_max(void)
{
	return file_number("/proc/sys/net/netfilter/nf_conntrack_max", 0);
}
