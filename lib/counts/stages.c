// SPDX-License-Identifier: GPL-2.0
#include "lib/counts/stages.h"

#include <stdlib.h>
#include <string.h>

bool stage_is_possible(enum hook from, enum hook to)
{
	/* The bytes that were read are forgotten. */
	return from < to && hooks[from].paths & hooks[to].paths && !(hooks[from].has & HAS_READER);
}

bool stage_is_whole_hook(enum hook hook)
{
	const unsigned int socket_span = HAS_SPAN | HAS_SOCKET;

	return hook == HOOK_netif_receive || (hooks[hook].has & socket_span) == socket_span;
}

bool stage_skips(const bool followed[NR_HOOKS], __u8 from, enum hook to)
{
	/* Parts of what waits for a reader follow one another. */
	if (from == FROM_STAMP || stage_from_hook(from) >= NR_HOOKS)
		return false;
	if (hooks[stage_from_hook(from)].journey == JOURNEY_BY_FEW)
		return true;
	for (enum hook hook = 0; hook < to; hook++)
		if (followed[hook] && hooks[hook].journey != JOURNEY_BY_FEW &&
		    stage_is_possible(hook, to) && stage_is_possible(stage_from_hook(from), hook))
			return true;
	return false;
}

enum hook stage_last_hook(const bool followed[NR_HOOKS], enum hook to)
{
	enum hook last = NR_HOOKS;

	for (enum hook hook = 0; hook < to; hook++)
		if (followed[hook] && stage_is_possible(hook, to))
			last = hook;
	return last;
}

enum hook stage_from_hook(__u8 from)
{
	return (from >> 1) - 1;
}

unsigned int stage_ip_version(__u8 from)
{
	return from & 1 ? 6 : 4;
}

/* Returns how many there are then. */
static unsigned int number_both(__u16 blocks[NR_STAGE_FROMS], unsigned int from, unsigned int nr)
{
	blocks[STAGE_FROM(from, 0)] = ++nr;
	blocks[STAGE_FROM(from, 1)] = ++nr;
	return nr;
}

unsigned int stages_number(const bool followed[NR_HOOKS], const bool counted[NR_HOOKS],
			   bool wakeups, stage_blocks blocks)
{
	unsigned int nr = 0;

	memset(blocks, 0, sizeof(stage_blocks));
	for (enum probe probe = 0; probe < NR_PROBES; probe++) {
		enum hook to = probes[probe].hook;
		unsigned int nr_before = nr;

		if (!counted[to] || probes[probe].is_helper)
			continue;
		for (enum hook from = 0; from < to; from++)
			if (followed[from] && stage_is_possible(from, to))
				nr = number_both(blocks[probe], from, nr);
		if (!wakeups || !(hooks[to].has & HAS_READER) || nr == nr_before)
			continue;
		for (unsigned int part = PART_ASLEEP; part < END_OF_PARTS; part++)
			nr = number_both(blocks[probe], part, nr);
	}
	return nr;
}

size_t stages_find(const struct group *stages, size_t nr, enum hook to, __u8 from)
{
	size_t i = 0;

	while (i < nr && (stages[i].hook != to || stages[i].from != from))
		i++;
	return i;
}

struct group *stages_list(const stage_blocks blocks, size_t *nr)
{
	struct group *stages = calloc(NR_HOOKS * NR_STAGE_FROMS, sizeof(*stages));

	*nr = 0;
	for (enum probe probe = 0; stages && probe < NR_PROBES; probe++)
		for (unsigned int from = 0; from < NR_STAGE_FROMS; from++) {
			enum hook to = probes[probe].hook;

			if (!blocks[probe][from] || stages_find(stages, *nr, to, from) < *nr)
				continue;
			stages[*nr].hook = to;
			stages[*nr].from = from;
			++*nr;
		}
	return stages;
}

bool stages_end_at(const stage_blocks blocks, enum hook hook)
{
	for_each_probe_of(hook, probe)
		for (unsigned int from = 0; from < NR_STAGE_FROMS; from++)
			if (blocks[probe][from])
				return true;
	return false;
}
