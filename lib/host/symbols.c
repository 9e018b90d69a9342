// SPDX-License-Identifier: GPL-2.0
#include "lib/host/symbols.h"

#include <inttypes.h>

#define NAME_SIZE 512 /* KSYM_NAME_LEN */

/* The last symbol up to an address; modules, which come behind the kernel, are in no order. */
static uint64_t find_symbol(FILE *list, uint64_t address, char found[NAME_SIZE])
{
	uint64_t start, best = 0;
	char name[NAME_SIZE];

	while (fscanf(list, "%" SCNx64 " %*c %511s%*[^\n]", &start, name) == 2)
		if (start <= address && start > best) {
			best = start;
			snprintf(found, NAME_SIZE, "%s", name);
		}
	return best;
}

char *symbol_at(FILE *list, uint64_t address)
{
	char name[NAME_SIZE], *text;
	uint64_t start;

	rewind(list);
	start = find_symbol(list, address, name);
	if (!start || asprintf(&text, "%s+0x%" PRIx64, name, address - start) < 0)
		return NULL;
	return text;
}
