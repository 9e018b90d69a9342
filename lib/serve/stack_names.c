// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/stack_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/host/symbols.h"

/* The first ones may be at 0 indeed: places of per-CPU variables. */
static bool shows_addresses(FILE *list)
{
	uint64_t address = 0;

	while (!address && fscanf(list, "%" SCNx64 "%*[^\n]", &address) == 1)
		;
	return address;
}

FILE *stack_names_open(const char *path)
{
	FILE *list = fopen(path, "re");

	if (!list) {
		log_failure(-errno, "cannot open %s, which names the functions of --stack", path);
		return NULL;
	}
	if (shows_addresses(list))
		return list;
	fclose(list);
	log_error(
		"%s hides where the functions of --stack are: that takes CAP_SYSLOG, and 1 or less in "
		"/proc/sys/kernel/kptr_restrict",
		path);
	errno = EPERM;
	return NULL;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct symbol *symbol = a, *other = b;

	return (symbol->address > other->address) - (symbol->address < other->address);
}

/* The symbols of all frames, to be freed, in order of their addresses; NULL without memory. */
static struct symbol *find_symbols(FILE *list, const struct stack_count *counts, size_t nr_counts,
				   size_t *nr)
{
	struct symbol *symbols = calloc(nr_counts * NR_FRAMES + 1, sizeof(*symbols));
	size_t unique = 0;

	*nr = 0;
	if (!symbols)
		return NULL;
	for (size_t i = 0; i < nr_counts; i++)
		for (int frame = 0; frame < NR_FRAMES && counts[i].stack.frames[frame]; frame++)
			symbols[(*nr)++].address = counts[i].stack.frames[frame];
	qsort(symbols, *nr, sizeof(*symbols), compare_addresses);
	for (size_t i = 0; i < *nr; i++)
		if (!i || symbols[i].address != symbols[unique - 1].address)
			symbols[unique++] = symbols[i];
	*nr = unique;
	symbols_find(list, symbols, *nr);
	return symbols;
}

/* The address itself would tell attackers where the kernel's code is. */
static const char *name_of(const struct symbol *symbols, size_t nr, uint64_t address)
{
	const struct symbol key = { .address = address }, *symbol;

	symbol = bsearch(&key, symbols, nr, sizeof(*symbols), compare_addresses);
	return symbol && symbol->start ? symbol->name : "unknown";
}

/* The innermost frames of a task's own stack are the program that took it, and the way there. */
static bool is_of_program(const char *name)
{
	return !strncmp(name, "bpf_", 4);
}

static int name_frames(struct named_stack *named, const struct stack *stack,
		       const struct symbol *symbols, size_t nr)
{
	int nr_named = 0;

	for (int frame = 0; frame < NR_FRAMES && stack->frames[frame]; frame++) {
		const char *name = name_of(symbols, nr, stack->frames[frame]);

		if (!nr_named && is_of_program(name))
			continue;
		named->frames[nr_named] = strdup(name);
		if (!named->frames[nr_named++])
			return -ENOMEM;
	}
	return 0;
}

static int add(struct named_stacks *stacks, const struct stack_count *count,
	       const struct symbol *symbols, size_t nr)
{
	struct named_stack named = { .key = count->key, .wait = count->wait };
	int err = name_frames(&named, &count->stack, symbols, nr);

	if (!err)
		return named_stacks_add(stacks, &named);
	named_stack_free_frames(&named);
	return err;
}

int stack_names_find(FILE *list, const struct stack_maps *maps, struct named_stacks *stacks)
{
	struct stack_count *counts;
	struct symbol *symbols = NULL;
	size_t nr_counts, nr = 0;
	int err = stacks_take(maps, &counts, &nr_counts);

	if (!err) {
		symbols = find_symbols(list, counts, nr_counts, &nr);
		err = symbols ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < nr_counts && !err; i++)
		err = add(stacks, &counts[i], symbols, nr);
	named_stacks_sort(stacks);
	free(symbols);
	free(counts);
	return err;
}
