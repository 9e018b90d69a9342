// SPDX-License-Identifier: GPL-2.0
#include "lib/host/file_number.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t file_number(const char *path, unsigned int words_before)
{
	FILE *file = fopen(path, "re");
	uint64_t number;

	if (!file)
		return 0;
	while (words_before--)
		(void)!fscanf(file, "%*s");
	if (fscanf(file, "%" SCNu64, &number) != 1)
		number = 0;
	fclose(file);
	return number;
}
