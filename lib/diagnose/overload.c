// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/overload.h"

#include <errno.h>
#include <string.h>

static struct finding *finding_of(struct verdict *verdict, const struct tally *tally)
{
	for (size_t i = 0; i < verdict->nr; i++)
		if (verdict->findings[i].class == tally->class &&
		    place_is_same(&verdict->findings[i].place, &tally->place))
			return &verdict->findings[i];
	return NULL;
}

/* A reader reads as many others while one waits as it has the time for. */
static uint64_t others_meanwhile(const struct tally *tally)
{
	uint64_t read_ns = tally_read_ns(tally);
	uint64_t others = read_ns ? tally->backlog.late_ns / read_ns : 0;

	return others ?: 1;
}

static int add(struct verdict *verdict, const struct tally *tally, const struct report *report)
{
	struct finding *finding = finding_of(verdict, tally);

	if (!finding)
		finding = verdict_add_late(verdict, tally, report);
	if (!finding)
		return -ENOMEM;
	finding->others_meanwhile = others_meanwhile(tally);
	finding->lateness = tally->backlog;
	memcpy(finding->part_ns, tally->read_ns, sizeof(finding->part_ns));
	return 0;
}

/* A burst is no fault of its reader. */
static void note_behind_others(struct services *services, const struct tally *tally)
{
	for (size_t i = 0; i < services->nr; i++)
		if (place_is_same(&services->services[i].place, &tally->place))
			services->services[i].behind_others = tally->backlog;
}

int overloads_find(struct verdict *verdict, const struct report *report,
		   const struct late_seconds *seconds)
{
	int err = 0;

	for (size_t i = 0; i < verdict->tallies.nr && !err; i++) {
		const struct tally *tally = &verdict->tallies.tallies[i];
		const struct late_seconds_entry *entry =
			late_seconds_find(seconds, tally->class, &tally->place);

		if (!tally->main || !lateness_is_harm(&tally->backlog))
			continue;
		if (entry && entry->is_overload)
			err = add(verdict, tally, report);
		else if (!finding_of(verdict, tally))
			note_behind_others(&verdict->services, tally);
	}
	return err;
}
