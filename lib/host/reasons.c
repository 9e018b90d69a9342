// SPDX-License-Identifier: GPL-2.0
#include "lib/host/reasons.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/find_or_add.h"
#include "lib/base/printable.h"
#include "lib/host/symbols.h"

struct reason_names {
	bool are_locations;
	FILE *symbols;	 /* at these; NULL: there is no list of them */
	void *by_number; /* tsearch(3): of struct reason */
};

struct reason {
	uint32_t number;
	char *name; /* NULL: it has none */
};

static int compare_numbers(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void free_reason(void *reason)
{
	free(((struct reason *)reason)->name);
	free(reason);
}

struct reason_names *reason_names_new(const char *symbols)
{
	struct reason_names *names = calloc(1, sizeof(*names));

	if (names && symbols) {
		names->are_locations = true;
		names->symbols = fopen(symbols, "re");
	}
	return names;
}

bool reason_names_are_symbols(const struct reason_names *names)
{
	return names->are_locations;
}

void reason_names_free(struct reason_names *names)
{
	if (!names)
		return;
	tdestroy(names->by_number, free_reason);
	if (names->symbols)
		fclose(names->symbols);
	free(names);
}

/* Takes the name, or NULL. Returns 0 or -ENOMEM. */
static int add(struct reason_names *names, uint32_t number, char *name)
{
	const struct reason reason = { number, name };
	bool is_new;
	int err = 0;

	if (!find_or_add(&names->by_number, &reason, sizeof(reason), compare_numbers, &is_new))
		err = -ENOMEM;
	if (!is_new)
		free(name);
	return err;
}

int reason_names_add(struct reason_names *names, uint32_t number, const char *name)
{
	static const char prefix[] = "SKB_DROP_REASON_";

	name += strspn(name, "_");
	if (!strncmp(name, prefix, strlen(prefix)))
		name += strlen(prefix);
	return add(names, number, *name ? printable_dup(name) : NULL);
}

/* The upper half of all addresses of code on x86-64; others tell reasons. */
#define CODE_BASE 0xffffffff00000000ULL

const char *reason_names_find(struct reason_names *names, uint32_t number)
{
	const struct reason key = { .number = number };
	struct reason **found;

	if (!names)
		return NULL;
	found = tfind(&key, &names->by_number, compare_numbers);
	if (!found && names->symbols &&
	    !add(names, number, symbol_at(names->symbols, CODE_BASE | number)))
		found = tfind(&key, &names->by_number, compare_numbers);
	if (found && (*found)->name)
		return (*found)->name;
	/* The number of a place would tell attackers where the kernel's code is. */
	return names->are_locations ? "unknown" : NULL;
}
