// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/late_seconds.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "lib/base/find_or_add.h"
#include "lib/tables/units.h"

#define NR_LATE_BITS 64

static int compare(const void *a, const void *b)
{
	const struct late_seconds_entry *x = a, *y = b;

	return subject_compare(&x->subject, &y->subject);
}

const struct late_seconds_entry *late_seconds_find(const struct late_seconds *seconds,
						   enum class class, const struct place *place)
{
	const struct late_seconds_entry wanted = { .subject = { class, *place } };
	struct late_seconds_entry **found = tfind(&wanted, &seconds->entries, compare);

	return found ? *found : NULL;
}

int late_seconds_add(struct late_seconds *seconds, const struct tallies *tallies)
{
	for (size_t i = 0; i < tallies->nr; i++) {
		const struct tally *tally = &tallies->tallies[i];
		const struct late_seconds_entry of = { .subject = { tally->class, tally->place } };
		struct late_seconds_entry *entry;
		bool is_new;

		if (!tally->lateness.count)
			continue;
		entry = find_or_add(&seconds->entries, &of, sizeof(of), compare, &is_new);
		if (!entry)
			return -ENOMEM;
		entry->active++;
		entry->is_overload |= tally->is_overload;
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
	tdestroy(seconds->entries, free);
	*seconds = (struct late_seconds){ 0 };
}
