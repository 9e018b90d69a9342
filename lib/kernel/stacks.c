// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <bpf/bpf.h>

/* Finds the next stack. Returns false behind the last. A program may replace a stack meanwhile. */
static bool take_next(const struct stack_maps *maps, struct stack_count *count)
{
	if (bpf_map_get_next_key(maps->waits, NULL, &count->key))
		return false;
	bpf_map_lookup_elem(maps->waits, &count->key, &count->wait);
	bpf_map_delete_elem(maps->waits, &count->key);
	if (count->key.stack)
		bpf_map_lookup_elem(maps->stacks, &count->key.stack, &count->stack);
	return true;
}

int stacks_take(const struct stack_maps *maps, struct stack_count **list, size_t *nr)
{
	*nr = 0;
	*list = NULL;
	if (maps->waits < 0)
		return 0;
	*list = calloc(NR_STACKS, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	while (*nr < NR_STACKS && take_next(maps, &(*list)[*nr]))
		++*nr;
	return 0;
}
