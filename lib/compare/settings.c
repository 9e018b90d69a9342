// SPDX-License-Identifier: GPL-2.0
#include "lib/compare/settings.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_values.h"

static const char *value_in(const struct compared_run *run, const char *name)
{
	return json_member_text(run->host, name);
}

static bool is_same(const char *value, const char *other)
{
	return value && other ? !strcmp(value, other) : value == other;
}

/* Returns whether all runs of a side have the same value, or all have none. */
static bool is_same_in_side(const struct sides *sides, enum side side, const char *name)
{
	const char *first = value_in(&sides->runs[side][0], name);

	for (unsigned int i = 1; i < sides->nr_runs[side]; i++)
		if (!is_same(value_in(&sides->runs[side][i], name), first))
			return false;
	return true;
}

static int add(struct setting_changes *changes, const struct sides *sides, const char *name)
{
	struct setting_change *larger, change = { .name = name };

	for (enum side side = 0; side < NR_SIDES; side++) {
		change.varies[side] = !is_same_in_side(sides, side, name);
		if (!change.varies[side])
			change.values[side] = value_in(&sides->runs[side][0], name);
	}
	if (!change.varies[SIDE_BEFORE] && !change.varies[SIDE_AFTER] &&
	    is_same(change.values[SIDE_BEFORE], change.values[SIDE_AFTER]))
		return 0;
	larger = reallocarray(changes->changes, changes->nr + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	changes->changes = larger;
	larger[changes->nr++] = change;
	return 0;
}

/* A setting that an earlier run has, too, was looked at then. */
static bool is_in_earlier_run(const struct sides *sides, enum side side, unsigned int nr,
			      const char *name)
{
	for (enum side earlier = 0; earlier <= side; earlier++)
		for (unsigned int i = 0; i < (earlier == side ? nr : sides->nr_runs[earlier]); i++)
			if (value_in(&sides->runs[earlier][i], name))
				return true;
	return false;
}

static int add_those_of_run(struct setting_changes *changes, const struct sides *sides,
			    enum side side, unsigned int nr)
{
	int err = 0;

	json_object_object_foreach(sides->runs[side][nr].host, name, value)
	{
		(void)value;
		if (!err && !is_in_earlier_run(sides, side, nr, name))
			err = add(changes, sides, name);
	}
	return err;
}

static bool tell_all_runs(const struct sides *sides)
{
	for (enum side side = 0; side < NR_SIDES; side++)
		for (unsigned int nr = 0; nr < sides->nr_runs[side]; nr++)
			if (!sides->runs[side][nr].host)
				return false;
	return true;
}

int setting_changes_find(struct setting_changes *changes, const struct sides *sides)
{
	int err = 0;

	*changes = (struct setting_changes){ .are_known = tell_all_runs(sides) };
	for (enum side side = 0; side < NR_SIDES && changes->are_known; side++)
		for (unsigned int nr = 0; nr < sides->nr_runs[side] && !err; nr++)
			err = add_those_of_run(changes, sides, side, nr);
	return err;
}

void setting_changes_free(struct setting_changes *changes)
{
	free(changes->changes);
	*changes = (struct setting_changes){ 0 };
}
