/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seconds of a watch in which something was late. If it is late all the time, it has another
 * cause than if it is late once. Pure arithmetic.
 */
#ifndef NETSTACKLAT_LATE_SECONDS_H
#define NETSTACKLAT_LATE_SECONDS_H

#include "lib/diagnose/tally.h"

struct late_seconds_entry {
	struct subject subject;
	unsigned int late, active; /* seconds with late packets, and with any */
	bool is_overload;	   /* in any: more came than its reader had time for */
	unsigned int last_late;	   /* the last of the former, counted from 0 */
	uint64_t late_in;	   /* a bit for each of them: the second modulo 64 */
};

struct late_seconds {
	void *entries;	      /* for tsearch(3) */
	unsigned int watched; /* seconds so far */
};

/* Adds a second, of which these are the tallies. Returns 0 or -ENOMEM. */
int late_seconds_add(struct late_seconds *seconds, const struct tallies *tallies);

/* NULL if nothing was there in any second. */
const struct late_seconds_entry *late_seconds_find(const struct late_seconds *seconds,
						   enum class class, const struct place *place);

/* Returns whether it was late in one second only, of several in which it could have been. */
static inline bool is_late_once(const struct late_seconds_entry *seconds)
{
	return seconds->late == 1 && seconds->active > 1;
}

/*
 * Returns whether both were late in the same second, in neighbouring seconds, or in seconds that
 * are up to this time further apart. If the seconds of either are not known, they may have been.
 * Seconds that are 64 s apart pass for one.
 */
bool late_seconds_meet(const struct late_seconds_entry *one, const struct late_seconds_entry *other,
		       uint64_t apart_ns);

/* Has no seconds then; to be called at the end, too. */
void late_seconds_clear(struct late_seconds *seconds);

#endif
