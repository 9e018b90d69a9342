// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/late_seconds.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/tables/units.h"

#define NR_LATE_BITS 64

struct late_seconds_entry *late_seconds_find(const struct late_seconds *seconds, enum class class,
					     const struct place *place)
{
	for (size_t i = 0; i < seconds->nr; i++)
		if (seconds->entries[i].class == class &&
		    place_is_same(&seconds->entries[i].place, place))
			return &seconds->entries[i];
	return NULL;
}

/* NULL without memory. */
static struct late_seconds_entry *add_entry(struct late_seconds *seconds, const struct tally *tally)
{
	struct late_seconds_entry *entries =
		reallocarray(seconds->entries, seconds->nr + 1, sizeof(*entries));

	if (!entries)
		return NULL;
	seconds->entries = entries;
	entries += seconds->nr++;
	*entries = (struct late_seconds_entry){ .class = tally->class, .place = tally->place };
	return entries;
}

int late_seconds_add(struct late_seconds *seconds, const struct tallies *tallies)
{
	for (size_t i = 0; i < tallies->nr; i++) {
		const struct tally *tally = &tallies->tallies[i];
		struct late_seconds_entry *entry =
			late_seconds_find(seconds, tally->class, &tally->place);

		if (!tally->lateness.count)
			continue;
		if (!entry)
			entry = add_entry(seconds, tally);
		if (!entry)
			return -ENOMEM;
		entry->active++;
		if (!tally->lateness.late)
			continue;
		entry->late++;
		entry->last_late = seconds->watched;
		entry->late_in |= 1ULL << seconds->watched % NR_LATE_BITS;
	}
	seconds->watched++;
	return 0;
}

bool late_seconds_meet(const struct late_seconds_entry *one, const struct late_seconds_entry *other,
		       uint64_t apart_ns)
{
	uint64_t around = one->late_in;

	if (!one->late_in || !other->late_in)
		return true;
	for (uint64_t s = 0; s <= apart_ns / NS_PER_S && s < NR_LATE_BITS; s++)
		around |= around << 1 | around >> (NR_LATE_BITS - 1) | around >> 1 |
			  around << (NR_LATE_BITS - 1);
	return around & other->late_in;
}

void late_seconds_clear(struct late_seconds *seconds)
{
	free(seconds->entries);
	*seconds = (struct late_seconds){ 0 };
}
