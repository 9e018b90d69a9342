// SPDX-License-Identifier: GPL-2.0
#include "lib/cli/unknown.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/filters/filters.h"
#include "lib/tables/attributes.h"

#define NAMES_SIZE 512

static void append(char names[NAMES_SIZE], const char *name)
{
	size_t length = strlen(names);

	snprintf(names + length, NAMES_SIZE - length, "%s%s", length ? ", " : "", name);
}

/* Each hook is named once: with the first filter that it does not know. */
static void leave_out(struct plan *plan, enum filter filter)
{
	char names[NAMES_SIZE] = "";

	for (enum hook hook = 0; hook < NR_HOOKS; hook++) {
		if (!plan->hooks[hook] || filter_unknown_at(hook, plan->filters.active) != filter)
			continue;
		append(names, hooks[hook].name);
		plan->hooks[hook] = false;
	}
	if (*names)
		log_error("left out, as %s is not known there: %s", filter_table[filter].option,
			  names);
}

/* Appends the key if some hook does not know it. Verbose messages say which hooks. */
static void find_ungrouped(const struct plan *plan, enum key key, char keys[NAMES_SIZE])
{
	char names[NAMES_SIZE] = "", name[KEY_NAME_SIZE];

	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (plan->hooks[hook] && !hook_can_group(hook, key))
			append(names, hooks[hook].name);
	if (!*names)
		return;
	append(keys, key_name(key, name));
	log_verbose("not grouped by %s, which is not known there: %s", name, names);
}

void tell_ungrouped(const struct plan *plan)
{
	char keys[NAMES_SIZE] = "";

	for (enum key key = 0; key < NR_KEYS; key++)
		if (plan->group_by & 1U << key)
			find_ungrouped(plan, key, keys);
	if (*keys)
		log_error("some hooks cannot be grouped by %s%s", keys,
			  log_is_verbose() ? "" : " (-v names them)");
}

void leave_out_unknown(struct plan *plan)
{
	/* Stages begin there all the same. */
	memcpy(plan->followed, plan->hooks, sizeof(plan->followed));
	for (enum hook hook = 0; hook < NR_HOOKS; hook++)
		if (!memchr(plan->since_left_out[hook], false, NR_SINCE))
			plan->hooks[hook] = false;
	for (enum filter filter = 0; filter < NR_FILTERS; filter++)
		if (plan->filters.active & 1U << filter)
			leave_out(plan, filter);
	/* Nobody asked for these: where that is not known, they are not told. */
	plan->drops =
		plan->stages && filter_unknown_at(HOOK_drop, plan->filters.active) == NR_FILTERS;
}
