// SPDX-License-Identifier: GPL-2.0
#include "lib/host/conntrack.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"

#define SEPARATORS " \t\n"

/* Which word of a line that is, from 0 on, or -1. */
static int find_column(char *line, const char *name)
{
	int column = 0;
	char *rest;

	for (char *word = strtok_r(line, SEPARATORS, &rest); word;
	     word = strtok_r(NULL, SEPARATORS, &rest), column++)
		if (!strcmp(word, name))
			return column;
	return -1;
}

/* The number there, which is hexadecimal, or 0. */
static uint64_t number_in(char *line, int column)
{
	char *rest, *word = strtok_r(line, SEPARATORS, &rest);

	while (word && column--)
		word = strtok_r(NULL, SEPARATORS, &rest);
	return word ? strtoull(word, NULL, 16) : 0;
}

bool conntrack_parse_dropped(FILE *file, uint64_t *dropped)
{
	char *line = NULL;
	size_t size = 0;
	int column = getline(&line, &size, file) > 0 ? find_column(line, "drop") : -1;

	*dropped = 0;
	while (column >= 0 && getline(&line, &size, file) > 0)
		*dropped += number_in(line, column);
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
