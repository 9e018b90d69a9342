// SPDX-License-Identifier: GPL-2.0
#include "lib/host/symbols.h"

#include <inttypes.h>
#include <string.h>

#define NAME_FORMAT "%127s" /* SYMBOL_SIZE */

/* The first whose address is not below this one; they are in ascending order. */
static size_t first_from(const struct symbol *symbols, size_t nr, uint64_t address)
{
	size_t first = 0;

	while (first < nr) {
		size_t middle = first + (nr - first) / 2;

		if (symbols[middle].address < address)
			first = middle + 1;
		else
			nr = middle;
	}
	return first;
}

/* Symbols of modules, which come behind the kernel, are in no order. */
void symbols_find(FILE *list, struct symbol *symbols, size_t nr)
{
	char name[SYMBOL_SIZE];
	uint64_t start;

	rewind(list);
	for (size_t i = 0; i < nr; i++)
		symbols[i].start = 0;
	while (fscanf(list, "%" SCNx64 " %*c " NAME_FORMAT "%*[^\n]", &start, name) == 2) {
		size_t i = first_from(symbols, nr, start);

		if (i == nr || start <= symbols[i].start)
			continue;
		symbols[i].start = start;
		memcpy(symbols[i].name, name, sizeof(name));
	}
	/* A symbol below an address is below the next one, too. */
	for (size_t i = 1; i < nr; i++) {
		if (symbols[i].start >= symbols[i - 1].start)
			continue;
		symbols[i].start = symbols[i - 1].start;
		memcpy(symbols[i].name, symbols[i - 1].name, sizeof(name));
	}
}

char *symbol_at(FILE *list, uint64_t address)
{
	struct symbol symbol = { .address = address };
	char *text;

	symbols_find(list, &symbol, 1);
	if (!symbol.start ||
	    asprintf(&text, "%s+0x%" PRIx64, symbol.name, address - symbol.start) < 0)
		return NULL;
	return text;
}
